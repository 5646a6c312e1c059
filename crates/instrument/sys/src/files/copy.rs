//! Copies from one file to another from their beginnings: raw calls, each repeated until all bytes are copied.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, direct, pipe};

/// `_IOW(0x94, 9, int)` of linux/fs.h.
const FICLONE: usize = 0x4004_9409;

/// Bytes that a pipe of 16 pages takes at once.
const PIPE: usize = 64 << 10;

/// An offset that the kernel advances.
fn place(offset: &mut i64) -> usize {
    std::ptr::from_mut(offset) as usize
}

/// The bytes of a call that copies some; errno 0 where the source has ended.
fn some(call: &'static str, copied: usize) -> Result<usize> {
    if copied == 0 { Err(Error { call, errno: 0 }) } else { Ok(copied) }
}

/// By `pread` and `pwrite` of one buffer.
///
/// # Errors
/// When a call fails or is incomplete.
#[inline(always)]
pub fn read_and_write(from: &Descriptor, to: &Descriptor, bytes: usize, buffer: &mut [u8]) -> Result<()> {
    let mut at = 0;
    while at < bytes {
        let piece = buffer.len().min(bytes - at);
        let part = buffer.get_mut(..piece).unwrap_or_default();
        let read = some("pread64", Error::check("pread64", direct::read_at(from, part, at as u64))?)?;
        let part = part.get(..read).unwrap_or_default();
        at += some("pwrite64", Error::check("pwrite64", direct::write_at(to, part, at as u64))?)?;
    }
    Ok(())
}

/// By `copy_file_range`.
///
/// # Errors
/// When a call fails, or the source is shorter (errno 0).
#[inline(always)]
pub fn copy_range(from: &Descriptor, to: &Descriptor, bytes: usize) -> Result<()> {
    let (mut source, mut target) = (0, 0);
    while (target as usize) < bytes {
        let left = bytes - target as usize;
        let [from, to] = [from, to].map(|file| file.number() as usize);
        let arguments = [from, place(&mut source), to, place(&mut target), left, 0];
        // SAFETY: both offsets are valid for reading and writing; the rest are integers.
        let copied = unsafe { arch::try_syscall::<{ libc::SYS_copy_file_range }, _>(arguments) }?;
        some("copy_file_range", copied)?;
    }
    Ok(())
}

/// By `sendfile`, after the position of the target was set to its beginning.
///
/// # Errors
/// When a call fails, or the source is shorter (errno 0).
#[inline(always)]
pub fn send(from: &Descriptor, to: &Descriptor, bytes: usize) -> Result<()> {
    let arguments = [to.number() as usize, 0, libc::SEEK_SET as usize];
    // SAFETY: the arguments are integers.
    unsafe { arch::try_syscall::<{ libc::SYS_lseek }, _>(arguments) }?;
    let mut source = 0;
    while (source as usize) < bytes {
        let left = bytes - source as usize;
        let arguments = [to.number() as usize, from.number() as usize, place(&mut source), left];
        // SAFETY: the offset is valid for reading and writing; the rest are integers.
        let copied = unsafe { arch::try_syscall::<{ libc::SYS_sendfile }, _>(arguments) }?;
        some("sendfile", copied)?;
    }
    Ok(())
}

/// A pipe between two files.
#[derive(Debug)]
pub struct Splice {
    out: Descriptor,
    into: Descriptor,
}

impl Splice {
    /// A new pipe.
    ///
    /// # Errors
    /// When no descriptor is left.
    pub fn new() -> Result<Self> {
        let (out, into) = pipe::pipe()?;
        Ok(Self { out: out.into_descriptor(), into: into.into_descriptor() })
    }

    /// By `splice` into the pipe and out of it.
    ///
    /// # Errors
    /// When a call fails, or the source is shorter (errno 0).
    #[inline(always)]
    pub fn copy(&self, from: &Descriptor, to: &Descriptor, bytes: usize) -> Result<()> {
        let (mut source, mut target) = (0, 0);
        let [from, to, out, into] = [from, to, &self.out, &self.into].map(|file| file.number() as usize);
        while (source as usize) < bytes {
            let arguments = [from, place(&mut source), into, 0, PIPE.min(bytes - source as usize), 0];
            // SAFETY: the offset is valid for reading and writing; the rest are integers.
            let copied = unsafe { arch::try_syscall::<{ libc::SYS_splice }, _>(arguments) }?;
            some("splice", copied)?;
            while target < source {
                let arguments = [out, 0, to, place(&mut target), (source - target) as usize, 0];
                // SAFETY: as above.
                let copied = unsafe { arch::try_syscall::<{ libc::SYS_splice }, _>(arguments) }?;
                some("splice", copied)?;
            }
        }
        Ok(())
    }
}

/// By sharing the source's extents (FICLONE): no byte is copied until one of the files is written.
///
/// # Errors
/// When the file system cannot.
#[inline(always)]
pub fn reflink(from: &Descriptor, to: &Descriptor) -> Result<()> {
    let arguments = [to.number() as usize, FICLONE, from.number() as usize];
    // SAFETY: the arguments are integers.
    unsafe { arch::try_syscall::<{ libc::SYS_ioctl }, _>(arguments) }.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryFile;

    const BYTES: usize = 300 << 10;

    #[test]
    fn every_call_copies_every_byte() {
        let mut from = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        from.fill(BYTES, 4096, 3).unwrap();
        let splice = Splice::new().unwrap();
        type Copy<'c> = &'c dyn Fn(&Descriptor, &Descriptor) -> Result<()>;
        let copies: [Copy<'_>; 5] = [
            &|from, to| read_and_write(from, to, BYTES, &mut [0; 10_000]),
            &|from, to| copy_range(from, to, BYTES),
            &|from, to| send(from, to, BYTES),
            &|from, to| splice.copy(from, to, BYTES),
            &reflink,
        ];
        for (number, copy) in copies.iter().enumerate() {
            let to = TemporaryFile::new(&std::env::temp_dir()).unwrap();
            // A second copy begins at the beginning, too.
            let copied = copy(from.descriptor(), to.descriptor())
                .and_then(|()| copy(from.descriptor(), to.descriptor()));
            if number == 4 && copied.is_err() {
                continue;
            }
            copied.unwrap();
            assert_eq!(direct::length(to.descriptor()), Ok(BYTES));
            let mut block = [0; 4096];
            for offset in (0..BYTES as u64).step_by(4096) {
                assert_eq!(direct::read_at(to.descriptor(), &mut block, offset), 4096);
                assert!(from.is_block(&block, offset), "{number}");
            }
        }
    }

    #[test]
    fn a_short_source_is_an_error() {
        let mut from = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        from.fill(4096, 4096, 3).unwrap();
        let to = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        let (from, to) = (from.descriptor(), to.descriptor());
        assert!(copy_range(from, to, 8192).is_err() && send(from, to, 8192).is_err());
        assert!(Splice::new().unwrap().copy(from, to, 8192).is_err());
        assert!(read_and_write(from, to, 8192, &mut [0; 4096]).is_err());
    }
}
