//! Work on files: what operations do, and what they count meanwhile.

pub mod cache_size;
pub mod cached;
pub mod contention;
pub mod device;
mod machine_cache;
mod memory_group;
pub mod names;
pub mod remote;
mod server;
mod stock;
mod target;
pub mod uring;
mod walk;
pub mod write;

use measure::{Bench, Failure};
use std::path::Path;
use sys::clock::{Clock, Moment};
use sys::direct::CacheMode;
use sys::temporary::{TemporaryFile, bytes_from_devices};

/// Bytes of a block: the unit of most file systems and of the reports.
const BLOCK: usize = 4096;

/// The block of most points.
const DEFAULT: u64 = BLOCK as u64;

/// What is said of data that differs from what was written.
const RIGHT_DATA: &str = "a block of the file does not hold what was written to it";

/// Opens a file without a name once more.
fn opened_again(file: &TemporaryFile, way: CacheMode) -> Result<TemporaryFile, Failure> {
    let path = format!("/proc/self/fd/{}", file.descriptor().number());
    Ok(TemporaryFile::reopen(Path::new(&path), way, file.seed())?)
}

/// Bytes that this process had read from devices, around some work.
struct DeviceBytes(Option<u64>);

impl DeviceBytes {
    /// From now on, with the program itself in memory: what comes of it from a device counts, too.
    fn begin() -> Self {
        sys::program::prefault();
        Self(bytes_from_devices())
    }

    /// Says how many bytes came for each that was asked for.
    fn tell(&self, bench: &mut Bench<'_>, asked: f64) {
        match bytes_from_devices().zip(self.0) {
            Some((now, earlier)) => bench.count("device.bytes", now.saturating_sub(earlier) as f64, asked),
            None => bench.cannot_count("device.bytes", "/proc/self/io does not tell".to_owned()),
        }
    }
}

/// How many values a trial takes: as many as its time allows, between the fewest and the most.
struct TrialTime {
    clock: Clock,
    began: Moment,
    spend_ns: i64,
    values: (usize, usize),
}

impl TrialTime {
    /// From now on.
    fn begin(bench: &Bench<'_>, values: (usize, usize)) -> Self {
        let clock = Clock::select();
        Self {
            clock,
            began: clock.moment(),
            spend_ns: i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX),
            values,
        }
    }

    /// Whether another value is to be taken when there are so many.
    fn is_left(&self, values: usize) -> bool {
        let (fewest, most) = self.values;
        values < most && (values < fewest || self.clock.moment().nanos_since(self.began) < self.spend_ns)
    }
}
