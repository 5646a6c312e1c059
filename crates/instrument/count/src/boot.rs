//! Boots: a kernel in QEMU with the job, and what it said and counted.

use crate::console::{self, Said};
use crate::emulator::{Emulator, Machine, PLUGIN, PluginUse};
use crate::error::{Error, Failure, Result};
use crate::image::{Architecture, Image};
use crate::initrd::{Program, initrd};
use crate::job::{self, Job};
use crate::windows::{self, Windows};
use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use sys::memory_file::MemoryFile;
use sys::supervision;

/// Time of a boot without points, and of each point, at most: some ten times what a slow machine needs. The
/// guest has limits of its own, which end a point earlier.
const MAX_BOOT: Duration = Duration::from_secs(180);
const MAX_POINT: Duration = Duration::from_secs(4);

/// Time until a kernel writes the first line to its console, at most: one that starts needs a second or two.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// Bytes of a console at most.
const MAX_CONSOLE: usize = 64 << 20;

/// A kernel with its boot options, and what is to be counted of it.
#[derive(Debug)]
pub struct Boot<'a> {
    /// The kernel.
    pub image: &'a Image,
    /// Boot options of the user.
    pub options: &'a str,
    /// CPUs of the machine.
    pub cpus: u32,
    /// What is to be counted.
    pub job: &'a Job,
}

/// What a boot gave.
#[derive(Debug)]
pub struct Booted {
    /// What the guest said.
    pub said: Said,
    /// What the plugin counted.
    pub windows: Windows,
    /// Whether all points were counted, or why the emulator was ended before.
    pub unfinished: Option<String>,
}

/// Boots each of these with each of these seeds, `parallel` at a time; the results are in the order of the seeds within the order
/// of the kernels. `progress` hears of each that has ended.
///
/// # Errors
/// When there is no emulator, or a kernel does not start oscope.
pub fn boots(
    kernels: &[Boot<'_>],
    seeds: &[u32],
    parallel: usize,
    guest: Option<&Path>,
    is_interrupted: &AtomicBool,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> std::result::Result<Vec<Vec<Booted>>, Failure> {
    let tasks: Vec<(usize, u32)> =
        (0..kernels.len()).flat_map(|kernel| seeds.iter().map(move |seed| (kernel, *seed))).collect();
    let parts = kernels.iter().map(|kernel| Parts::new(kernel, guest)).collect::<Result<Vec<_>>>()?;
    let (next, results) = (Mutex::new(tasks.iter().enumerate()), Mutex::new(Vec::new()));
    let (has_failed, failure) = (AtomicBool::new(false), Mutex::new(None));
    let stop = || is_interrupted.load(Ordering::Relaxed) || has_failed.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        for _ in 0..parallel.clamp(1, tasks.len().max(1)) {
            scope.spawn(|| {
                while let Some((index, (kernel, seed))) = next.lock().ok().and_then(|mut next| next.next())
                    && !stop()
                {
                    let booted = match (kernels.get(*kernel), parts.get(*kernel)) {
                        (Some(kernel), Some(parts)) => boot(kernel, parts, *seed, &stop),
                        _ => Err(Error::new("no such kernel")),
                    };
                    match (booted, results.lock(), failure.lock()) {
                        (Ok(booted), Ok(mut results), _) => {
                            results.push((index, booted));
                            progress(results.len(), tasks.len());
                        }
                        // The first to fail ends the others, which then fail, too.
                        (Err(error), _, Ok(mut failure)) if !has_failed.swap(true, Ordering::Relaxed) => {
                            *failure = Some(Failure { kernel: Some(*kernel), error });
                        }
                        _ => {}
                    }
                }
            });
        }
    });
    if let Some(failure) = failure.into_inner().map_err(|_| Error::new("a boot panicked"))? {
        return Err(failure);
    }
    let mut results = results.into_inner().map_err(|_| Error::new("a boot panicked"))?;
    if results.len() < tasks.len() {
        return Err(Error::new("interrupted").into());
    }
    results.sort_by_key(|(index, _)| *index);
    let mut results = results.into_iter().map(|(_, booted)| booted);
    Ok(kernels.iter().map(|_| results.by_ref().take(seeds.len()).collect()).collect())
}

/// What the boots of a kernel share.
struct Parts {
    emulator: Emulator,
    program: Program,
    kernel: MemoryFile,
    plugin: MemoryFile,
}

