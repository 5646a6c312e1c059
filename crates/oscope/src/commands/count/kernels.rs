//! The counts of the kernels that were named: from boots, or from a file.

use super::named::{Named, named, of_kernel};
use super::points::{Points, points};
use crate::Operations;
use crate::arguments::Count;
use crate::exit::{CliError, Exit, nothing, of_revision};
use crate::supervisor::Interrupt;
use count::{Architecture, Boot, Emulator, Failure, Image, Job, KernelCount, PluginUse};
use measure::Operation;
use std::io::Write;
use std::path::PathBuf;

/// Boots of each kernel unless the user says how many.
const BOOTS: u32 = 3;

/// What is counted, and of what.
pub struct Kernels {
    named: Vec<Named>,
    words: Vec<String>,
}

impl Kernels {
    /// What the command line names.
    pub fn new(operations: Operations, arguments: &Count) -> anyhow::Result<Self> {
        let (named, words) = named(operations, arguments)?;
        Ok(Self { named, words })
    }

    /// The counts of all; those that are not read from a file are made.
    pub fn count(self, operations: Operations, arguments: &Count) -> anyhow::Result<Vec<KernelCount>> {
        let images: Vec<(&Image, &String)> = self
            .named
            .iter()
            .filter_map(|named| match named {
                Named::Kernel(image, options) => Some((image, options)),
                Named::Counts(_) => None,
            })
            .collect();
        let mut booted = boot(operations, &images, &self.words, arguments)?.into_iter();
        let mut counts = Vec::new();
        for named in &self.named {
            match named {
                Named::Kernel(..) => counts.extend(booted.next()),
                Named::Counts(count) => counts.push((**count).clone()),
            }
        }
        Ok(counts)
    }
}

/// Boots kernels and counts.
fn boot(
    operations: Operations,
    images: &[(&Image, &String)],
    words: &[String],
    arguments: &Count,
) -> anyhow::Result<Vec<KernelCount>> {
    let Some((first, _)) = images.first() else { return Ok(Vec::new()) };
    let Points { counted, skipped } =
        points(operations, words, arguments.profile, arguments.cpus(), first.architecture)?;
    if counted.is_empty() {
        let why = skipped.first().map_or("", |skipped| skipped.why.reason.as_str());
        return Err(nothing(format!("no point that is meant can be counted: {why}")));
    }
    let emulators = images.iter().map(|(image, _)| Emulator::find(image.architecture).map_err(of_kernel));
    let emulators: Vec<Emulator> = emulators.collect::<anyhow::Result<_>>()?;
    let requests =
        counted.iter().map(|(operation, point)| count::request(Operation::point_id(operation, point), point));
    let job = Job {
        requests: requests.collect(),
        has_plugin: emulators.iter().all(|one| one.plugin == PluginUse::Used),
        ..Job::default()
    };
    let boots: Vec<Boot<'_>> = images
        .iter()
        .map(|(image, options)| Boot { image, options: options.as_str(), cpus: arguments.cpus(), job: &job })
        .collect();
    let seeds: Vec<u32> = (1..=arguments.boots.unwrap_or(BOOTS)).collect();
    let parallel = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let guest = arguments.guest.clone().or_else(|| guest(first.architecture));
    let interrupt = Interrupt::catch()?;
    let progress = |ended: usize, all: usize| {
        if !arguments.quiet {
            // A line that is lost is no loss.
            let _ = writeln!(std::io::stderr(), "boot {ended} of {all}");
        }
    };
    let results = count::boots(&boots, &seeds, parallel, guest.as_deref(), interrupt.flag(), &progress);
    if interrupt.is_set() {
        return Err(CliError(Exit::Interrupted, "interrupted".to_owned()).into());
    }
    let results = results.map_err(|Failure { kernel, error }| {
        let error = nothing(error.to_string());
        // A bisection names the kernel of the revision last.
        if kernel.is_some_and(|kernel| kernel + 1 == boots.len()) { of_revision(error) } else { error }
    })?;
    let counts = boots.iter().zip(&emulators).zip(&results).map(|((boot, emulator), booted)| {
        let mut count = count::counted(boot, emulator, &seeds, booted);
        count.skipped.extend(skipped.iter().cloned());
        count
    });
    Ok(counts.collect())
}

/// A static program of another architecture that the environment names, as tests do.
fn guest(architecture: Architecture) -> Option<PathBuf> {
    let name = format!("OSCOPE_{}", architecture.name().to_uppercase());
    if Architecture::host() == Some(architecture) { None } else { std::env::var_os(name).map(PathBuf::from) }
}
