//! Reads and writes of a file at an offset: through the page cache, by O_DIRECT, or by RWF_DONTCACHE; raw calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch};
use rustix::fs::{Advice, AtFlags, StatxFlags};

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheMode {
    /// Reads and writes go through the kernel's cache.
    Cached,
    /// They bypass it (O_DIRECT).
    Direct,
}

/// Read through the cache without leaving anything there (Linux 6.14).
pub const DONT_CACHE: i32 = libc::RWF_DONTCACHE;

/// What O_DIRECT reads and writes must be aligned to, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alignment {
    /// Addresses of buffers are multiples of this.
    pub memory: usize,
    /// Offsets and lengths are multiples of this.
    pub offset: usize,
}

/// Where the kernel does not report it: the size of a page suits every device.
const SAFE: Alignment = Alignment { memory: 4096, offset: 4096 };

/// The length of an open file.
///
/// # Errors
/// When the call is denied.
pub(crate) fn length(file: &Descriptor) -> Result<usize> {
    let status = rustix::fs::fstat(file).map_err(Error::in_call("fstat"))?;
    Ok(usize::try_from(status.st_size).unwrap_or(0))
}

/// The alignment that O_DIRECT needs for this file; a page where the kernel does not report it.
///
/// # Errors
/// When the file cannot be read or written by O_DIRECT.
pub fn alignment(file: &Descriptor) -> Result<Alignment> {
    let wanted = StatxFlags::DIOALIGN;
    // A kernel without the call, or without this part of it, reports nothing.
    let status = rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, wanted).ok();
    let Some(status) = status.filter(|status| status.stx_mask & wanted.bits() != 0) else {
        return Ok(SAFE);
    };
    match (status.stx_dio_mem_align as usize, status.stx_dio_offset_align as usize) {
        (_, 0) => Err(Error { call: "open with O_DIRECT", errno: libc::EINVAL }),
        (memory, offset) => Ok(Alignment { memory: memory.max(1), offset }),
    }
}

/// The kernel's own answer to one read at a place.
#[inline(always)]
pub fn read_at(file: &Descriptor, buffer: &mut [u8], offset: u64) -> isize {
    let arguments = [file.number() as usize, buffer.as_mut_ptr() as usize, buffer.len(), offset as usize];
    // SAFETY: the buffer lives through the call, which fills at most its length.
    unsafe { arch::syscall::<{ libc::SYS_pread64 }, _>(arguments) }
}

/// The kernel's own answer to one write at a place.
#[inline(always)]
pub fn write_at(file: &Descriptor, bytes: &[u8], offset: u64) -> isize {
    let arguments = [file.number() as usize, bytes.as_ptr() as usize, bytes.len(), offset as usize];
    // SAFETY: the bytes live through the call, which only reads them.
    unsafe { arch::syscall::<{ libc::SYS_pwrite64 }, _>(arguments) }
}

/// The same as [`read_at`] with a word of flags, such as [`DONT_CACHE`].
#[inline(always)]
pub fn read_at_with(file: &Descriptor, buffer: &mut [u8], offset: u64, flags: i32) -> isize {
    let vector = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let arguments =
        [file.number() as usize, &raw const vector as usize, 1, offset as usize, 0, flags as usize];
    // SAFETY: the vector names one buffer, which lives through the call.
    unsafe { arch::syscall::<{ libc::SYS_preadv2 }, _>(arguments) }
}

/// Waits until the data of a file, and what is needed to read it again, is on the device.
///
/// # Errors
/// When the device fails.
#[inline(always)]
pub fn sync_data(file: &Descriptor) -> Result<()> {
    // SAFETY: the argument is an integer.
    unsafe { arch::try_syscall::<{ libc::SYS_fdatasync }, _>([file.number() as usize]) }.map(|_| ())
}

/// The same with everything that the file system keeps of the file.
///
/// # Errors
/// When the device fails.
#[inline(always)]
pub fn sync_all(file: &Descriptor) -> Result<()> {
    // SAFETY: the argument is an integer.
    unsafe { arch::try_syscall::<{ libc::SYS_fsync }, _>([file.number() as usize]) }.map(|_| ())
}

