//! Workloads on files and their counters.

mod access_pattern;
pub mod cache_size;
pub mod cached;
pub mod commit;
pub mod contention;
pub mod copy;
pub mod device;
mod machine_cache;
pub mod names;
pub mod opening;
mod own_files;
pub mod remote;
pub mod replace;
mod server;
mod target;
pub mod uring;
pub mod write;
pub mod write_beside;
pub mod write_rate;

pub use access_pattern::{Access, FileRead};

use crate::device_bytes::DeviceBytes;
use crate::test_file::{self, BLOCK, WRONG_DATA, check_block};
use measure::{Bench, Result};
use std::path::Path;
use sys::clock::{Clock, Moment};
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// The block of most points.
const DEFAULT: u64 = BLOCK as u64;

/// Reopens an unnamed file.
fn reopened(file: &TemporaryFile, mode: CacheMode) -> Result<TemporaryFile> {
    let path = format!("/proc/self/fd/{}", file.descriptor().number());
    Ok(TemporaryFile::reopen(Path::new(&path), mode, file.seed())?)
}

/// Memory for blocks, resident.
fn touched(bytes: usize) -> Result<Mapping> {
    let mut memory = Mapping::private(bytes)?;
    memory.touch(1);
    Ok(memory)
}

/// Nanoseconds of a read of a block, whose content is then checked.
fn timed_read(clock: Clock, file: &TemporaryFile, buffer: &mut Mapping, offset: u64) -> Result<f64> {
    let start = clock.moment();
    let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
    let nanos = clock.moment().nanos_since(start) as f64;
    check_block(file, read, buffer.bytes_mut(), offset)?;
    Ok(nanos)
}

/// Reports values, all with correct content; returns their number.
fn report(bench: &mut Bench<'_>, values: Vec<f64>) -> f64 {
    let count = values.len() as f64;
    bench.count("answers", count, count);
    bench.values(values);
    count
}

/// The number of values of a trial: as its time allows, within limits.
struct TrialTime {
    clock: Clock,
    start: Moment,
    spend_ns: i64,
    values: (usize, usize),
}

impl TrialTime {
    /// Starts now.
    fn start(bench: &Bench<'_>, values: (usize, usize)) -> Self {
        let clock = Clock::select();
        Self {
            clock,
            start: clock.moment(),
            spend_ns: i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
            values,
        }
    }

    /// Whether to take another value after `values`.
    fn allows(&self, values: usize) -> bool {
        let (minimum, maximum) = self.values;
        values < maximum && (values < minimum || self.clock.moment().nanos_since(self.start) < self.spend_ns)
    }
}
