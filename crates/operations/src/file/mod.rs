//! Files: reads, writes and syncs, names, the kernel's cache, contention, in the directory that the user names.

pub mod cache_size;
pub mod contention;
pub mod durable;
pub mod lookup;
mod machine_cache;
pub mod memory_group;
pub mod names;
pub mod read;
pub mod remote;
pub mod second_read;
pub mod stock;
pub mod target;
pub mod walk;
pub mod write;

use measure::{Area, Bench, Failure, Operation, Point};
use record::Need;
use sys::temporary::bytes_from_devices;

/// Bytes of a block: the unit of most file systems and of the reports.
pub const BLOCK: usize = 4096;

/// What is said of data that differs from what was written.
pub const RIGHT_DATA: &str = "a block of the file does not hold what was written to it";

/// What the operations on files have in common.
pub const COMMON: Operation = Operation {
    area: Area::File,
    needs: |_: &Point| vec![Need::Directory],
    ..Operation::NEW
};

/// The value of a parameter that is a size.
///
/// # Errors
/// When it is missing or no size.
pub fn size_of(point: &Point, name: &str) -> Result<u64, Failure> {
    let text = point.get(name).unwrap_or_default();
    quantity::parse_bytes(text)
        .map(quantity::Bytes::bytes)
        .map_err(|_| Failure::Failed(format!("the point needs a size {name}=64KiB")))
}

/// Bytes that this process had read from devices, around some work.
pub struct DeviceBytes(Option<u64>);

impl DeviceBytes {
    /// From now on, with the program itself in memory: what comes of it from a device counts, too.
    pub fn begin() -> Self {
        sys::program::bring_in();
        Self(bytes_from_devices())
    }

    /// Says how many bytes came for each that was asked for.
    pub fn tell(&self, bench: &mut Bench<'_>, asked: f64) {
        match bytes_from_devices().zip(self.0) {
            Some((now, earlier)) => bench.count("device.bytes", now.saturating_sub(earlier) as f64, asked),
            None => bench.cannot_count("device.bytes", "/proc/self/io does not tell".to_owned()),
        }
    }
}