/// Allocates blocks for the first bytes of a file, which then read as zeros, and makes it that long.
///
/// # Errors
/// When the file system cannot (EOPNOTSUPP), or is full.
#[inline(always)]
pub fn allocate(file: &Descriptor, bytes: u64) -> Result<()> {
    let arguments = [file.number() as usize, 0, 0, bytes as usize];
    // SAFETY: the arguments are integers.
    unsafe { arch::try_syscall::<{ libc::SYS_fallocate }, _>(arguments) }.map(|_| ())
}

/// Bytes that are allocated for a file.
///
/// # Errors
/// When the call is denied.
pub fn allocated(file: &Descriptor) -> Result<u64> {
    let status = rustix::fs::fstat(file).map_err(Error::in_call("fstat"))?;
    Ok(u64::try_from(status.st_blocks).unwrap_or(0) * 512)
}

/// Waits until all dirty pages of the machine are on their devices.
pub fn sync_everything() {
    rustix::fs::sync();
}

/// Tells the kernel in which order a file will be read.
///
/// # Errors
/// When the call is denied.
pub fn will_read(file: &Descriptor, in_order: bool) -> Result<()> {
    let advice = if in_order { Advice::Normal } else { Advice::Random };
    rustix::fs::fadvise(file, 0, None, advice).map_err(Error::in_call("fadvise64"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Mapping;
    use crate::temporary::TemporaryFile;
    use std::path::PathBuf;

    fn file(length: usize) -> TemporaryFile {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(length, 4096, 5).unwrap();
        file
    }

    fn place(file: &TemporaryFile) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.descriptor().number()))
    }

    #[test]
    fn a_reopened_file_is_the_same_and_is_appended_to() {
        let first = file(8192);
        let mut again = TemporaryFile::reopen(&place(&first), CacheMode::Cached, 5).unwrap();
        assert_eq!(again.length(), 8192);
        again.fill(16384, 4096, 5).unwrap();
        let mut block = [0; 4096];
        for offset in (0..16384).step_by(4096) {
            assert_eq!(read_at(first.descriptor(), &mut block, offset), 4096);
            assert!(first.is_block(&block, offset));
            assert!(!first.is_block(&block, offset + 4096));
        }
        assert_eq!(read_at(first.descriptor(), &mut block, 16384), 0);
    }

    #[test]
    fn a_composed_block_is_that_of_the_file() {
        let file = file(4096);
        let mut block = [0; 4096];
        file.compose(&mut block, 4096);
        assert!(file.is_block(&block, 4096));
        assert_eq!(write_at(file.descriptor(), &block, 4096), 4096);
        assert_eq!(length(file.descriptor()), Ok(8192));
        sync_data(file.descriptor()).unwrap();
        sync_all(file.descriptor()).unwrap();
        will_read(file.descriptor(), false).unwrap();
    }

    #[test]
    fn direct_reads_give_the_same_bytes_where_supported() {
        let cached = file(8192);
        cached.flush().unwrap();
        let direct = TemporaryFile::reopen(&place(&cached), CacheMode::Direct, 5);
        let found = direct.and_then(|direct| Ok((alignment(direct.descriptor())?, direct)));
        // The error of a file system that has no O_DIRECT.
        let is_supported = !found.as_ref().is_err_and(|error| error.errno == libc::EINVAL);
        if !programs::has("O_DIRECT in the directory of temporary files", is_supported) {
            return;
        }
        let (alignment, direct) = found.unwrap();
        assert!(
            alignment.memory.is_power_of_two()
                && alignment.offset.is_power_of_two()
                && alignment.offset <= 4096
        );
        let mut memory = Mapping::private(4096).unwrap();
        assert_eq!(read_at(direct.descriptor(), memory.bytes_mut(), 4096), 4096);
        assert!(direct.is_block(memory.bytes_mut(), 4096));
    }

    #[test]
    fn dontcache_reads_give_the_bytes_or_an_error() {
        let file = file(4096);
        let mut block = [0; 4096];
        let read = read_at_with(file.descriptor(), &mut block, 0, DONT_CACHE);
        assert!(read == 4096 && file.is_block(&block, 0) || read == -(libc::EOPNOTSUPP as isize));
        assert_eq!(read_at_with(file.descriptor(), &mut block, 0, 0), 4096);
    }
}
