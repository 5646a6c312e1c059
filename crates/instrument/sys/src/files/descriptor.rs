//! A file descriptor that is ours, read and written by raw system calls.

use crate::{Error, Result, arch};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// A descriptor of any kind, closed when dropped.
#[derive(Debug)]
pub struct Descriptor(OwnedFd);

impl From<OwnedFd> for Descriptor {
    fn from(owned: OwnedFd) -> Self {
        Self(owned)
    }
}

impl From<Descriptor> for OwnedFd {
    fn from(descriptor: Descriptor) -> Self {
        descriptor.0
    }
}

impl AsFd for Descriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Descriptor {
    fn as_raw_fd(&self) -> i32 {
        self.number()
    }
}

impl Descriptor {
    /// The new descriptor that a system call gives.
    ///
    /// # Errors
    /// The error that the kernel gave.
    ///
    /// # Safety
    /// As [`arch::syscall`]; the call must be one that makes a descriptor.
    #[inline(always)]
    pub(crate) unsafe fn from_syscall<const NUMBER: i64, const N: usize>(
        arguments: [usize; N],
    ) -> Result<Self> {
        // SAFETY: the caller vouches for the arguments; the kernel has just given us this descriptor, which nobody else
        // owns.
        unsafe {
            let number = arch::try_syscall::<NUMBER, N>(arguments)?;
            Ok(Self(OwnedFd::from_raw_fd(number as i32)))
        }
    }

    /// Its number.
    #[inline(always)]
    pub fn number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Keeps it open in programs that this process starts, under the same number.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn keep_in_children(&self) -> Result<()> {
        rustix::io::fcntl_setfd(self, rustix::io::FdFlags::empty()).map_err(Error::in_call("fcntl"))
    }

    /// Makes another descriptor of the same open file and closes it, by two calls; gives its number.
    ///
    /// # Errors
    /// When no descriptor is left.
    #[inline(always)]
    pub fn duplicate_and_close(&self) -> Result<usize> {
        // SAFETY: the call takes an integer.
        let number = unsafe { arch::try_syscall::<{ libc::SYS_dup }, _>([self.number() as usize]) }?;
        // SAFETY: the descriptor was made here, and nothing else knows its number.
        unsafe { arch::try_syscall::<{ libc::SYS_close }, _>([number]) }?;
        Ok(number)
    }

    /// Writes these bytes by one call, all of them.
    ///
    /// # Errors
    /// When the kernel refuses, or takes fewer bytes (errno 0).
    #[inline(always)]
    pub fn write_all(&self, bytes: &[u8]) -> Result<()> {
        whole("write", self.write(bytes), bytes.len())
    }

    /// Reads by one call, the whole buffer.
    ///
    /// # Errors
    /// When the kernel refuses, or gives fewer bytes (errno 0; none at all is the end of the file).
    #[inline(always)]
    pub fn read_all(&self, buffer: &mut [u8]) -> Result<()> {
        whole("read", self.read(buffer), buffer.len())
    }

    /// Writes all of these bytes, by as many calls as it takes.
    ///
    /// # Errors
    /// When the other end is gone, or there is no room and the descriptor does not wait.
    #[inline(always)]
    pub(crate) fn write_repeatedly(&self, bytes: &[u8]) -> Result<()> {
        let mut left = bytes;
        while !left.is_empty() {
            let taken = Error::check("write", self.write(left))?;
            left = left.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Fills the buffer by as many calls as it takes; gives how many bytes came before the end of the stream.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub(crate) fn read_repeatedly(&self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match Error::check("read", self.read(rest))? {
                0 => break,
                came => filled += came,
            }
        }
        Ok(filled)
    }

    /// As [`Descriptor::write_all`], by the C library.
    ///
    /// # Errors
    /// As [`Descriptor::write_all`].
    #[inline(always)]
    pub fn write_all_by_libc(&self, bytes: &[u8]) -> Result<()> {
        // SAFETY: the bytes live through the call, which only reads them.
        let written = unsafe { libc::write(self.number(), bytes.as_ptr().cast(), bytes.len()) };
        whole("write", Error::check_errno("write", written)?, bytes.len())
    }

    /// As [`Descriptor::read_all`], by the C library.
    ///
    /// # Errors
    /// As [`Descriptor::read_all`].
    #[inline(always)]
    pub fn read_all_by_libc(&self, buffer: &mut [u8]) -> Result<()> {
        // SAFETY: the buffer lives through the call, which fills at most its length.
        let read = unsafe { libc::read(self.number(), buffer.as_mut_ptr().cast(), buffer.len()) };
        whole("read", Error::check_errno("read", read)?, buffer.len())
    }

    /// Another descriptor of the same open file, by one `dup`.
    ///
    /// # Errors
    /// When no descriptor is left.
    #[inline(always)]
    pub fn duplicate(&self) -> Result<Self> {
        // SAFETY: the call takes an integer and makes a descriptor.
        unsafe { Self::from_syscall::<{ libc::SYS_dup }, _>([self.number() as usize]) }
    }

    /// Sets the position from the start of the file; gives it.
    ///
    /// # Errors
    /// When the file has no positions.
    #[inline(always)]
    pub fn seek(&self, position: usize) -> Result<usize> {
        let arguments = [self.number() as usize, position, libc::SEEK_SET as usize];
        // SAFETY: the call takes integers.
        unsafe { arch::try_syscall::<{ libc::SYS_lseek }, _>(arguments) }
    }

    /// Writes two parts by one `writev`; gives how many bytes were written.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn write_parts(&self, parts: [&[u8]; 2]) -> Result<usize> {
        let parts =
            parts.map(|part| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() });
        let arguments = [self.number() as usize, parts.as_ptr() as usize, parts.len()];
        // SAFETY: the parts and their list live through the call, which only reads them.
        unsafe { arch::try_syscall::<{ libc::SYS_writev }, _>(arguments) }
    }

    /// The kernel's own answer to one write.
    #[inline(always)]
    pub fn write(&self, bytes: &[u8]) -> isize {
        let arguments = [self.number() as usize, bytes.as_ptr() as usize, bytes.len()];
        // SAFETY: the bytes live through the call, which only reads them.
        unsafe { arch::syscall::<{ libc::SYS_write }, _>(arguments) }
    }

    /// The kernel's own answer to one read.
    #[inline(always)]
    pub fn read(&self, buffer: &mut [u8]) -> isize {
        let arguments = [self.number() as usize, buffer.as_mut_ptr() as usize, buffer.len()];
        // SAFETY: the buffer lives through the call, which fills at most its length.
        unsafe { arch::syscall::<{ libc::SYS_read }, _>(arguments) }
    }
}

#[inline(always)]
fn whole(call: &'static str, result: isize, length: usize) -> Result<()> {
    if Error::check(call, result)? == length { Ok(()) } else { Err(Error { call, errno: 0 }) }
}

/// Closes a descriptor by one call of its own, whose answer is looked at.
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn close(descriptor: Descriptor) -> Result<()> {
    let number = std::os::fd::IntoRawFd::into_raw_fd(OwnedFd::from(descriptor));
    // SAFETY: the descriptor was ours alone and is given up here.
    unsafe { arch::try_syscall::<{ libc::SYS_close }, _>([number as usize]) }.map(|_| ())
}
