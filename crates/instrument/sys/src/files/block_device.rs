//! What the kernel counts of the block device that holds a file: requests, bytes, flushes of its cache.

use crate::descriptor::Descriptor;
use rustix::fs::{fstat, major, minor};
use std::path::PathBuf;

/// Counts since the machine was started, of all programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Requests that have read or written, after neighbours were merged.
    pub requests: u64,
    /// Bytes written.
    pub written: u64,
    /// Flushes of the device's cache.
    pub flushes: u64,
}

/// Fields of `/sys/dev/block/*/stat` (Documentation/block/stat.rst): requests and sectors of 512 bytes.
const READS: usize = 0;
const WRITES: usize = 4;
const WRITTEN_SECTORS: usize = 6;
const FLUSHES: usize = 15;
const SECTOR: u64 = 512;

impl Counts {
    fn parse(stat: &str) -> Option<Self> {
        let fields: Vec<u64> = stat.split_whitespace().map_while(|field| field.parse().ok()).collect();
        let field = |index: usize| fields.get(index).copied();
        Some(Self {
            requests: field(READS)? + field(WRITES)?,
            written: field(WRITTEN_SECTORS)? * SECTOR,
            flushes: field(FLUSHES)?,
        })
    }

    /// What was counted since an earlier moment.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            written: self.written.saturating_sub(earlier.written),
            flushes: self.flushes.saturating_sub(earlier.flushes),
        }
    }
}

/// The whole block device that holds a file.
#[derive(Debug, Clone)]
pub struct BlockDevice {
    folder: PathBuf,
}

impl BlockDevice {
    /// The device of a file; otherwise why its counts are not available.
    ///
    /// # Errors
    /// A reason, where the file system names no device, or the kernel keeps no counts.
    pub fn holding(file: &Descriptor) -> Result<Self, &'static str> {
        let device = fstat(file).map_err(|_| "the device of the file cannot be found (fstat)")?.st_dev;
        let part = PathBuf::from(format!("/sys/dev/block/{}:{}", major(device), minor(device)));
        let is_partition = part.join("partition").exists();
        let folder = if is_partition { part.join("..") } else { part };
        if !folder.join("stat").exists() {
            return Err("the file system names no block device in /sys/dev/block");
        }
        let device = Self { folder };
        // A device of bio requests has no such setting, and counts.
        if device.setting("iostats").is_some_and(|setting| setting == "0") {
            return Err("the device's counts are off (queue/iostats)");
        }
        Ok(device)
    }

    fn setting(&self, name: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.folder.join("queue").join(name)).ok()?;
        Some(text.trim().to_owned())
    }

    /// Whether the kernel can poll it for completions; true where the setting cannot be read.
    pub fn can_be_polled(&self) -> bool {
        self.setting("io_poll").is_none_or(|setting| setting != "0")
    }

    /// What was counted until now.
    ///
    /// # Errors
    /// A reason, where the kernel does not count flushes (before Linux 5.5).
    pub fn counts(&self) -> Result<Counts, &'static str> {
        let stat = std::fs::read_to_string(self.folder.join("stat"));
        let counts = stat.ok().as_deref().and_then(Counts::parse);
        counts.ok_or("/sys/dev/block counts no flushes before Linux 5.5")
    }

    /// Whether flushes are sent to the device and counted; otherwise why not.
    ///
    /// # Errors
    /// A reason.
    pub fn counts_flushes(&self) -> Result<(), &'static str> {
        let lies_on_others =
            std::fs::read_dir(self.folder.join("slaves")).is_ok_and(|mut slaves| slaves.next().is_some());
        if lies_on_others {
            return Err("the device lies on others (dm, md), for which the kernel counts no flushes");
        }
        match self.setting("write_cache").as_deref() {
            Some("write back") => Ok(()),
            _ => Err(
                "the device reports no volatile write cache (queue/write_cache): the kernel sends no flush",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::direct::sync_all;
    use crate::temporary::TemporaryFile;

    #[test]
    fn fields_are_those_of_the_kernel() {
        let stat = "  100 1 8 2 30 3 64 4 0 5 6 7 8 9 10 5 11\n";
        let counts = Counts { requests: 130, written: 64 * 512, flushes: 5 };
        assert_eq!(Counts::parse(stat), Some(counts));
        assert_eq!(Counts::parse("100 1 8 2 30 3 64 4 0 5 6"), None);
        assert_eq!(counts.since(Counts { requests: 100, ..Counts::default() }).requests, 30);
    }

    #[test]
    fn a_synced_file_is_counted_by_its_device() {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        let device = BlockDevice::holding(file.descriptor());
        if !programs::has("directory of temporary files on a block device", device.is_ok()) {
            return;
        }
        let device = device.unwrap();
        let earlier = device.counts().unwrap();
        file.fill(1 << 20, 4096, 3).unwrap();
        sync_all(file.descriptor()).unwrap();
        let counted = device.counts().unwrap().since(earlier);
        assert!(counted.written >= 1 << 20 && counted.requests >= 1, "{counted:?}");
        assert!(device.counts_flushes().is_err() || counted.flushes >= 1, "{counted:?}");
    }
}
