//! The test file: random, synced data, written once per run; files and mappings of it are read.

use measure::{Bench, Failure, Result};
use record::Directory;
use std::ops::Range;
use std::path::{Path, PathBuf};
use sys::cachestat;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::remedies::Context;
use sys::temporary::{FileSystem, TemporaryFile};

/// Bytes of a block, as in most file systems, and in R0, 6.2.1, and R3, 6.2.1.
pub const BLOCK: usize = 4096;

/// The failure of a content check.
pub const WRONG_DATA: &str = "a block of the file does not hold what was written to it";

/// The seed of its data, the same in all workers and runs, so that each can verify what another wrote.
const SEED: u64 = 0x05c0_9e5e_ed00_0001;

/// Bytes of a write that fills it and of a read that caches it: large, for the largest folios of the file system.
const PIECE: usize = 1 << 20;

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
    /// Whether it is on a remote file system.
    is_remote: bool,
}

/// What helps where it cannot be opened with O_DIRECT, on a local file system and on a remote one.
const DIRECT_REMEDY: &str = "name a directory on ext4, xfs or btrfs with --dir";

const REMOTE_DIRECT_REMEDY: &str = "mount it with a client that supports O_DIRECT (NFS or SMB in the kernel, sshfs), and name that directory with \
     --remote-dir";

/// What files can still take where they lie.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes; `None` where nothing reports them, as some clients of remote file systems.
    pub free: Option<u64>,
    /// Whether files there are in memory: then it is bounded by the memory that is available, also in a control group.
    is_memory: bool,
    /// Whether that memory is the less: a file system in memory has a size of its own, and may be full before.
    is_limited_by_memory: bool,
}

impl Room {
    /// The room on a file system, whose files may be known to be in memory.
    pub fn on(system: FileSystem, in_memory: bool) -> Self {
        let is_memory = in_memory || system.is_in_memory();
        let available = if is_memory { sys::memory::available() } else { None };
        Self::bounded(system, is_memory, available.map(|bytes| bytes as u64))
    }

    fn bounded(system: FileSystem, is_memory: bool, available: Option<u64>) -> Self {
        let free = system.reports_size.then_some(system.free);
        let is_limited_by_memory =
            available.is_some_and(|available| free.is_none_or(|free| available < free));
        Self { free: free.into_iter().chain(available).min(), is_memory, is_limited_by_memory }
    }
}

/// How much of the free space a file may take.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    /// At most one part in this many.
    parts: u64,
    /// The name of that part.
    name: &'static str,
    /// Bytes at most.
    most: u64,
}

/// The allowance of most files, and that of a file larger than memory (thorough profile only).
const USUAL: Allowance = Allowance { parts: 10, name: "a tenth", most: 2 << 30 };
const LARGE: Allowance = Allowance { parts: 4, name: "a quarter", most: u64::MAX };

impl Allowance {
    /// Bytes that a file may take of this room; `None` where nothing bounds them.
    fn of(self, room: Room) -> Option<u64> {
        Some((room.free? / self.parts).min(self.most))
    }

    /// Checks that files in this directory, with this room, may grow by `more` bytes.
    fn check(self, room: Room, more: u64, place: &Path) -> Result<()> {
        let (Some(free), Some(allowed)) = (room.free, self.of(room)) else { return Ok(()) };
        if more <= allowed {
            return Ok(());
        }
        let [needs, free] =
            [more, free].map(|bytes| quantity::show_bytes(quantity::Bytes::from_bytes(bytes)));
        let place = place.display();
        Err(match room.is_limited_by_memory {
            true => Failure::skipped(
                format!(
                    "needs {needs} of memory, in which files in {place} are; at most {} of the {free} available is used",
                    self.name
                ),
                "name a directory on a disk with --dir, or raise the memory limit (memory.max)",
            ),
            false => Failure::skipped(
                format!(
                    "needs {needs} for its file; at most {} of the {free} free in {place} is used",
                    self.name
                ),
                "free space there, or name a directory with more free space with --dir or --remote-dir",
            ),
        })
    }

    /// Extends a file to at least `length` bytes of random data, synced, by writes of `piece` bytes.
    fn extend(
        self,
        file: &mut TemporaryFile,
        directory: &Directory,
        length: u64,
        piece: usize,
        seed: u64,
    ) -> Result<()> {
        if (file.length() as u64) < length {
            // A killed worker may have left a partial piece.
            let whole = file.length() / piece * piece;
            file.stretch(whole)?;
            let room = Room::on(file.file_system()?, directory.in_memory);
            self.check(room, length - whole as u64, &directory.path)?;
            file.fill(length as usize, piece, seed).map_err(write_error)?;
            file.flush()?;
        }
        Ok(())
    }
}

