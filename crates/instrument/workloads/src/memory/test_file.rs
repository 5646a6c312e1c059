//! The temporary file of page faults on files, on a device where needed.

use crate::test_file::{Room, TestFile, count_on_disk};
use measure::{Bench, Failure, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;
use sys::cachestat;
use sys::memory::page_size;
use sys::pages::{Advice, Pages, Sharing};
use sys::temporary::{Extents, FileSystem, TemporaryFile};

/// Bytes of the file: some thousand pages.
pub const LENGTH: usize = 16 << 20;

/// Attempts to drop a cache of which some pages are in use.
const MAX_DROPS: usize = 8;

/// The file takes at most one part in this many of the free space.
const SHARE: u64 = 64;

/// Candidate directories, in order.
fn directories() -> impl Iterator<Item = PathBuf> {
    let temporary = std::env::var_os("TMPDIR").map(PathBuf::from);
    temporary.into_iter().chain(["/tmp", "/var/tmp"].map(PathBuf::from))
}

/// An empty file in a directory with enough free space, and its file system.
fn create_in(directory: &Path, length: usize) -> Result<(TemporaryFile, FileSystem), String> {
    let file = TemporaryFile::new(directory).map_err(|error| error.to_string())?;
    let system = file.file_system().map_err(|error| error.to_string())?;
    if Room::on(system, false).free.is_some_and(|free| (length as u64) > free / SHARE) {
        let what = if system.is_in_memory() { "the memory available" } else { "its free space" };
        return Err(format!("{length} bytes exceed 1/{SHARE} of {what}"));
    }
    Ok((file, system))
}

/// A file of `length` random bytes in the first suitable directory.
fn create_in_first(
    length: usize,
    write_size: usize,
    seed: u64,
    check: impl Fn(&TemporaryFile, FileSystem) -> Result<(), String>,
) -> Result<TemporaryFile> {
    let mut rejections = Vec::new();
    for directory in directories() {
        let made = create_in(&directory, length).and_then(|(mut file, system)| {
            file.fill(length, write_size, seed).map_err(|error| error.to_string())?;
            check(&file, system).map(|()| file)
        });
        match made {
            Ok(file) => return Ok(file),
            Err(why) => rejections.push(format!("{}: {why}", directory.display())),
        }
    }
    Err(Failure::skipped(
        format!("no suitable directory for a file of {length} bytes ({})", rejections.join("; ")),
        "set TMPDIR to a writable directory on a local disk with 1 GiB free",
    ))
}

/// A cached file on any file system, filled by writes of `write_size` bytes.
pub fn cached(write_size: usize, seed: u64) -> Result<TemporaryFile> {
    create_in_first(LENGTH, write_size, seed, |_, _| Ok(()))
}

/// A file on a device, flushed.
pub fn on_device(length: usize, seed: u64) -> Result<TemporaryFile> {
    create_in_first(length, page_size(), seed, |file, system| {
        file.flush().map_err(|error| error.to_string())?;
        let name = system.name();
        match file.extents() {
            Ok(extents) if covers(extents, file.length()) => Ok(()),
            Ok(_) => Err(format!("files on {name} have no extents on a device")),
            Err(error) => Err(format!("{name} is not on a local disk, or does not report extents ({error})")),
        }
    })
}

/// Whether extents cover a whole file.
fn covers(extents: Extents, length: usize) -> bool {
    extents.mapped >= length as u64
}

/// A mapped file on a device, whose page cache can be dropped.
pub struct ColdFile {
    file: TemporaryFile,
    pages: Pages,
    /// Where the part begins that is touched.
    begin: usize,
    checks: f64,
    cold: f64,
}

impl ColdFile {
    /// Makes the file, or says why this machine cannot have a cold one.
    pub fn new(bench: &mut Bench<'_>) -> Result<Self> {
        let file = on_device(LENGTH, bench.seed())?;
        count_on_disk(bench, &file)?;
        bench.count("file.system.magic", file.file_system()?.magic as f64, 1.0);
        Self::map(file, 0)
    }

    /// The end of the run's test file.
    pub fn of_run(test_file: TestFile) -> Result<Self> {
        let begin = test_file.range.start as usize;
        Self::map(test_file.file, begin)
    }

    fn map(file: TemporaryFile, begin: usize) -> Result<Self> {
        let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
        pages.advise(0..file.length(), Advice::Random)?;
        Ok(Self { file, pages, begin, checks: 0.0, cold: 0.0 })
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
        self.pages.length() - self.begin
    }

    /// madvise for the whole mapping.
    pub fn advise(&self, advice: Advice) -> Result<()> {
        Ok(self.pages.advise(0..self.pages.length(), advice)?)
    }

    /// Counts the checks that found the cache cold.
    pub fn count_cold(&self, bench: &mut Bench<'_>) {
        bench.count("cache.emptied", self.cold, self.checks);
    }

    /// Drops it from the page cache.
    pub fn drop_cache(&mut self) -> Result<()> {
        self.pages.advise(0..self.pages.length(), Advice::DontNeed)?;
        Ok(self.file.drop_cache()?)
    }

    /// The same until nothing of the file remains: pages may still be read ahead, which mincore does not count, or belong to the
    /// journal until a flush.
    pub fn drop_all(&mut self) -> Result<()> {
        for attempt in 0..MAX_DROPS {
            self.drop_cache()?;
            let range = self.begin as u64..self.pages.length() as u64;
            if cachestat::query(self.file.descriptor(), range)?.present == 0 {
                break;
            }
            self.file.flush()?;
            std::thread::sleep(Duration::from_millis(1 << attempt));
        }
        Ok(())
    }

    /// Checks that a range is not cached.
    pub fn check_cold(&mut self, range: std::ops::Range<usize>) -> Result<()> {
        self.checks += 1.0;
        let range = self.begin + range.start..self.begin + range.end;
        self.cold += f64::from(u8::from(self.pages.resident(range)? == 0));
        Ok(())
    }

    /// Reads the byte at an offset through the mapping; gives whether it is right.
    #[inline(always)]
    pub fn touch(&self, offset: usize) -> bool {
        let offset = self.begin + offset;
        self.pages.read(offset) == Some(self.file.word(offset as u64 / 8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skip_names_every_rejected_directory() {
        let skipped = create_in_first(4096, 4096, 1, |_, _| Err("read-only".to_owned())).unwrap_err();
        let text = skipped.to_string();
        assert!(text.contains("/var/tmp:") && text.contains("read-only"), "{text}");
        assert!(matches!(skipped, Failure::Skipped(_)));
    }

    #[test]
    fn sparse_file_is_not_on_a_device() {
        let half = Extents { count: 1, mapped: LENGTH as u64 / 2 };
        assert!(!covers(half, LENGTH));
    }
}
