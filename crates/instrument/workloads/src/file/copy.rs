//! Copies of a file in the page cache to another one, and the allocation of a file.

use super::test_file::{check_room, extend, write_error};
use super::{BLOCK, touched};
use measure::{Bench, CpuTime, Failure, Result, Timed, choice, parameters};
use quantity::Bytes;
use sys::copy::{self, Splice};
use sys::direct;
use sys::memory::Mapping;
use sys::remedies::Context;
use sys::temporary::TemporaryFile;

/// Bytes of a read and a write: those of `cp` (coreutils) before copy_file_range.
const PIECE: usize = 128 << 10;

choice! {
    /// By what a file is copied.
    pub enum CopyCall {
        /// `pread` and `pwrite` of a buffer.
        ReadWrite = "read_write",
        /// `copy_file_range`.
        CopyFileRange = "copy_file_range",
        /// `sendfile`.
        Sendfile = "sendfile",
        /// `splice` into a pipe and out of it.
        Splice = "splice",
        /// The extents are shared (FICLONE).
        Reflink = "reflink",
    }
}

parameters! {
    /// Copies.
    pub struct FileCopy {
        /// By what.
        method: CopyCall,
        /// Of the file.
        file_size: Bytes,
    }
}

/// Two sources with different data, which are copied alternately, and the target.
struct Copies {
    sources: [TemporaryFile; 2],
    target: TemporaryFile,
    bytes: usize,
    buffer: Mapping,
    splice: Splice,
}

impl Copies {
    fn new(bench: &Bench<'_>, bytes: usize) -> Result<Self> {
        let directory = bench.directory()?;
        let file = |seed: u64| {
            let mut file = TemporaryFile::new(&directory.path)?;
            extend(&mut file, directory, bytes as u64, PIECE, bench.seed() ^ seed)?;
            Ok::<_, Failure>(file)
        };
        Ok(Self {
            sources: [file(1)?, file(2)?],
            target: file(3)?,
            bytes,
            buffer: touched(PIECE)?,
            splice: Splice::new()?,
        })
    }

    /// Copies a source.
    fn copy(&mut self, number: usize, method: CopyCall) -> Result<(), sys::Error> {
        let Some(source) = self.sources.get(number) else { return Ok(()) };
        let (from, to) = (source.descriptor(), self.target.descriptor());
        match method {
            CopyCall::ReadWrite => copy::read_and_write(from, to, self.bytes, self.buffer.bytes_mut()),
            CopyCall::CopyFileRange => copy::copy_range(from, to, self.bytes),
            CopyCall::Sendfile => copy::send(from, to, self.bytes),
            CopyCall::Splice => self.splice.copy(from, to, self.bytes),
            CopyCall::Reflink => copy::reflink(from, to),
        }
    }

    /// Whether every block of the target is that of a source.
    fn is_copy(&mut self, number: usize) -> bool {
        let block = self.buffer.bytes_mut().get_mut(..BLOCK).unwrap_or_default();
        (0..self.bytes as u64).step_by(BLOCK).all(|offset| {
            direct::read_at(self.target.descriptor(), block, offset) == BLOCK as isize
                && self.sources.get(number).is_some_and(|source| source.is_block(block, offset))
        })
    }
}

/// Copies a file over another one of the same length, both in the page cache.
///
/// # Errors
/// A skip, where the file system cannot.
pub fn copy_file(bench: &mut Bench<'_>) -> Result<()> {
    let FileCopy { method, file_size } = bench.parameters()?;
    let mut copies = Copies::new(bench, file_size.bytes() as usize)?;
    copies.copy(0, method).map_err(|error| cannot(method, error))?;
    let mut number = 0;
    bench.each_part(CpuTime::Process, &mut |clock| {
        number ^= 1;
        let start = clock.start();
        copies.copy(number, method).map_err(write_error)?;
        let ticks = clock.stop() - start;
        Ok(Timed { ticks: Some(ticks), answers: u64::from(copies.is_copy(number)) })
    })
}

/// Why a copy fails: where the file system has no such call, another one helps.
fn cannot(method: CopyCall, error: sys::Error) -> Failure {
    // EINVAL, ENOTTY, EXDEV, EOPNOTSUPP of errno(3).
    match error.errno {
        22 | 25 | 18 | 95 => Failure::skipped(
            format!("the file system does not support {} ({error})", method.name()),
            "name a directory on btrfs, or on xfs with reflink=1, with --dir",
        ),
        _ => write_error(error),
    }
}

parameters! {
    /// Allocations.
    pub struct Allocation {
        /// Of the file.
        bytes: Bytes,
    }
}

/// Allocates the blocks of an empty file.
///
/// # Errors
/// A skip, where the file system cannot, or has too little space.
pub fn allocate_file(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<Allocation>()?.bytes.bytes();
    let directory = bench.directory()?;
    check_room(directory, bytes)?;
    let mut file = TemporaryFile::new(&directory.path)?;
    let (mut allocated, mut files) = (0, 0);
    bench.each_part(CpuTime::Process, &mut |clock| {
        file.stretch(0)?;
        let before = direct::allocated(file.descriptor())?;
        let start = clock.start();
        let result = direct::allocate(file.descriptor(), bytes);
        let ticks = clock.stop() - start;
        result.map_err(cannot_allocate)?;
        let more = direct::allocated(file.descriptor())?.saturating_sub(before);
        allocated += more;
        files += 1;
        Ok(Timed { ticks: Some(ticks), answers: u64::from(more >= bytes) })
    })?;
    bench.count("allocated.bytes", allocated as f64, files as f64);
    Ok(())
}

fn cannot_allocate(error: sys::Error) -> Failure {
    match error.errno {
        95 => Failure::skipped(
            format!("the file system does not allocate blocks before they are written ({error})"),
            "name a directory on ext4, xfs, btrfs or tmpfs with --dir",
        ),
        28 | 122 | 27 | 30 => write_error(error),
        _ => Failure::of_call(error, Context::TestFile),
    }
}
