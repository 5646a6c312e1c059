//! Bytes that devices read for this process, and what the kernel counts of the device of a file.

use measure::Bench;
use sys::block_device::{BlockDevice, Counts};
use sys::descriptor::Descriptor;
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

/// The kernel's counts of the device of a file at the start. Other programs are counted, too: a count proves that at least
/// as much was done.
pub struct DeviceCounts(Result<(BlockDevice, Counts), &'static str>);

impl DeviceCounts {
    /// Starts counting.
    pub fn start(file: &Descriptor) -> Self {
        Self(BlockDevice::holding(file).and_then(|device| {
            let counts = device.counts()?;
            Ok((device, counts))
        }))
    }

    fn since_start(&self) -> Result<(&BlockDevice, Counts), &'static str> {
        let (device, earlier) = self.0.as_ref().map_err(|reason| *reason)?;
        Ok((device, device.counts()?.since(*earlier)))
    }

    /// Counts the requests since then, per expected request, and the bytes written, per requested byte, if any.
    pub fn count(&self, bench: &mut Bench<'_>, requests: f64, written: f64) {
        let found = self.since_start().map(|(_, counts)| counts);
        bench.try_count("device.requests", found.map(|counts| counts.requests as f64), requests);
        if written > 0.0 {
            bench.try_count("device.written", found.map(|counts| counts.written as f64), written);
        }
    }

    /// Flushes of the device's cache since then.
    ///
    /// # Errors
    /// A reason, where the kernel sends none or counts none.
    pub fn flushes(&self) -> Result<f64, &'static str> {
        let (device, counts) = self.since_start()?;
        device.counts_flushes()?;
        Ok(counts.flushes as f64)
    }

    /// Counts the flushes since then, per sync.
    pub fn count_flushes(&self, bench: &mut Bench<'_>, syncs: f64) {
        bench.try_count("device.flushes", self.flushes(), syncs);
    }
}
