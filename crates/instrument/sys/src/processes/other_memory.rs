//! Memory of another process, read by one raw system call.

use crate::pages::Pages;
use crate::process::Actor;
use crate::{Result, arch};

/// Fills a buffer from the memory that another process has where these pages are in this one, by one `process_vm_readv`; gives the
/// bytes that were read.
///
/// # Errors
/// When the process has no such memory, or this one may not trace it.
#[inline(always)]
pub fn read(process: &Actor, pages: &Pages, buffer: &mut [u8]) -> Result<usize> {
    // `struct iovec`.
    let here = [buffer.as_mut_ptr() as usize, buffer.len()];
    let there = [pages.address(), buffer.len()];
    let arguments = [process.pid() as usize, here.as_ptr() as usize, 1, there.as_ptr() as usize, 1, 0];
    // SAFETY: the kernel writes at most the length of the buffer into it; the other address is not used in this process.
    unsafe { arch::try_syscall::<{ libc::SYS_process_vm_readv }, _>(arguments) }
}
