//! The kernels that were named, and their counts: from boots, or from a file.

use super::points::{Points, points};
use crate::Operations;
use crate::arguments::Count;
use crate::exit::{Exit, nothing, unusable, usage};
use crate::supervisor::Interrupt;
use count::{Architecture, Boot, Emulator, FORMAT, Image, Job, KernelCount, PluginUse};
use measure::Operation;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file of counts.
#[derive(Debug, Serialize, Deserialize)]
pub struct Counts {
    /// As a record has it, so that a file of counts is not taken for one.
    format: String,
    kernels: Vec<KernelCount>,
}

impl Counts {
    pub fn new(kernels: &[KernelCount]) -> Self {
        Self { format: FORMAT.to_owned(), kernels: kernels.to_vec() }
    }
}

/// What is counted, and of what.
pub struct Kernels {
    /// Kernels to boot, with their boot options, and counts that were read, in the order of the command line.
    named: Vec<Named>,
    words: Vec<String>,
}

enum Named {
    Kernel(Image, String),
    Counts(Box<KernelCount>),
}

/// Kernels that one command compares.
const MOST: usize = 2;

impl Kernels {
    /// What the command line names: words that are paths are kernels, all others a selection.
    pub fn new(arguments: &Count) -> anyhow::Result<Self> {
        let paths: Vec<PathBuf> =
            arguments.what.iter().take_while(|word| is_path(word)).map(PathBuf::from).collect();
        let words: Vec<String> = arguments.what.iter().skip(paths.len()).cloned().collect();
        let options = |index: usize| match (index, &arguments.append2) {
            (1, Some(second)) => second.clone(),
            _ => arguments.append.clone(),
        };
        let mut named = Vec::new();
        if arguments.running {
            named.push(Named::Kernel(Image::running().map_err(of_kernel)?, options(0)));
        }
        for path in &paths {
            match read_counts(path)? {
                Some(counts) => named.extend(counts.into_iter().map(Box::new).map(Named::Counts)),
                None => {
                    let image = Image::read(path, arguments.arch).map_err(of_kernel)?;
                    named.push(Named::Kernel(image, options(named.len())));
                }
            }
        }
        if let ([Named::Kernel(image, _)], Some(second)) = (named.as_slice(), &arguments.append2) {
            let image = image.clone();
            named.push(Named::Kernel(image, second.clone()));
        }
        match named.len() {
            0 => {
                Err(usage("name a kernel: a bzImage or Image, a build tree, a Debian package, or --running"))
            }
            1..=MOST => Ok(Self { named, words }),
            more => Err(usage(format!("{more} kernels are named, and {MOST} are compared"))),
        }
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

/// Whether a word names a kernel. A directory needs a slash, because a kernel's tree has some that are called like selections.
fn is_path(word: &str) -> bool {
    let is_named_like_one = [".deb", ".json", "."].iter().any(|end| word.ends_with(end));
    word.contains('/') || is_named_like_one || Path::new(word).is_file()
}

/// The counts in a file that this command wrote; `None` where it is something else.
fn read_counts(path: &Path) -> anyhow::Result<Option<Vec<KernelCount>>> {
    if path.extension().is_none_or(|extension| extension != "json") {
        return Ok(None);
    }
    let text = std::fs::read(path).map_err(|error| unusable(path, error))?;
    let counts: Counts = serde_json::from_slice(&text).map_err(|error| unusable(path, error))?;
    match counts.format == FORMAT && !counts.kernels.is_empty() {
        true => Ok(Some(counts.kernels)),
        false => Err(unusable(path, "no counts; 'oscope count --format json' writes them")),
    }
}

fn of_kernel(error: count::Error) -> anyhow::Error {
    usage(error.to_string())
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
        points(operations, words, arguments.profile, arguments.smp, first.architecture)?;
    if counted.is_empty() {
        let why = skipped.first().map_or("", |skipped| skipped.why.reason.as_str());
        return Err(nothing(format!("no point that is meant can be counted: {why}")));
    }
    if images.iter().any(|(image, _)| image.architecture != first.architecture) {
        return Err(usage("the kernels are of two architectures, whose instructions are not comparable"));
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
        .map(|(image, options)| Boot { image, options: options.as_str(), cpus: arguments.smp, job: &job })
        .collect();
    let seeds: Vec<u32> = (1..=arguments.boots).collect();
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
        return Err(crate::exit::CliError(Exit::Interrupted, "interrupted".to_owned()).into());
    }
    let results = results.map_err(|error| nothing(error.to_string()))?;
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
