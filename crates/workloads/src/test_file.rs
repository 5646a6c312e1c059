//! The test file: random, synced data, written once per run; files and mappings of it are read.

use measure::{Bench, Failure};
use record::Directory;
use std::ops::Range;
use std::path::{Path, PathBuf};
use sys::cachestat;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::temporary::{FileSystem, TemporaryFile};

/// Bytes of a block, as in most file systems and the reports.
pub const BLOCK: usize = 4096;

/// The failure of a content check.
pub const WRONG_DATA: &str = "a block of the file does not hold what was written to it";

/// The seed of its data, the same in all workers and runs, so that each can verify what another wrote.
const SEED: u64 = 0x05c0_9e5e_ed00_0001;

/// Bytes of a write that fills it and of a read that caches it: large, for the largest folios of the file system.
const PIECE: usize = 1 << 20;

/// The file takes at most one part in this many of the free space, and at most this many bytes.
const SHARE: u64 = 10;
const MAX_BYTES: u64 = 2 << 30;

/// The share of a file larger than memory (thorough profile only).
const LARGE_SHARE: u64 = 4;

/// Its lengths: it grows to the next as needed and never shrinks.
const LENGTHS: [u64; 3] = [64 << 20, 256 << 20, 1 << 30];

/// The same on a remote file system.
const REMOTE_LENGTHS: [u64; 2] = [16 << 20, 64 << 20];

/// The remedy where there is no device.
pub const NO_DISK: &str = "name a directory on a disk of this machine with --dir";

/// The smallest of some lengths that has this many bytes.
fn suitable_length(bytes: u64, lengths: &[u64]) -> u64 {
    let suitable = lengths.iter().copied().find(|length| *length >= bytes);
    suitable.unwrap_or(bytes)
}

/// The part of the file that a point reads: its last bytes, so that readahead cannot go beyond.
#[derive(Debug)]
pub struct TestFile {
    /// The file, open for cached reads.
    pub file: TemporaryFile,
    /// The byte range that is read.
    pub range: Range<u64>,
    /// Its path.
    path: PathBuf,
    /// Opens it once more.
    open: Opener,
    /// What helps where it cannot be opened with O_DIRECT.
    direct_remedy: &'static str,
}

/// Opens a file by its path.
type Opener = fn(&Path, CacheMode, u64) -> sys::Result<TemporaryFile>;

const DIRECT_REMEDY: &str = "name a directory on ext4, xfs or btrfs with --dir";

const REMOTE_DIRECT_REMEDY: &str = "mount it with a client that supports O_DIRECT (NFS or SMB in the kernel, sshfs), and name that directory with \
     --remote-dir";

/// Checks that a file may grow by `more` bytes.
///
/// # Errors
/// A skip, when that exceeds its share of the free space.
pub fn check_space(system: FileSystem, more: u64) -> Result<(), Failure> {
    let allowed = (system.free / SHARE).min(MAX_BYTES);
    if more <= allowed {
        return Ok(());
    }
    Err(no_space(more, "a tenth", system.free))
}

/// The same for a file larger than memory.
fn check_space_of_large_file(system: FileSystem, more: u64) -> Result<(), Failure> {
    if more <= system.free / LARGE_SHARE {
        return Ok(());
    }
    Err(no_space(more, "a quarter", system.free))
}

fn no_space(more: u64, share: &str, free: u64) -> Failure {
    let bytes = |bytes: u64| quantity::show_bytes(quantity::Bytes::from_bytes(bytes));
    Failure::skipped(
        format!("needs {} for its file; at most {share} of the {} free is used", bytes(more), bytes(free)),
        "name a directory with more free space with --dir or --remote-dir",
    )
}

/// A write error, as a skip where space or permission is missing.
pub fn write_error(error: sys::Error) -> Failure {
    // ENOSPC, EDQUOT, EFBIG, EROFS of errno(3), which are the same on both architectures.
    match error.errno {
        28 | 122 | 27 | 30 => Failure::skipped(
            format!("the file cannot be written: {error}"),
            "name a writable directory with free space with --dir or --remote-dir",
        ),
        _ => Failure::from(error),
    }
}

impl TestFile {
    /// The last `bytes` of the file, which is extended as needed.
    ///
    /// # Errors
    /// When there is no directory, no space, or the device fails.
    pub fn of(bench: &Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        Self::at(bench.directory()?, bytes, &LENGTHS)
    }

