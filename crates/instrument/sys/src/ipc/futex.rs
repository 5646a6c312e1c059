//! Futexes on words shared between threads of one process, or between processes.

use crate::arch;
use std::sync::atomic::AtomicU32;

/// Who may wait on a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Scope {
    /// Threads of this process.
    Private = libc::FUTEX_PRIVATE_FLAG,
    /// Processes that share the memory, too.
    Shared = 0,
}

/// Wakes at most one waiter; gives the number woken, or a negative error.
#[inline(always)]
pub fn wake_one(word: &AtomicU32, scope: Scope) -> isize {
    let arguments = [word.as_ptr() as usize, (libc::FUTEX_WAKE | scope as i32) as usize, 1];
    // SAFETY: the word outlives the call; waking reads no memory.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>(arguments) }
}

/// Sleeps while the word holds `value`; gives 0 when woken, or a negative error
/// (−EAGAIN when the word already held something else).
#[inline(always)]
pub fn wait(word: &AtomicU32, value: u32, scope: Scope) -> isize {
    let arguments = [word.as_ptr() as usize, (libc::FUTEX_WAIT | scope as i32) as usize, value as usize];
    // SAFETY: the word outlives the call; no time-out is given.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>(arguments) }
}

/// The result of [`wait`] when the word had changed before the call.
pub const CHANGED: isize = -(libc::EAGAIN as isize);
