//! Sleeping and giving way, by raw system calls.

use crate::{Error, Result, arch};

/// Allows the kernel to wake this thread so many nanoseconds late, so that it can join wake-ups.
///
/// # Errors
/// When the call is denied.
pub fn set_timer_slack(nanoseconds: u64) -> Result<()> {
    // SAFETY: the arguments are integers.
    if unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0) } == 0 {
        Ok(())
    } else {
        Err(Error::last("prctl"))
    }
}

/// How late the kernel may wake this thread, in nanoseconds.
///
/// # Errors
/// When the call is denied.
pub fn timer_slack() -> Result<u64> {
    // SAFETY: the arguments are integers.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
    u64::try_from(slack).map_err(|_| Error::last("prctl"))
}

/// Sleeps for no time at all, by `nanosleep`.
///
/// # Errors
/// When a signal came, or the call is denied.
#[inline(always)]
pub fn sleep_for_nothing() -> Result<()> {
    let nothing = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let arguments = [&raw const nothing as usize, 0, 0, 0, 0, 0];
    // SAFETY: the time is valid through the call, and what is left of it is not asked for.
    let result = unsafe { arch::syscall6(libc::SYS_nanosleep, arguments) };
    Error::check("nanosleep", result).map(|_| ())
}

/// Lets others run that wait for this CPU, if there are any.
///
/// # Errors
/// When the call is denied.
#[inline(always)]
pub fn give_way() -> Result<()> {
    // SAFETY: the call has no arguments.
    let result = unsafe { arch::syscall6(libc::SYS_sched_yield, [0; 6]) };
    Error::check("sched_yield", result).map(|_| ())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn slack_is_what_was_set() {
        // Of this test's own thread.
        set_timer_slack(1).unwrap();
        assert_eq!(timer_slack(), Ok(1));
        assert_eq!((sleep_for_nothing(), give_way()), (Ok(()), Ok(())));
    }
}
