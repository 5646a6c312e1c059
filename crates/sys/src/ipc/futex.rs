//! Futexes on words shared between threads of one process, or between processes.

use crate::arch;
use std::sync::atomic::AtomicU32;

/// Wakes at most one waiter; gives the number woken, or a negative error.
#[inline(always)]
pub fn wake_one(word: &AtomicU32) -> isize {
    let operation = (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: the word outlives the call; waking reads no memory.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>([word.as_ptr() as usize, operation, 1]) }
}

/// Sleeps while the word holds `value`; gives 0 when woken, or a negative error
/// (−EAGAIN when the word already held something else).
#[inline(always)]
pub fn wait(word: &AtomicU32, value: u32) -> isize {
    let operation = (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as usize;
    // SAFETY: the word outlives the call; no time-out is given.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>([word.as_ptr() as usize, operation, value as usize]) }
}

/// Wakes at most one waiter on a word in memory that processes share; gives as [`wake_one`].
#[inline(always)]
pub fn wake_one_shared(word: &AtomicU32) -> isize {
    let operation = libc::FUTEX_WAKE as usize;
    // SAFETY: the word outlives the call; waking reads no memory.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>([word.as_ptr() as usize, operation, 1]) }
}

/// Sleeps while a word in memory that processes share holds `value`; gives as [`wait`].
#[inline(always)]
pub fn wait_shared(word: &AtomicU32, value: u32) -> isize {
    let operation = libc::FUTEX_WAIT as usize;
    // SAFETY: the word outlives the call; no time-out is given.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>([word.as_ptr() as usize, operation, value as usize]) }
}

/// The result of [`wait`] when the word had changed before the call.
pub const CHANGED: isize = -(libc::EAGAIN as isize);
