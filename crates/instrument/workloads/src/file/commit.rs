//! Group commit: writers that each append a block and sync it.

use super::test_file::{check_room, count_on_disk, write_error};
use super::{BLOCK, TrialTime, WRONG_DATA, touched};
use crate::device_bytes::DeviceCounts;
use measure::{Bench, Failure, Result, choice, parameters};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, mpsc};
use sys::clock::Clock;
use sys::direct;
use sys::temporary::TemporaryFile;

/// Commits of each writer for a value.
const COMMITS: u64 = 8;

/// Values of a trial: at least, and at most.
const VALUES: (usize, usize) = (2, 16);

/// Writers at most.
const MAX_WRITERS: u64 = 16;

choice! {
    /// To which file writers append.
    pub enum LogFile {
        /// Each to its own.
        Own = "own",
        /// All to one.
        Shared = "shared",
    }
}

parameters! {
    /// Writers that commit.
    pub struct GroupCommit {
        /// Their number.
        writers: u64,
        /// To which file they append.
        log: LogFile = LogFile::Own,
    }
}

/// A log: a file to which blocks are appended, each with data of its own.
struct Log {
    file: TemporaryFile,
    /// Where the next block goes.
    end: AtomicU64,
}

impl Log {
    /// Appends a block and waits until it is on the device.
    fn commit(&self, buffer: &mut [u8]) -> Result<()> {
        let offset = self.end.fetch_add(BLOCK as u64, Ordering::AcqRel);
        self.file.mark(buffer, offset);
        let written = direct::write_at(self.file.descriptor(), buffer, offset);
        Failure::unless(sys::Error::check("pwrite64", written).map_err(write_error)? == BLOCK, WRONG_DATA)?;
        Ok(direct::sync_data(self.file.descriptor())?)
    }

    /// Its blocks, and those of them that are right.
    fn verified(&self, buffer: &mut [u8]) -> (u64, u64) {
        let end = self.end.load(Ordering::Acquire);
        let right = (0..end).step_by(BLOCK).filter(|offset| {
            direct::read_at(self.file.descriptor(), buffer, *offset) == BLOCK as isize
                && self.file.is_block(buffer, *offset)
        });
        (end / BLOCK as u64, right.count() as u64)
    }
}

/// Times commits of several writers; a value is the time of all of them, divided by their number.
///
/// # Errors
/// When a write or a sync fails.
pub fn commit_in_groups(bench: &mut Bench<'_>) -> Result<()> {
    let GroupCommit { writers, log } = bench.parameters()?;
    let writers = writers.clamp(1, MAX_WRITERS);
    let directory = bench.directory()?;
    check_room(directory, writers * COMMITS * (VALUES.1 * BLOCK) as u64)?;
    let files = if log == LogFile::Shared { 1 } else { writers };
    let logs = (0..files).map(|_| {
        let mut file = TemporaryFile::new(&directory.path)?;
        file.fill(BLOCK, BLOCK, bench.seed()).map_err(write_error)?;
        file.flush()?;
        Ok(Log { file, end: AtomicU64::new(BLOCK as u64) })
    });
    let logs = logs.collect::<Result<Vec<Log>>>()?;
    let Some(first) = logs.first() else { return Ok(()) };
    // The scheduler places the writers, as it does those of a database.
    let _ = sys::cpu::unpin();
    let mut values = Vec::new();
    let time = TrialTime::start(bench, VALUES);
    let device = DeviceCounts::start(first.file.descriptor());
    while time.allows(values.len()) {
        let nanos = timed(&logs, writers)?;
        values.push(nanos as f64 / (writers * COMMITS) as f64);
    }
    let commits = (values.len() as u64 * writers * COMMITS) as f64;
    device.count_flushes(bench, commits);
    count_on_disk(bench, &first.file)?;
    let mut buffer = touched(BLOCK)?;
    let verified = logs.iter().map(|log| log.verified(buffer.bytes_mut()));
    let (blocks, right) = verified.fold((0, 0), |sum, log| (sum.0 + log.0, sum.1 + log.1));
    // Of each log, the first block was there before.
    bench.count("answers", (blocks - files) as f64, commits);
    bench.count("blocks.right", right as f64, blocks as f64);
    bench.values(values);
    Ok(())
}

/// Nanoseconds from the start of all writers to the end of the last one's last commit.
fn timed(logs: &[Log], writers: u64) -> Result<i64> {
    // Held by the caller until all are ready; true if they shall write.
    let gate = RwLock::new(false);
    let clock = Clock::Kernel;
    std::thread::scope(|scope| {
        let mut closed = gate.write().unwrap_or_else(PoisonError::into_inner);
        let (ready, is_ready) = mpsc::channel();
        let mut threads = Vec::new();
        for log in (0..writers as usize).filter_map(|writer| logs.get(writer % logs.len())) {
            let (gate, ready) = (&gate, ready.clone());
            let made = std::thread::Builder::new().spawn_scoped(scope, move || {
                let buffer = touched(BLOCK);
                // The receiver lives until all have answered, or nobody shall write.
                let _ = ready.send(());
                let shall_write = *gate.read().unwrap_or_else(PoisonError::into_inner);
                let mut buffer = buffer?;
                for _ in 0..if shall_write { COMMITS } else { 0 } {
                    log.commit(buffer.bytes_mut())?;
                }
                Ok(clock.stop())
            });
            threads.push(made.map_err(sys::Error::in_call("pthread_create"))?);
        }
        drop(ready);
        is_ready.iter().take(threads.len()).for_each(drop);
        *closed = true;
        let start = clock.start();
        drop(closed);
        let ends = threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| Failure::failed("a writer ended early"))?);
        let ends = ends.collect::<Result<Vec<i64>>>()?;
        Ok(ends.into_iter().max().unwrap_or(start) - start)
    })
}
