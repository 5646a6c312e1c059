//! Durable writes while another process writes to a file of its own.

use super::TrialTime;
use super::test_file::{check_room, write_error};
use super::write::{Timed, write_durably};
use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Result};
use sys::process::Actor;
use sys::temporary::TemporaryFile;

/// Bytes of the other process's file, at which it begins again, and of a write.
const BYTES: u64 = 16 << 20;
const PIECE: usize = 1 << 20;

/// Nanoseconds for a write of the other process, at most.
const TIMEOUT_NS: i64 = 5_000_000_000;

/// The shared word: writes of the other process.
const WRITES: usize = 0;

/// Writes and syncs blocks while another process writes into the page cache.
///
/// # Errors
/// When a call fails, or the other process does not write.
pub fn write_beside_writer(bench: &mut Bench<'_>) -> Result<()> {
    let directory = bench.directory()?;
    check_room(directory, BYTES)?;
    let mut file = TemporaryFile::new(&directory.path)?;
    let (seed, words) = (bench.seed(), SharedWords::new(1)?);
    // The scheduler places both, as it does programs.
    let _ = sys::cpu::unpin();
    let _other = Actor::spawn(None, || i32::from(write_repeatedly(&mut file, seed, &words).is_err()))?;
    wait_for_write(bench, &words)?;
    write_durably(bench, Timed::WriteFsync)?;
    let is_active = wait_for_write(bench, &words).is_ok();
    bench.count("actors.overlap", f64::from(u8::from(is_active)), 1.0);
    Ok(())
}

/// Fills a file by large writes and truncates it, until it is killed.
fn write_repeatedly(file: &mut TemporaryFile, seed: u64, words: &SharedWords) -> Result<()> {
    loop {
        file.stretch(0)?;
        for end in (0..BYTES as usize).step_by(PIECE).map(|begin| begin + PIECE) {
            file.fill(end, PIECE, seed).map_err(write_error)?;
            words.set(WRITES, words.get(WRITES) + 1);
        }
    }
}

/// Waits until the other process has completed another write.
fn wait_for_write(bench: &Bench<'_>, words: &SharedWords) -> Result<()> {
    let (earlier, time) = (words.get(WRITES), TrialTime::start(bench, (0, usize::MAX)));
    while words.get(WRITES) == earlier {
        if time.clock.moment().nanos_since(time.start) > TIMEOUT_NS {
            return Err(Failure::failed("timeout: the other process did not write"));
        }
        std::thread::yield_now();
    }
    Ok(())
}
