//! The file whose blocks are read: real, random, synced data, written once for all trials of a run.

use super::{BLOCK, RIGHT_DATA};
use measure::{Bench, Failure};
use record::Directory;
use std::ops::Range;
use std::path::PathBuf;
use sys::cachestat;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::temporary::{FileSystem, TemporaryFile};

/// The seed of its data: the same in all workers of all runs, so that each can check what another wrote.
const SEED: u64 = 0x05c0_9e5e_ed00_0001;

/// Bytes of a write that makes it, and of a read that fetches it: the cache of it is in the largest pieces that the
/// file system makes.
const PIECE: usize = 1 << 20;

/// Of what is free one part in so many is taken at most, and no more than so much in any case.
const SHARE: u64 = 10;
const MOST: u64 = 2 << 30;

/// The same of a file that is larger than memory, which the thorough profile alone makes.
const LARGE_SHARE: u64 = 4;

/// Its lengths. It grows to the next when a point asks for more, and never shrinks.
const LENGTHS: [u64; 3] = [64 << 20, 256 << 20, 1 << 30];

/// The same where every byte of it goes over the network first.
const REMOTE_LENGTHS: [u64; 2] = [16 << 20, 64 << 20];

/// What helps where there is no disk.
pub const NO_DISK: &str = "name a directory on a disk of this machine with --dir";

/// The part of the file that a point reads: its last bytes, so that the kernel cannot read on beyond them.
#[derive(Debug)]
pub struct Stock {
    /// The file, its reads through the cache.
    pub file: TemporaryFile,
    /// What is read of it, in bytes from its beginning.
    pub range: Range<u64>,
    /// Where it is opened once more.
    place: PathBuf,
}

/// Sees to it that a file may grow by so many bytes.
///
/// # Errors
/// A skip, when that is more than its share of what is free.
pub fn has_room(system: FileSystem, more: u64) -> Result<(), Failure> {
    let allowed = (system.free / SHARE).min(MOST);
    if more <= allowed {
        return Ok(());
    }
    Err(no_room(more, "a tenth", system.free))
}

/// The same of a file that is larger than memory.
fn has_much_room(system: FileSystem, more: u64) -> Result<(), Failure> {
    if more <= system.free / LARGE_SHARE {
        return Ok(());
    }
    Err(no_room(more, "a quarter", system.free))
}

fn no_room(more: u64, share: &str, free: u64) -> Failure {
    let bytes = |bytes: u64| quantity::show_bytes(quantity::Bytes::from_bytes(bytes));
    Failure::skipped(
        format!(
            "it needs {} for its file, and {share} of the {} that are free is less",
            bytes(more),
            bytes(free)
        ),
        "name a directory with more room with --dir or --remote-dir",
    )
}

/// An error of writing, as a skip where the room or the right is missing.
pub fn refused(error: sys::Error) -> Failure {
    // ENOSPC, EDQUOT, EFBIG, EROFS of errno(3), which are the same on both architectures.
    match error.errno {
        28 | 122 | 27 | 30 => Failure::skipped(
            format!("the file cannot be written: {error}"),
            "name a directory with room that you may write to with --dir or --remote-dir",
        ),
        _ => Failure::from(error),
    }
}

impl Stock {
    /// The last `bytes` of the file, which is made as long as needed first.
    ///
    /// # Errors
    /// When there is no directory, no room, or the device fails.
    pub fn of(bench: &Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        Self::at(bench.directory()?, bytes, &LENGTHS)
    }

    /// The same of the file on a remote file system.
    ///
    /// # Errors
    /// When no such directory was named, or as for [`Stock::of`].
    pub fn remote(bench: &Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        Self::at(bench.remote_directory()?, bytes, &REMOTE_LENGTHS)
    }

    /// The same on a disk, for a file that is larger than what memory holds: it may have a quarter of what is free.
    ///
    /// # Errors
    /// When no disk is there, or it has not so much room.
    pub fn larger_than_memory(bench: &mut Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        Self::grown(bench.directory()?, bytes, bytes, has_much_room)?.checked(bench)
    }

    fn at(directory: &Directory, bytes: u64, lengths: &[u64]) -> Result<Self, Failure> {
        let wanted = lengths.iter().copied().find(|length| *length >= bytes);
        Self::grown(directory, bytes, wanted.unwrap_or(bytes), has_room)
    }

