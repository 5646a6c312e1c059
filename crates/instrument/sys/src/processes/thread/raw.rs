//! A thread by nothing but system calls: clone3 on a given stack, and a wait for the word that the kernel clears.

use crate::futex::{self, Scope};
use crate::process::create::{CloneArguments, Stack, clone3_on_stack};
use crate::{Error, Result, arch};
use std::sync::atomic::{AtomicU32, Ordering};

/// The word while the thread lives; the kernel writes 0 when it has ended.
const ALIVE: u32 = 1;

/// Waits for the end of a thread before it is taken for lost: spurious wake-ups are few.
const MAX_WAITS: u32 = 1_000;

/// A thread made by [`start`], not yet waited for.
#[derive(Debug)]
#[must_use = "a thread that is not joined still uses its stack"]
pub struct Started<'a> {
    word: &'a AtomicU32,
}

/// Makes a thread that shares everything, calls `act` on `stack` and ends. It has the thread-local storage of
/// its maker, so `act` must use none, and must not panic.
///
/// # Errors
/// When no thread can be made.
///
/// # Safety
/// `stack` and `act` must live until [`Started::join`] has come back.
#[inline(always)]
unsafe fn start<'a, F: Fn() + Sync>(stack: &mut Stack, word: &'a AtomicU32, act: &F) -> Result<Started<'a>> {
    let shared =
        libc::CLONE_VM | libc::CLONE_FS | libc::CLONE_FILES | libc::CLONE_SIGHAND | libc::CLONE_SYSVSEM;
    let flags = shared | libc::CLONE_THREAD | libc::CLONE_CHILD_CLEARTID;
    let (stack, stack_size) = stack.span();
    let arguments = CloneArguments {
        flags: flags as u64,
        child_tid: word.as_ptr() as u64,
        stack,
        stack_size,
        ..CloneArguments::default()
    };
    word.store(ALIVE, Ordering::Relaxed);
    let act: *const F = act;
    // SAFETY: the caller keeps stack and closure until the thread has ended.
    unsafe { clone3_on_stack(&arguments, act_and_end::<F>, act.cast_mut().cast()) }.map(|_| Started { word })
}

impl Started<'_> {
    /// Waits until the thread has ended.
    ///
    /// # Errors
    /// When the kernel refuses to wait.
    #[inline(always)]
    fn join(self) -> Result<()> {
        for _ in 0..MAX_WAITS {
            if self.word.load(Ordering::Acquire) != ALIVE {
                return Ok(());
            }
            // The kernel wakes waiters of any process, so the wait is not a private one.
            let result = futex::wait(self.word, ALIVE, Scope::Shared);
            let harmless = [0, -(libc::EAGAIN as isize), -(libc::EINTR as isize)];
            if !harmless.contains(&result) {
                self.watch();
                return Error::check("futex", result).map(|_| ());
            }
        }
        self.watch();
        Ok(())
    }

    /// Watches the word where the kernel does not let us sleep: the stack must not go before the thread.
    fn watch(&self) {
        while self.word.load(Ordering::Acquire) == ALIVE {
            std::thread::yield_now();
        }
    }
}

extern "C" fn act_and_end<F: Fn() + Sync>(act: *mut libc::c_void) -> ! {
    // SAFETY: `start` gave the address of a closure that lives until this thread has ended.
    unsafe { (*act.cast::<F>())() };
    loop {
        // SAFETY: the call ends this thread only and does not return.
        unsafe { arch::syscall::<{ libc::SYS_exit }, _>([]) };
    }
}

/// Makes a thread that calls `act` on `stack`, and waits until it has ended. `act` must not panic and must use
/// no thread-local storage.
///
/// # Errors
/// When no thread can be made or waited for.
#[inline(always)]
pub fn create_and_join<F: Fn() + Sync>(stack: &mut Stack, act: &F) -> Result<()> {
    let word = AtomicU32::new(ALIVE);
    // SAFETY: stack and closure are borrowed beyond the join, which is in the same expression's scope.
    let started = unsafe { start(stack, &word, act)? };
    started.join()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_ran_before_it_was_joined() {
        let mut stack = Stack::new().unwrap();
        let ran = AtomicU32::new(0);
        for turn in 1..=50 {
            let joined = create_and_join(&mut stack, &|| {
                ran.fetch_add(1, Ordering::Relaxed);
            });
            joined.unwrap();
            assert_eq!(ran.load(Ordering::Relaxed), turn);
        }
    }
}
