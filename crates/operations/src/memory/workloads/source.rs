//! Where faults on files get their file: a temporary one, on a real disk where that matters.

use measure::{Bench, Failure};
use std::path::PathBuf;
use sys::memory::page_size;
use sys::pages::{Advice, Pages, Sharing};
use sys::temporary::{Extents, FileSystem, TemporaryFile, bytes_from_devices};

/// Bytes of the file: some thousand pages.
pub const LENGTH: usize = 16 << 20;

/// One of so many shares of what is free is taken at most.
const SHARE: u64 = 64;

/// The directories that are tried, in this order.
fn directories() -> Vec<PathBuf> {
    let told = std::env::var_os("TMPDIR").map(PathBuf::from);
    told.into_iter()
        .chain(["/tmp", "/var/tmp"].map(PathBuf::from))
        .collect()
}

/// Why a directory will not do.
fn refusal(directory: &std::path::Path, why: impl std::fmt::Display) -> String {
    format!("{}: {why}", directory.display())
}

/// A file of [`LENGTH`] random bytes in the first directory that `suits`.
fn first(
    piece: usize,
    seed: u64,
    suits: impl Fn(&TemporaryFile, FileSystem) -> Result<(), String>,
) -> Result<TemporaryFile, Failure> {
    let mut refusals = Vec::new();
    for directory in directories() {
        let made = (|| {
            let mut file = TemporaryFile::new(&directory).map_err(|error| error.to_string())?;
            let system = file.file_system().map_err(|error| error.to_string())?;
            if (LENGTH as u64) > system.free / SHARE {
                return Err(format!("16 MiB are more than a {SHARE}th of what is free there"));
            }
            file.fill(LENGTH, piece, seed)
                .map_err(|error| error.to_string())?;
            suits(&file, system)?;
            Ok(file)
        })();
        match made {
            Ok(file) => return Ok(file),
            Err(why) => refusals.push(refusal(&directory, why)),
        }
    }
    Err(Failure::skipped(
        format!("no directory has room for its file ({})", refusals.join("; ")),
        "set TMPDIR to a directory on a local disk that may be written and has a gigabyte free",
    ))
}

/// A file in the cache, on any file system, written by calls of `piece` bytes.
pub fn cached(piece: usize, seed: u64) -> Result<TemporaryFile, Failure> {
    first(piece, seed, |_, _| Ok(()))
}

/// A file on a real disk, flushed to it.
pub fn on_disk(seed: u64) -> Result<TemporaryFile, Failure> {
    first(page_size(), seed, |file, system| {
        file.flush().map_err(|error| error.to_string())?;
        let name = system.name();
        match file.extents() {
            Ok(extents) if covers(extents, file.length()) => Ok(()),
            Ok(_) => Err(format!(
                "the file on {name} has no extents of its own on a device"
            )),
            Err(error) => Err(format!(
                "{name} is no disk of this machine, or does not tell ({error})"
            )),
        }
    })
}

/// Whether all of a file is on a device.
fn covers(extents: Extents, length: usize) -> bool {
    extents.mapped >= length as u64
}

/// Says where the file is: how much of it has extents, and the number of its file system's kind.
pub fn describe(bench: &mut Bench<'_>, file: &TemporaryFile) {
    let mapped = file.extents().map_or(0, |extents| extents.mapped);
    bench.count(
        "file.on_disk",
        (mapped as f64).min(file.length() as f64),
        file.length() as f64,
    );
    if let Ok(system) = file.file_system() {
        bench.count("file.system.magic", system.magic as f64, 1.0);
    }
}

/// A file on a disk that is mapped, whose cache can be emptied.
pub struct Emptied {
    file: TemporaryFile,
    pages: Pages,
    looked: f64,
    empty: f64,
}

impl Emptied {
    pub fn new(bench: &mut Bench<'_>) -> Result<Self, Failure> {
        let file = on_disk(bench.seed())?;
        describe(bench, &file);
        let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
        pages.advise(0..file.length(), Advice::Random)?;
        Ok(Self {
            file,
            pages,
            looked: 0.0,
            empty: 0.0,
        })
    }

    pub fn length(&self) -> usize {
        self.pages.length()
    }

    /// Advises the kernel how the file will be read.
    pub fn advise(&self, advice: Advice) -> Result<(), Failure> {
        Ok(self.pages.advise(0..self.pages.length(), advice)?)
    }

    /// Says how often the cache was looked at and found empty.
    pub fn tell(&self, bench: &mut Bench<'_>) {
        bench.count("cache.emptied", self.empty, self.looked);
    }

    pub fn empty(&mut self) -> Result<(), Failure> {
        self.pages.advise(0..self.pages.length(), Advice::DontNeed)?;
        Ok(self.file.drop_cache()?)
    }

    /// Looks whether a range is in the cache.
    pub fn look(&mut self, range: std::ops::Range<usize>) -> Result<(), Failure> {
        self.looked += 1.0;
        self.empty += f64::from(u8::from(self.pages.resident(range)? == 0));
        Ok(())
    }

    #[inline(always)]
    pub fn touch(&self, offset: usize) -> bool {
        self.pages.read(offset) == Some(self.file.word(offset as u64 / 8))
    }
}

/// Says what the device gave since an earlier reading.
pub fn count_bytes(bench: &mut Bench<'_>, earlier: Option<u64>, touches: u64) {
    match bytes_from_devices().zip(earlier) {
        Some((now, earlier)) => bench.count("device.bytes", (now - earlier) as f64, touches as f64),
        None => bench.cannot_count("device.bytes", "/proc/self/io does not tell".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_does_not_suit_is_refused_with_every_directory_named() {
        let refused = first(4096, 1, |_, _| Err("too blue".to_owned())).unwrap_err();
        let text = refused.to_string();
        assert!(text.contains("/var/tmp:") && text.contains("too blue"), "{text}");
        assert!(matches!(refused, Failure::Skipped(_)));
    }

    #[test]
    fn a_file_with_a_hole_is_not_on_a_disk() {
        let half = Extents {
            count: 1,
            mapped: LENGTH as u64 / 2,
        };
        assert!(!covers(half, LENGTH));
    }
}