    /// The same on a remote file system.
    ///
    /// # Errors
    /// When no such directory was named, or as for [`TestFile::of`].
    pub fn remote(bench: &Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        let path = &bench.remote_directory()?.test_file;
        let file = Self::written_once(path, suitable_length(bytes, &REMOTE_LENGTHS))?;
        let length = file.length() as u64;
        Ok(Self {
            range: length - bytes..length,
            path: path.clone(),
            file,
            open: TemporaryFile::open_to_read,
            direct_remedy: REMOTE_DIRECT_REMEDY,
        })
    }

    /// A file with a name and at least `wanted` bytes, open to read. A shorter one, as a killed worker leaves, is
    /// replaced: not every client can write to a file that it did not just create (GVfs on NFS), or remove one that is
    /// open (smbnetfs).
    fn written_once(path: &Path, wanted: u64) -> Result<TemporaryFile, Failure> {
        let length = std::fs::metadata(path).ok().map(|found| found.len());
        if length.is_some_and(|length| length < wanted) {
            std::fs::remove_file(path).map_err(|error| {
                Failure::Failed(format!("{}: too short, and not removed: {error}", path.display()))
            })?;
        }
        if length.is_none_or(|length| length < wanted) {
            let mut file = TemporaryFile::create(path, SEED).map_err(write_error)?;
            let system = file.file_system()?;
            if system.reports_size {
                check_space(system, wanted)?;
            }
            file.fill(wanted as usize, PIECE, SEED).map_err(write_error)?;
            file.flush()?;
        }
        Ok(TemporaryFile::open_to_read(path, CacheMode::Cached, SEED)?)
    }

    /// The same on a device for a file larger than memory, in up to a quarter of the free space.
    ///
    /// # Errors
    /// When there is no device or not enough space.
    pub fn larger_than_memory(bench: &mut Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        Self::grown(bench.directory()?, bytes, bytes, check_space_of_large_file)?.with_extents(bench)
    }

    /// The same for a file of at most `most` bytes: as large as a quarter of the free space allows, in whole GiB.
    ///
    /// # Errors
    /// When there is no device, or not enough space for one GiB.
    pub fn as_large_as_allowed(bench: &mut Bench<'_>, most: u64) -> Result<Self, Failure> {
        let path = &bench.directory()?.test_file;
        let file = TemporaryFile::reopen(path, CacheMode::Cached, SEED)?;
        let allowed = file.length() as u64 + file.file_system()?.free / LARGE_SHARE;
        let bytes = (allowed.min(most) >> 30 << 30).max(1 << 30);
        Self::larger_than_memory(bench, bytes)
    }

    fn at(directory: &Directory, bytes: u64, lengths: &[u64]) -> Result<Self, Failure> {
        Self::grown(directory, bytes, suitable_length(bytes, lengths), check_space)
    }

    /// The last `bytes` of the file, which is first extended to `wanted` bytes if there is space.
    fn grown(
        directory: &Directory,
        bytes: u64,
        wanted: u64,
        check_space: fn(FileSystem, u64) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let path = &directory.test_file;
        let mut file = TemporaryFile::reopen(path, CacheMode::Cached, SEED)?;
        if (file.length() as u64) < wanted {
            // A killed worker may have left a partial piece.
            let whole = file.length() / PIECE * PIECE;
            file.stretch(whole)?;
            check_space(file.file_system()?, wanted - whole as u64)?;
            file.fill(wanted as usize, PIECE, SEED).map_err(write_error)?;
            file.flush()?;
        }
        let length = file.length() as u64;
        Ok(Self {
            range: length - bytes..length,
            path: path.clone(),
            file,
            open: TemporaryFile::reopen,
            direct_remedy: DIRECT_REMEDY,
        })
    }

    /// The same, on a local device.
    ///
    /// # Errors
    /// A skip, when the directory is not on a local device.
    pub fn on_device(bench: &mut Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        Self::of(bench, bytes)?.with_extents(bench)
    }

    /// Counts the bytes with extents on a device.
    fn with_extents(self, bench: &mut Bench<'_>) -> Result<Self, Failure> {
        let kind = self.file.file_system()?.name();
        let extents = self.file.extents().map_err(|error| {
            Failure::skipped(
                format!("{kind} is not on a disk, or does not report extents ({error})"),
                NO_DISK,
            )
        })?;
        let length = self.file.length() as f64;
        bench.count("file.on_disk", (extents.mapped as f64).min(length), length);
        Ok(self)
    }

