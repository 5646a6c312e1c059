//! Pipes, one byte at a time, by raw system calls.

use crate::{Error, Result, arch};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// The end of a pipe to read from.
#[derive(Debug)]
pub struct ReadEnd(OwnedFd);

/// The end of a pipe to write to.
#[derive(Debug)]
pub struct WriteEnd(OwnedFd);

/// A new pipe, closed on exec.
///
/// # Errors
/// When no descriptor is left.
pub fn pipe() -> Result<(ReadEnd, WriteEnd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` is valid for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(Error::last("pipe2"));
    }
    // SAFETY: the kernel has just given us these descriptors; nobody else owns them.
    let [read_end, write_end] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
    Ok((ReadEnd(read_end), WriteEnd(write_end)))
}

impl WriteEnd {
    /// Writes one byte.
    ///
    /// # Errors
    /// When the reader is gone.
    #[inline(always)]
    pub fn write_byte(&self, byte: u8) -> Result<()> {
        let (fd, buffer) = (self.0.as_raw_fd() as usize, &raw const byte as usize);
        // SAFETY: the buffer is one byte long and lives through the call.
        let result = unsafe { arch::syscall6(libc::SYS_write, [fd, buffer, 1, 0, 0, 0]) };
        whole("write", result)
    }
}

impl ReadEnd {
    /// Reads one byte.
    ///
    /// # Errors
    /// When the writer is gone (errno 0: end of file).
    #[inline(always)]
    pub fn read_byte(&self) -> Result<u8> {
        let mut byte = 0_u8;
        let (fd, buffer) = (self.0.as_raw_fd() as usize, &raw mut byte as usize);
        // SAFETY: the buffer is one byte long and lives through the call.
        let result = unsafe { arch::syscall6(libc::SYS_read, [fd, buffer, 1, 0, 0, 0]) };
        whole("read", result).map(|()| byte)
    }
}

#[inline(always)]
fn whole(call: &'static str, result: isize) -> Result<()> {
    match Error::check(call, result)? {
        1 => Ok(()),
        _ => Err(Error { call, errno: 0 }),
    }
}