impl Parts {
    fn new(boot: &Boot<'_>, guest: Option<&Path>) -> Result<Self> {
        let architecture = boot.image.architecture;
        let emulator = Emulator::find(architecture)?;
        let program = match guest {
            Some(path) => Program::read(path, architecture)?,
            None if Architecture::host() == Some(architecture) => Program::this()?,
            None => {
                return Err(Error(format!(
                    "a kernel of {name} needs an oscope of {name}, a static one: name it with --guest (`oscope-*-{name}-static` of a release)",
                    name = architecture.name()
                )));
            }
        };
        let (kernel, plugin) = (in_memory("kernel", &boot.image.bytes)?, in_memory("plugin", PLUGIN)?);
        Ok(Self { emulator, program, kernel, plugin })
    }
}

fn in_memory(name: &str, bytes: &[u8]) -> Result<MemoryFile> {
    MemoryFile::new(name, bytes)
        .map_err(|error| Error(format!("the {name} cannot be kept in memory: {error}")))
}

fn boot(boot: &Boot<'_>, parts: &Parts, seed: u32, stop: &(dyn Fn() -> bool + Sync)) -> Result<Booted> {
    let machine = Machine { cpus: boot.cpus, seed, options: boot.options };
    let mut command = parts.emulator.command(&machine);
    let job = Job { order: job::order(boot.job.requests.len(), seed), ..boot.job.clone() };
    let job = serde_json::to_vec(&job).map_err(|error| Error(error.to_string()))?;
    let initrd = in_memory("initrd", &initrd(&parts.program, &job))?;
    command.arg("-kernel").arg(parts.kernel.path()).arg("-initrd").arg(initrd.path());
    let counts = in_memory("counts", &[])?;
    if boot.job.has_plugin && parts.emulator.plugin == PluginUse::Used {
        let words = format!("{},out={}", parts.plugin.path().display(), counts.path().display());
        command.arg("-plugin").arg(words);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = supervision::bind_to_this_thread(&mut command).spawn();
    let mut child = started.map_err(|error| Error(format!("QEMU: {error}")))?;
    let limit = MAX_BOOT + MAX_POINT * u32::try_from(boot.job.requests.len()).unwrap_or(u32::MAX);
    let (console, errors, unfinished) = attend(&mut child, limit, stop);
    let said = console::read(&console).map_err(|error| {
        let errors: Vec<&str> = errors.lines().filter(|line| !line.contains("TCG doesn't support")).collect();
        let of_emulator =
            if errors.is_empty() { String::new() } else { format!("; QEMU: {}", errors.join("; ")) };
        let ended = unfinished.as_ref().map_or_else(String::new, |why| format!("; {why}"));
        Error(format!("{}: {error}{of_emulator}{ended}", boot.image.name))
    })?;
    let text = std::fs::read_to_string(counts.path()).map_err(|error| Error(error.to_string()))?;
    let unfinished = unfinished.or_else(|| {
        (said.rows.len() < boot.job.requests.len())
            .then(|| "the kernel ended before the last point".to_owned())
    });
    Ok(Booted { said, windows: windows::read(&text), unfinished })
}

/// Reads what the emulator writes until it ends; ends it when the time is over.
fn attend(
    child: &mut Child,
    limit: Duration,
    stop: &(dyn Fn() -> bool + Sync),
) -> (String, String, Option<String>) {
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let (has_begun, of_errors) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let console = scope.spawn(|| text::<ChildStdout>(output, &has_begun));
        let errors = scope.spawn(|| text::<ChildStderr>(errors, &of_errors));
        let began = Instant::now();
        let mut unfinished = None;
        while matches!(child.try_wait(), Ok(None)) {
            if stop() {
                unfinished = Some("interrupted".to_owned());
            } else if began.elapsed() > MAX_SILENCE && !has_begun.load(Ordering::Relaxed) {
                let silence = MAX_SILENCE.as_secs();
                unfinished = Some(format!("it wrote nothing within {silence} s: check its boot options"));
            } else if began.elapsed() > limit {
                unfinished = Some(format!("QEMU did not end within {} s", limit.as_secs()));
            }
            if unfinished.is_some() {
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = child.wait();
        (console.join().unwrap_or_default(), errors.join().unwrap_or_default(), unfinished)
    })
}

/// Reads a text to its end, and sets the flag when its first byte has come.
fn text<R: Read>(from: Option<R>, has_begun: &AtomicBool) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is all there is.
    if let Some(mut from) = from
        && from.by_ref().take(1).read_to_end(&mut bytes).is_ok()
    {
        has_begun.store(!bytes.is_empty(), Ordering::Relaxed);
        let _ = from.take(MAX_CONSOLE as u64).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
