//! The rate of large sequential writes to a device.

use super::test_file::{count_on_disk, extend, write_error};
use super::{TrialTime, WRONG_DATA, reopened, touched};
use measure::{Bench, Failure, Result, choice, parameters};
use sys::clock::Clock;
use sys::direct::{self, CacheMode};
use sys::temporary::TemporaryFile;

/// Bytes of the file, and of a write.
pub const LENGTH: u64 = 64 << 20;
const PIECE: usize = 2 << 20;

/// Passes of a trial: at least, and at most.
const PASSES: (usize, usize) = (2, 8);

choice! {
    /// How the writes reach the device.
    pub enum WritePath {
        /// With O_DIRECT.
        Direct = "direct",
        /// Through the page cache, and an fdatasync at the end of a pass.
        Synced = "synced",
    }
}

parameters! {
    /// Passes of writes over a file.
    pub struct WritePasses {
        /// How they reach the device.
        cache: WritePath,
    }
}

/// Overwrites a file on a device in order; a value is the bytes per second of a pass, the sync at its end included.
///
/// # Errors
/// When the file cannot be written.
pub fn write_rate(bench: &mut Bench<'_>) -> Result<()> {
    let path = bench.parameters::<WritePasses>()?.cache;
    let directory = bench.directory()?;
    let mut file = TemporaryFile::new(&directory.path)?;
    extend(&mut file, directory, LENGTH, PIECE, bench.seed())?;
    count_on_disk(bench, &file)?;
    let mode = if path == WritePath::Direct { CacheMode::Direct } else { CacheMode::Cached };
    let target = reopened(&file, mode)?;
    let mut buffer = touched(PIECE)?;
    let clock = Clock::select();
    let (mut rates, mut version) = (Vec::new(), 0);
    let time = TrialTime::start(bench, PASSES);
    while time.allows(rates.len()) {
        version += 1;
        let mut nanos = 0;
        for at in (0..LENGTH).step_by(PIECE) {
            // New data for each pass, made outside of the time.
            file.compose(buffer.bytes_mut(), at + version * LENGTH);
            let start = clock.moment();
            let written = direct::write_at(target.descriptor(), buffer.bytes_mut(), at);
            nanos += clock.moment().nanos_since(start);
            if sys::Error::check("pwrite64", written).map_err(write_error)? != PIECE {
                return Err(Failure::failed("a write was incomplete"));
            }
        }
        let start = clock.moment();
        direct::sync_data(target.descriptor())?;
        nanos += clock.moment().nanos_since(start);
        rates.push(LENGTH as f64 * 1e9 / (nanos as f64).max(1.0));
    }
    let pieces = LENGTH / PIECE as u64;
    let mut right = 0;
    for at in (0..LENGTH).step_by(PIECE) {
        let read = direct::read_at(target.descriptor(), buffer.bytes_mut(), at);
        sys::Error::check("pread64", read)?;
        right += u64::from(file.is_block(buffer.bytes_mut(), at + version * LENGTH));
    }
    Failure::unless(right > 0, WRONG_DATA)?;
    bench.count("blocks.right", right as f64, pieces as f64);
    bench.values(rates);
    Ok(())
}