    /// The last `bytes` of the file, which is made `wanted` bytes long first if there is room for them.
    fn grown(
        directory: &Directory,
        bytes: u64,
        wanted: u64,
        has_room: fn(FileSystem, u64) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let place = &directory.test_file;
        let mut file = TemporaryFile::reopen(place, CacheMode::Cached, SEED)?;
        if (file.length() as u64) < wanted {
            // What a worker wrote that was killed may end in the middle of a piece.
            let whole = file.length() / PIECE * PIECE;
            file.stretch(whole)?;
            has_room(file.file_system()?, wanted - whole as u64)?;
            file.fill(wanted as usize, PIECE, SEED).map_err(refused)?;
            file.flush()?;
        }
        let length = file.length() as u64;
        Ok(Self {
            range: length - bytes..length,
            place: place.clone(),
            file,
        })
    }

    /// The same, on a disk whose cache can be emptied.
    ///
    /// # Errors
    /// A skip, when no disk of this machine lies under the directory.
    pub fn on_disk(bench: &mut Bench<'_>, bytes: u64) -> Result<Self, Failure> {
        Self::of(bench, bytes)?.checked(bench)
    }

    /// Tells how much of it lies on a disk.
    fn checked(self, bench: &mut Bench<'_>) -> Result<Self, Failure> {
        let kind = self.file.file_system()?.name();
        let extents = self.file.extents().map_err(|error| {
            Failure::skipped(
                format!("{kind} is no disk, or does not tell where its files lie ({error})"),
                NO_DISK,
            )
        })?;
        let length = self.file.length() as f64;
        bench.count("file.on_disk", (extents.mapped as f64).min(length), length);
        Ok(self)
    }

    /// Opens it once more: reads that are new to the file, with a state of their own.
    ///
    /// # Errors
    /// When it cannot be read with O_DIRECT.
    pub fn again(&self, way: CacheMode) -> Result<TemporaryFile, Failure> {
        let opened = TemporaryFile::reopen(&self.place, way, SEED);
        let file = opened.map_err(|error| match way {
            CacheMode::Direct => Failure::skipped(
                format!("files cannot be read with O_DIRECT here ({error})"),
                "name a directory on ext4, xfs or btrfs with --dir",
            ),
            CacheMode::Cached => Failure::from(error),
        })?;
        if way == CacheMode::Direct {
            let asked = direct::alignment(file.descriptor())?;
            if asked.offset > BLOCK || asked.memory > BLOCK {
                return Err(Failure::skipped(
                    format!(
                        "reads with O_DIRECT are multiples of {} bytes here",
                        asked.offset.max(asked.memory)
                    ),
                    "name a directory on a device with smaller blocks with --dir",
                ));
            }
        }
        Ok(file)
    }

    /// Empties the cache of the whole file and fetches the range in order by large reads, so that what the cache is
    /// made of is the same in every trial.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn fetch(&self) -> Result<(), Failure> {
        self.file.drop_cache()?;
        let mut buffer = Mapping::private(PIECE)?;
        let mut at = self.range.start;
        while at < self.range.end {
            let length = (self.range.end - at).min(PIECE as u64) as usize;
            let piece = buffer.bytes_mut().get_mut(..length).unwrap_or_default();
            let read = direct::read_at(self.file.descriptor(), piece, at);
            if read != length as isize || !self.file.is_block(piece, at) {
                return Err(Failure::Failed(RIGHT_DATA.to_owned()));
            }
            at += length as u64;
        }
        Ok(())
    }

    /// Pages of the range that are in the cache, and how many pages it has.
    ///
    /// # Errors
    /// When the kernel does not tell.
    pub fn cached(&self) -> Result<(u64, u64), Failure> {
        let page = sys::memory::page_size() as u64;
        let present = cachestat::of(self.file.descriptor(), self.range.clone())?.present;
        Ok((present, (self.range.end - self.range.start).div_ceil(page)))
    }

    /// Empties the cache of the file; whether nothing of the range is left in it. What is held by somebody for a
    /// moment is tried again.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn empty(&self) -> Result<bool, Failure> {
        for _ in 0..8 {
            self.file.drop_cache()?;
            if self.cached()?.0 == 0 {
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
    fn a_file_takes_a_tenth_of_what_is_free_at_most() {
        let system = |free| FileSystem { magic: 0xef53, free };
        assert!(has_room(system(1 << 30), 100 << 20).is_ok());
        assert!(matches!(
            has_room(system(1 << 30), 110 << 20),
            Err(Failure::Skipped(_))
        ));
        assert!(has_room(system(1 << 40), MOST + 1).is_err());
    }

    #[test]
    fn a_full_disk_is_a_skip_and_a_broken_one_is_not() {
        let error = |errno| sys::Error {
            call: "pwrite64",
            errno,
        };
        assert!(matches!(refused(error(28)), Failure::Skipped(_)));
        assert!(matches!(refused(error(5)), Failure::Failed(_)));
    }
}
