//! The second way into the kernel that other architectures have; here there is none.

/// Whether this architecture has a second way into the kernel.
pub const HAS_INTERRUPT_ENTRY: bool = false;

/// No number: there is no such call.
pub const INTERRUPT_GETPPID: usize = 0;

/// No number: there is no such call.
pub const INTERRUPT_GETCWD: usize = 0;

/// Always −ENOSYS.
///
/// # Safety
/// Nothing is done.
#[inline(always)]
pub unsafe fn interrupt_call(_number: usize, _arguments: [usize; 2]) -> isize {
    -(libc::ENOSYS as isize)
}