    /// Reopens it: a descriptor without readahead state.
    ///
    /// # Errors
    /// When it cannot be read with O_DIRECT.
    pub fn reopen(&self, way: CacheMode) -> Result<TemporaryFile, Failure> {
        let opened = (self.open)(&self.path, way, SEED);
        let file = opened.map_err(|error| match way {
            CacheMode::Direct => {
                Failure::skipped(format!("O_DIRECT is not supported here ({error})"), self.direct_remedy)
            }
            CacheMode::Cached => Failure::from(error),
        })?;
        if way == CacheMode::Direct {
            let alignment = direct::alignment(file.descriptor())?;
            if alignment.offset > BLOCK || alignment.memory > BLOCK {
                return Err(Failure::skipped(
                    format!(
                        "O_DIRECT requires multiples of {} bytes here",
                        alignment.offset.max(alignment.memory)
                    ),
                    "name a directory on a device with blocks of at most 4 KiB with --dir",
                ));
            }
        }
        Ok(file)
    }

    /// Drops the file's cache and reads the range in order by large reads, for the same folios in every trial.
    ///
    /// # Errors
    /// When a read fails.
    pub fn fill_cache(&self) -> Result<(), Failure> {
        self.file.drop_cache()?;
        let mut buffer = Mapping::private(PIECE)?;
        let mut at = self.range.start;
        while at < self.range.end {
            let length = (self.range.end - at).min(PIECE as u64) as usize;
            let piece = buffer.bytes_mut().get_mut(..length).unwrap_or_default();
            let read = direct::read_at(self.file.descriptor(), piece, at);
            if read != length as isize || !self.file.is_block(piece, at) {
                return Err(Failure::Failed(WRONG_DATA.to_owned()));
            }
            at += length as u64;
        }
        Ok(())
    }

    /// Cached pages of the range, and all its pages.
    ///
    /// # Errors
    /// When the kernel does not report them.
    pub fn cached_pages(&self) -> Result<(u64, u64), Failure> {
        let page = sys::memory::page_size() as u64;
        let present = cachestat::of(self.file.descriptor(), self.range.clone())?.present;
        Ok((present, (self.range.end - self.range.start).div_ceil(page)))
    }

    /// Drops the cache of the file; whether nothing of the range remains. Retries for pages in use.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn drop_cache(&self) -> Result<bool, Failure> {
        for _ in 0..8 {
            self.file.drop_cache()?;
            if self.cached_pages()?.0 == 0 {
                return Ok(true);
            }
            self.file.flush()?;
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn file_takes_at_most_a_tenth_of_free_space() {
        let system = |free| FileSystem { magic: 0xef53, free, reports_size: true };
        assert!(check_space(system(1 << 30), 100 << 20).is_ok());
        assert!(matches!(check_space(system(1 << 30), 110 << 20), Err(Failure::Skipped(_))));
        assert!(check_space(system(1 << 40), MAX_BYTES + 1).is_err());
    }

    #[test]
    fn remote_file_is_written_once_and_replaced_when_too_short() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test-file");
        let number = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&path).unwrap());
        // What a killed worker left.
        std::fs::write(&path, "part").unwrap();
        let written = TestFile::written_once(&path, 1 << 20).unwrap();
        let first = number();
        let mut block = [0; BLOCK];
        direct::read_at(written.descriptor(), &mut block, 1 << 19);
        assert!(written.is_block(&block, 1 << 19));
        assert!(direct::write_at(written.descriptor(), &block, 0) < 0);
        assert_eq!(TestFile::written_once(&path, 1 << 12).unwrap().length(), 1 << 20);
        assert_eq!(number(), first);
        assert_eq!(TestFile::written_once(&path, 2 << 20).unwrap().length(), 2 << 20);
    }

    #[test]
    fn full_disk_skips_and_io_error_fails() {
        let error = |errno| sys::Error { call: "pwrite64", errno };
        assert!(matches!(write_error(error(28)), Failure::Skipped(_)));
        assert!(matches!(write_error(error(5)), Failure::Failed(_)));
    }
}
