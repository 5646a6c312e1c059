//! Whether this process was stopped and continued, without a handler that would interrupt its system calls.

use crate::{Error, Result};

/// The set that holds SIGCONT alone.
fn only_continue() -> libc::sigset_t {
    // SAFETY: the structure is integers, for which zero is a value; both calls write to it alone.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCONT);
        set
    }
}

/// Blocks SIGCONT in the calling thread and in those that it makes from now on: a stopped process goes on all the same, and
/// [`was_continued`] learns of it afterwards.
///
/// # Errors
/// When the call is denied.
pub fn block_continue() -> Result<()> {
    let set = only_continue();
    // SAFETY: the set is valid; the old one is not asked for.
    let result = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    if result == 0 { Ok(()) } else { Err(Error { call: "pthread_sigmask", errno: result }) }
}

/// Whether SIGCONT came since it was blocked, or since the last call; `false` where it is not blocked.
pub fn was_continued() -> bool {
    let set = only_continue();
    let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: set and time live through the call; no information is asked for.
    let signal = unsafe { libc::sigtimedwait(&raw const set, std::ptr::null_mut(), &raw const at_once) };
    signal == libc::SIGCONT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};

    #[test]
    fn a_process_learns_that_it_was_continued() {
        // In a process of its own: its signals are those of no other test.
        let actor = Actor::spawn(None, || {
            let before = block_continue().is_ok() && !was_continued();
            // SAFETY: the call takes integers; the process is not stopped, and goes on.
            unsafe { libc::kill(libc::getpid(), libc::SIGCONT) };
            i32::from(before && was_continued() && !was_continued())
        });
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Exited(1));
    }
}