/// Extends a file in a directory to at least `length` bytes of random data, synced, by writes of `piece` bytes.
///
/// # Errors
/// A skip, when that exceeds its share of the free space, or of memory.
pub fn extend(
    file: &mut TemporaryFile,
    directory: &Directory,
    length: u64,
    piece: usize,
    seed: u64,
) -> Result<()> {
    USUAL.extend(file, directory, length, piece, seed)
}

/// Bytes that a name and its inode take, at most.
const NAME: u64 = 2048;

/// Checks that this many files of `bytes` bytes each may be made in a directory, if its files are in memory: a disk that
/// is full says so when they are made.
///
/// # Errors
/// A skip, when they exceed their share of memory.
pub fn check_memory(directory: &Directory, files: u64, bytes: u64) -> Result<()> {
    let room = Room::on(FileSystem::containing(&directory.path)?, directory.in_memory);
    let more = files.saturating_mul(NAME + bytes.next_multiple_of(BLOCK as u64));
    if room.is_memory { USUAL.check(room, more, &directory.path) } else { Ok(()) }
}

/// Checks that files of `bytes` bytes may be made in a directory.
///
/// # Errors
/// A skip, when they exceed their share of the free space, or of memory.
pub fn check_room(directory: &Directory, bytes: u64) -> Result<()> {
    let room = Room::on(FileSystem::containing(&directory.path)?, directory.in_memory);
    USUAL.check(room, bytes, &directory.path)
}

/// Counts the bytes of a file with extents on a device.
///
/// # Errors
/// A skip, when it is not on a local device.
pub fn count_on_disk(bench: &mut Bench<'_>, file: &TemporaryFile) -> Result<()> {
    let kind = file.file_system()?.name();
    let extents = file.extents().map_err(|error| {
        Failure::skipped(format!("{kind} is not on a disk, or does not report extents ({error})"), NO_DISK)
    })?;
    let length = file.length() as f64;
    bench.count("file.on_disk", (extents.mapped as f64).min(length), length);
    Ok(())
}

/// An error unless the block was read whole and has the file's content.
///
/// # Errors
/// That of the read, or a failure for the wrong data.
pub fn check_block(file: &TemporaryFile, read: isize, block: &[u8], offset: u64) -> Result<()> {
    sys::Error::check("pread64", read)?;
    Failure::unless(read == block.len() as isize && file.is_block(block, offset), WRONG_DATA)
}

/// A write error; where space or permission is missing, one that names the directory.
pub fn write_error(error: sys::Error) -> Failure {
    // ENOSPC, EDQUOT, EFBIG, EROFS of errno(3), which are the same on both architectures.
    match error.errno {
        28 | 122 | 27 | 30 => Failure::Unwritable(error),
        _ => Failure::of_call(error, Context::TestFile),
    }
}

/// The same for an error of the standard library in this call.
pub fn io_write_error(call: &'static str) -> impl Fn(std::io::Error) -> Failure {
    move |error| write_error(sys::Error { call, errno: error.raw_os_error().unwrap_or(0) })
}

impl TestFile {
    /// The last `bytes` of the file, which is extended as needed.
    ///
    /// # Errors
    /// When there is no directory, no space, or the device fails.
    pub fn with_length(bench: &Bench<'_>, bytes: u64) -> Result<Self> {
        Self::grown(bench.directory()?, bytes, suitable_length(bytes, &LENGTHS), USUAL)
    }

    /// The same on a local device.
    ///
    /// # Errors
    /// A skip, when the directory is not on a local device.
    pub fn on_device(bench: &mut Bench<'_>, bytes: u64) -> Result<Self> {
        let test_file = Self::with_length(bench, bytes)?;
        count_on_disk(bench, &test_file.file)?;
        Ok(test_file)
    }

    /// The same on a remote file system.
    ///
    /// # Errors
    /// When no such directory was named, or as for [`TestFile::with_length`].
    pub fn remote(bench: &Bench<'_>, bytes: u64) -> Result<Self> {
        let directory = bench.remote_directory()?;
        let file = Self::written_once(directory, suitable_length(bytes, &REMOTE_LENGTHS))?;
        Ok(Self::end_of(file, &directory.test_file, bytes, true))
    }

