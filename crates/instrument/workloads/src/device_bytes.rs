//! Bytes that devices read for this process.

use measure::Bench;
use sys::temporary::bytes_from_devices;

/// The kernel's count at the start.
pub struct DeviceBytes(Option<u64>);

impl DeviceBytes {
    /// Starts counting, with the program itself resident, whose pages would count.
    pub fn start() -> Self {
        sys::program::prefault();
        Self(bytes_from_devices())
    }

    /// Counts the bytes since then, per requested byte or page.
    pub fn count(&self, bench: &mut Bench<'_>, requested: f64) {
        let bytes = bytes_from_devices().zip(self.0).map(|(now, before)| now.saturating_sub(before) as f64);
        bench.try_count("device.bytes", bytes.ok_or("/proc/self/io cannot be read"), requested);
    }
}
