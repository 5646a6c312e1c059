//! Workloads on files and their counters.

mod access_pattern;
pub mod cache_size;
pub mod cached;
pub mod contention;
pub mod device;
mod machine_cache;
mod memory_group;
pub mod names;
pub mod numbers;
mod own_files;
pub mod remote;
mod server;
mod target;
pub mod uring;
pub mod write;

use crate::test_file::{self, BLOCK, WRONG_DATA};
use measure::{Bench, Failure};
use std::path::Path;
use sys::clock::{Clock, Moment};
use sys::direct::CacheMode;
use sys::temporary::{TemporaryFile, bytes_from_devices};

/// The block of most points.
const DEFAULT: u64 = BLOCK as u64;

/// Reopens an unnamed file.
fn reopened(file: &TemporaryFile, way: CacheMode) -> Result<TemporaryFile, Failure> {
    let path = format!("/proc/self/fd/{}", file.descriptor().number());
    Ok(TemporaryFile::reopen(Path::new(&path), way, file.seed())?)
}

/// Bytes read from devices by this process.
struct DeviceBytes(Option<u64>);

impl DeviceBytes {
    /// Starts counting, with the program itself resident, whose pages would count.
    fn start() -> Self {
        sys::program::prefault();
        Self(bytes_from_devices())
    }

    /// Counts the bytes per requested byte.
    fn count(&self, bench: &mut Bench<'_>, requested: f64) {
        match bytes_from_devices().zip(self.0) {
            Some((now, before)) => bench.count("device.bytes", now.saturating_sub(before) as f64, requested),
            None => bench.cannot_count("device.bytes", "/proc/self/io cannot be read".to_owned()),
        }
    }
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
