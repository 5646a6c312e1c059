//! POSIX timers of a process, which send a signal when they expire.

use crate::{Error, Result, arch};
use std::mem::zeroed;

/// A timer of the monotonic clock, deleted when dropped.
#[derive(Debug)]
pub struct Timer(i32);

impl Timer {
    /// Makes one that sends this signal, by one system call.
    ///
    /// # Errors
    /// When the call is denied, or there is a limit on signals.
    #[inline(always)]
    pub(crate) fn new(signal: i32) -> Result<Self> {
        // SAFETY: the structure is integers and a union of them, for which zero is a value.
        let mut event: libc::sigevent = unsafe { zeroed() };
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = signal;
        let mut number = 0_i32;
        let arguments = [libc::CLOCK_MONOTONIC as usize, &raw const event as usize, &raw mut number as usize];
        // SAFETY: the event and the number live through the call.
        unsafe { arch::try_syscall::<{ libc::SYS_timer_create }, _>(arguments) }?;
        Ok(Self(number))
    }

    /// Makes one that sends SIGALRM and deletes it, by two system calls; gives its number.
    ///
    /// # Errors
    /// When a call is denied.
    #[inline(always)]
    pub fn create_and_delete() -> Result<i32> {
        let timer = std::mem::ManuallyDrop::new(Self::new(libc::SIGALRM)?);
        delete(timer.0)?;
        Ok(timer.0)
    }

    /// Makes one that sends SIGALRM.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn of_alarm() -> Result<Self> {
        Self::new(libc::SIGALRM)
    }

    /// Its number in this process.
    pub fn number(&self) -> i32 {
        self.0
    }

    /// Lets it expire once after some time, or with 0 never; gives the time that was left of the setting before.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn set(&self, nanos: i64) -> Result<i64> {
        // SAFETY: the structure is integers.
        let (mut before, mut setting): (libc::itimerspec, libc::itimerspec) = unsafe { (zeroed(), zeroed()) };
        setting.it_value = libc::timespec { tv_sec: nanos / 1_000_000_000, tv_nsec: nanos % 1_000_000_000 };
        let arguments = [self.0 as usize, 0, &raw const setting as usize, &raw mut before as usize];
        // SAFETY: both settings live through the call.
        unsafe { arch::try_syscall::<{ libc::SYS_timer_settime }, _>(arguments) }?;
        Ok(before.it_value.tv_sec * 1_000_000_000 + before.it_value.tv_nsec)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let _ = delete(self.0);
    }
}

#[inline(always)]
fn delete(number: i32) -> Result<()> {
    // SAFETY: the call takes an integer.
    unsafe { arch::try_syscall::<{ libc::SYS_timer_delete }, _>([number as usize]) }.map(|_| ())
}

/// Whether a number is that of a timer of this process.
///
/// # Errors
/// When the call is denied.
pub fn exists(number: i32) -> Result<bool> {
    // SAFETY: the structure is integers.
    let mut left: libc::itimerspec = unsafe { zeroed() };
    // SAFETY: the structure lives through the call, which fills it.
    let found = unsafe {
        arch::try_syscall::<{ libc::SYS_timer_gettime }, _>([number as usize, &raw mut left as usize])
    };
    match found {
        Ok(_) => Ok(true),
        Err(Error { errno: libc::EINVAL, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_is_there_until_it_is_deleted() {
        let timer = Timer::of_alarm().unwrap();
        let number = timer.0;
        assert_eq!(exists(number), Ok(true));
        drop(timer);
        assert_eq!(exists(number), Ok(false));
        let deleted = Timer::create_and_delete().unwrap();
        assert_eq!(exists(deleted), Ok(false));
    }

    #[test]
    fn a_setting_gives_what_was_left_of_the_one_before() {
        let timer = Timer::of_alarm().unwrap();
        let hour = 3_600_000_000_000;
        assert_eq!(timer.set(hour), Ok(0));
        let left = timer.set(0).unwrap();
        assert!(left > hour / 2 && left <= hour, "{left}");
        assert_eq!(timer.set(0), Ok(0));
    }
}
