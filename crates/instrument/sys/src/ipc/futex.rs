//! Futexes on words shared between threads of one process, or between processes.

use crate::arch;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

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

/// Wakes all waiters; gives the number woken, or a negative error.
#[inline(always)]
pub fn wake_all(word: &AtomicU32, scope: Scope) -> isize {
    let operation = (libc::FUTEX_WAKE | scope as i32) as usize;
    let arguments = [word.as_ptr() as usize, operation, i32::MAX as usize];
    // SAFETY: the word outlives the call; waking reads no memory.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>(arguments) }
}

/// Wakes one waiter and moves all others to another word, unless the word holds something else than `value`; gives the number
/// woken and moved together, or a negative error.
#[inline(always)]
pub fn requeue(word: &AtomicU32, value: u32, to: &AtomicU32, scope: Scope) -> isize {
    let operation = (libc::FUTEX_CMP_REQUEUE | scope as i32) as usize;
    let most = i32::MAX as usize;
    let arguments = [word.as_ptr() as usize, operation, 1, most, to.as_ptr() as usize, value as usize];
    // SAFETY: both words outlive the call, which reads the first one.
    unsafe { arch::syscall::<{ libc::SYS_futex }, _>(arguments) }
}

/// As [`wait`], but at most for this time: then it gives −ETIMEDOUT.
#[inline(always)]
pub fn wait_at_most(word: &AtomicU32, value: u32, scope: Scope, most: Duration) -> isize {
    let most = libc::timespec {
        tv_sec: libc::time_t::try_from(most.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: most.subsec_nanos().into(),
    };
    let operation = (libc::FUTEX_WAIT | scope as i32) as usize;
    let arguments = [word.as_ptr() as usize, operation, value as usize, &raw const most as usize];
    // SAFETY: the word and the time outlive the call, which only reads them.
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

/// The result of [`wait_at_most`] when nobody woke the caller in time.
pub const TIMED_OUT: isize = -(libc::ETIMEDOUT as isize);

/// The result of a wait that a signal ended.
pub const INTERRUPTED: isize = -(libc::EINTR as isize);

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_wait_with_a_limit_ends_without_a_wake() {
        let word = AtomicU32::new(3);
        for scope in [Scope::Private, Scope::Shared] {
            assert_eq!(wait_at_most(&word, 3, scope, Duration::from_millis(1)), TIMED_OUT);
            assert_eq!(wait_at_most(&word, 4, scope, Duration::from_secs(9)), CHANGED);
        }
    }

    #[test]
    fn nothing_is_moved_from_a_word_that_has_changed() {
        let [word, other] = [AtomicU32::new(3), AtomicU32::new(0)];
        assert_eq!(requeue(&word, 4, &other, Scope::Private), CHANGED);
        assert_eq!(requeue(&word, 3, &other, Scope::Private), 0);
    }

    #[test]
    fn all_waiters_are_woken() {
        let (word, asleep) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    asleep.fetch_add(1, Ordering::AcqRel);
                    while word.load(Ordering::Acquire) == 0 {
                        wait(&word, 0, Scope::Private);
                    }
                });
            }
            while asleep.load(Ordering::Acquire) < 3 {
                std::thread::yield_now();
            }
            word.store(1, Ordering::Release);
            // Those who have not slept yet find the word changed.
            assert!((0..=3).contains(&wake_all(&word, Scope::Private)));
        });
    }
}