    /// A file with a name and at least `wanted` bytes, open to read. A shorter one, as a killed worker leaves, is
    /// replaced: not every client can write to a file that it did not just create (GVfs on NFS), or remove one that is
    /// open (smbnetfs).
    fn written_once(directory: &Directory, wanted: u64) -> Result<TemporaryFile> {
        let path = &directory.test_file;
        let length = std::fs::metadata(path).ok().map(|found| found.len());
        if length.is_some_and(|length| length < wanted) {
            std::fs::remove_file(path).map_err(|error| {
                Failure::failed(format!("{}: too short, and not removed: {error}", path.display()))
            })?;
        }
        if length.is_none_or(|length| length < wanted) {
            let mut file = TemporaryFile::create(path, SEED).map_err(write_error)?;
            extend(&mut file, directory, wanted, PIECE, SEED)?;
        }
        Ok(TemporaryFile::open_to_read(path, CacheMode::Cached, SEED)?)
    }

    /// The same on a device for a file larger than memory, in up to a quarter of the free space.
    ///
    /// # Errors
    /// When there is no device or not enough space.
    pub fn larger_than_memory(bench: &mut Bench<'_>, bytes: u64) -> Result<Self> {
        let test_file = Self::grown(bench.directory()?, bytes, bytes, LARGE)?;
        count_on_disk(bench, &test_file.file)?;
        Ok(test_file)
    }

    /// The same for a file of at most `most` bytes: as large as a quarter of the free space allows, in whole GiB.
    ///
    /// # Errors
    /// When there is no device, or not enough space for one GiB.
    pub fn as_large_as_allowed(bench: &mut Bench<'_>, most: u64) -> Result<Self> {
        let directory = bench.directory()?;
        let file = TemporaryFile::reopen(&directory.test_file, CacheMode::Cached, SEED)?;
        let more = LARGE.of(Room::on(file.file_system()?, directory.in_memory));
        let allowed = (file.length() as u64).saturating_add(more.unwrap_or(0));
        let bytes = (allowed.min(most) >> 30 << 30).max(1 << 30);
        Self::larger_than_memory(bench, bytes)
    }

    /// The last `bytes` of the file, which is first extended to `wanted` bytes if there is space.
    fn grown(directory: &Directory, bytes: u64, wanted: u64, allowance: Allowance) -> Result<Self> {
        let path = &directory.test_file;
        let mut file = TemporaryFile::reopen(path, CacheMode::Cached, SEED)?;
        allowance.extend(&mut file, directory, wanted, PIECE, SEED)?;
        Ok(Self::end_of(file, path, bytes, false))
    }

    fn end_of(file: TemporaryFile, path: &Path, bytes: u64, is_remote: bool) -> Self {
        let length = file.length() as u64;
        Self { range: length - bytes..length, path: path.to_owned(), file, is_remote }
    }

    /// Bytes of the range.
    pub fn bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Reopens it: a descriptor without readahead state.
    ///
    /// # Errors
    /// When it cannot be read with O_DIRECT.
    pub fn reopen(&self, mode: CacheMode) -> Result<TemporaryFile> {
        let (opened, remedy) = match self.is_remote {
            true => (TemporaryFile::open_to_read(&self.path, mode, SEED), REMOTE_DIRECT_REMEDY),
            false => (TemporaryFile::reopen(&self.path, mode, SEED), DIRECT_REMEDY),
        };
        let file = opened.map_err(|error| match mode {
            CacheMode::Direct if !error.is_limit() => {
                Failure::skipped(format!("O_DIRECT is not supported here ({error})"), remedy)
            }
            _ => Failure::of_call(error, Context::TestFile),
        })?;
        if mode == CacheMode::Direct {
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
    pub fn fill_cache(&self) -> Result<()> {
        self.file.drop_cache()?;
        let mut buffer = Mapping::private(PIECE)?;
        let mut at = self.range.start;
        while at < self.range.end {
            let length = (self.range.end - at).min(PIECE as u64) as usize;
            let piece = buffer.bytes_mut().get_mut(..length).unwrap_or_default();
            let read = direct::read_at(self.file.descriptor(), piece, at);
            check_block(&self.file, read, piece, at)?;
            at += length as u64;
        }
        Ok(())
    }

    /// Cached pages of the range, and all its pages.
    ///
    /// # Errors
    /// When the kernel does not report them.
    pub fn cached_pages(&self) -> Result<(u64, u64)> {
        let page = sys::memory::page_size() as u64;
        let present = cachestat::query(self.file.descriptor(), self.range.clone())?.present;
        Ok((present, self.bytes().div_ceil(page)))
    }

    /// Drops the cache of the file; whether nothing of the range remains. Retries for pages in use.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn drop_cache(&self) -> Result<bool> {
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
    use super::*;

    #[test]
    fn file_takes_at_most_a_tenth_of_free_space() {
        let place = Path::new("/data");
        let system = FileSystem { magic: 0xef53, free: 1 << 30, reports_size: true };
        assert!(USUAL.check(Room::on(system, false), 100 << 20, place).is_ok());
        let Err(Failure::Skipped(skip)) = USUAL.check(Room::on(system, false), 110 << 20, place) else {
            panic!("more than a tenth")
        };
        assert!(skip.reason.contains("1 GiB free in /data"), "{skip:?}");
        let large = FileSystem { free: 1 << 40, ..system };
        assert!(USUAL.check(Room::on(large, false), USUAL.most + 1, place).is_err());
        // Some clients of remote file systems do not report what is free.
        let silent = FileSystem { free: 0, reports_size: false, ..system };
        assert!(USUAL.check(Room::on(silent, false), 1 << 40, place).is_ok());
    }

    #[test]
    fn file_in_memory_takes_at_most_a_tenth_of_the_memory_available() {
        // tmpfs reports half of the machine's memory, ramfs nothing.
        for (magic, reports_size) in [(0x0102_1994, true), (0x8584_58f6, false)] {
            let system = FileSystem { magic, free: 8 << 30, reports_size };
            assert!(Room::on(system, false).is_memory);
            let room = Room::bounded(system, true, Some(200 << 20));
            assert!(USUAL.check(room, 20 << 20, Path::new("/dev/shm")).is_ok());
            let Err(Failure::Skipped(skip)) = USUAL.check(room, 64 << 20, Path::new("/dev/shm")) else {
                panic!("{room:?}")
            };
            assert!(skip.reason.contains("64 MiB of memory") && skip.reason.contains("200 MiB"), "{skip:?}");
            assert!(skip.remedy.contains("on a disk") && skip.remedy.contains("memory limit"), "{skip:?}");
        }
        // A tmpfs that is full is short of its own room, whatever memory there is.
        let full = Room::bounded(
            FileSystem { magic: 0x0102_1994, free: 0, reports_size: true },
            true,
            Some(8 << 30),
        );
        let Err(Failure::Skipped(skip)) = USUAL.check(full, 64 << 20, Path::new("/mnt")) else {
            panic!("{full:?}")
        };
        assert!(skip.reason.contains("0 B free in /mnt") && skip.remedy.contains("free space"), "{skip:?}");
        // A file system on a device in memory, or over a tmpfs, does not say so itself.
        let ext4 = FileSystem { magic: 0xef53, free: u64::MAX, reports_size: true };
        assert!(Room::on(ext4, true).free.is_some_and(|free| free < u64::MAX));
        assert_eq!(Room::on(ext4, false).free, Some(u64::MAX));
    }

    #[test]
    fn remote_file_is_written_once_and_replaced_when_too_short() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test-file");
        let directory = Directory {
            path: folder.path().to_owned(),
            folder: folder.path().to_owned(),
            test_file: path.clone(),
            over_network: false,
            in_memory: false,
        };
        let inode = || std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&path).unwrap());
        // What a killed worker left.
        std::fs::write(&path, "part").unwrap();
        let written = TestFile::written_once(&directory, 1 << 20).unwrap();
        let first = inode();
        let mut block = [0; BLOCK];
        direct::read_at(written.descriptor(), &mut block, 1 << 19);
        assert!(written.is_block(&block, 1 << 19));
        assert!(direct::write_at(written.descriptor(), &block, 0) < 0);
        assert_eq!(TestFile::written_once(&directory, 1 << 12).unwrap().length(), 1 << 20);
        assert_eq!(inode(), first);
        assert_eq!(TestFile::written_once(&directory, 2 << 20).unwrap().length(), 2 << 20);
    }

    #[test]
    fn full_disk_names_the_directory_and_io_error_fails() {
        let [full, broken] = [28, 5].map(|errno| sys::Error { call: "pwrite64", errno });
        assert_eq!(write_error(full), Failure::Unwritable(full));
        assert!(matches!(write_error(broken), Failure::Failed(_)));
    }
}
