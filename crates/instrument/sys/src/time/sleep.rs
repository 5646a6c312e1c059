//! Calls that sleep for a given time or yield the CPU, by raw system calls, and the slack that the kernel allows itself.

use crate::calls::constant_name;
use crate::descriptor::Descriptor;
use crate::signal;
use crate::timer::Timer;
use crate::{Error, Result, arch};
use rustix::event::epoll;
use rustix::thread::{current_timer_slack, set_current_timer_slack};
use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
use std::num::NonZeroU64;
use std::sync::atomic::AtomicU32;

/// A way to sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// `nanosleep`.
    Nanosleep,
    /// `clock_nanosleep` until a moment of the monotonic clock.
    ClockNanosleep,
    /// `pselect6` without descriptors, as the C library's `select` is made.
    Select,
    /// `ppoll` without descriptors, as the C library's `poll` is made.
    Poll,
    /// `epoll_wait` on a set without members; in whole milliseconds.
    EpollWait,
    /// A timer's descriptor, set and read.
    Timerfd,
    /// A futex that nobody wakes.
    Futex,
    /// The interval timer of the process, set for one signal, which is blocked and taken.
    IntervalTimer,
    /// A POSIX timer, set for one signal, which is blocked and taken.
    PosixTimer,
}

/// What a method needs to sleep, made before the first sleep.
#[derive(Debug)]
pub struct Sleeper {
    method: Method,
    descriptor: Option<Descriptor>,
    timer: Option<Timer>,
    word: AtomicU32,
}

fn timespec(nanos: i64) -> libc::timespec {
    libc::timespec { tv_sec: nanos / 1_000_000_000, tv_nsec: nanos % 1_000_000_000 }
}

/// The error of a sleep that ended other than by its time.
fn woken(call: &'static str, result: isize, at_the_end: isize) -> Result<()> {
    if result == at_the_end {
        return Ok(());
    }
    Error::check(call, result)?;
    Err(Error { call, errno: 0 })
}

/// Sleeps by a call that gives `at_the_end` when it ended by its time.
///
/// # Safety
/// As [`arch::syscall`].
#[inline(always)]
unsafe fn sleep_by<const NUMBER: i64, const N: usize>(
    arguments: [usize; N],
    at_the_end: isize,
) -> Result<()> {
    // SAFETY: the caller vouches for the arguments.
    let result = unsafe { arch::syscall::<NUMBER, _>(arguments) };
    woken(const { constant_name(NUMBER) }, result, at_the_end)
}

impl Sleeper {
    /// Makes ready.
    ///
    /// # Errors
    /// When no descriptor is left or the call is denied.
    pub fn new(method: Method) -> Result<Self> {
        let made = match method {
            Method::Timerfd => timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)
                .map(Some)
                .map_err(Error::in_call("timerfd_create")),
            Method::EpollWait => {
                epoll::create(epoll::CreateFlags::CLOEXEC).map(Some).map_err(Error::in_call("epoll_create1"))
            }
            Method::IntervalTimer | Method::PosixTimer => {
                signal::exchange_mask(signal::blocked()? | ALARM).map(|_| None)
            }
            _ => Ok(None),
        };
        let timer = (method == Method::PosixTimer).then(Timer::of_alarm).transpose()?;
        Ok(Self { method, descriptor: made?.map(Descriptor::from), timer, word: AtomicU32::new(0) })
    }

    /// Sleeps `nanos` nanoseconds from now, which is a moment of the monotonic clock; only some methods look
    /// at it.
    ///
    /// # Errors
    /// When the call is denied, or ended other than by its time.
    #[inline(always)]
    pub fn sleep(&self, now: i64, nanos: i64) -> Result<()> {
        let time = timespec(nanos);
        let time = &raw const time as usize;
        match self.method {
            // SAFETY: the time lives through the call; the rest is not asked for.
            Method::Nanosleep => unsafe { sleep_by::<{ libc::SYS_nanosleep }, _>([time], 0) },
            Method::ClockNanosleep => until(now + nanos),
            // SAFETY: no sets are given; the kernel may write what is left to `time`, which nobody reads.
            Method::Select => unsafe { sleep_by::<{ libc::SYS_pselect6 }, _>([0, 0, 0, 0, time], 0) },
            // SAFETY: as above.
            Method::Poll => unsafe { sleep_by::<{ libc::SYS_ppoll }, _>([0, 0, time, 0, 8], 0) },
            Method::Futex => self.on_futex(time),
            Method::EpollWait => self.on_epoll(nanos / 1_000_000),
            Method::Timerfd => self.on_timer(nanos),
            Method::IntervalTimer => on_interval_timer(nanos),
            Method::PosixTimer => self.on_posix_timer(nanos),
        }
    }

    fn on_futex(&self, time: usize) -> Result<()> {
        let operation = (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as usize;
        let arguments = [self.word.as_ptr() as usize, operation, 0, time];
        // SAFETY: word and time live through the call.
        unsafe { sleep_by::<{ libc::SYS_futex }, _>(arguments, -(libc::ETIMEDOUT as isize)) }
    }

    fn on_epoll(&self, milliseconds: i64) -> Result<()> {
        let set = self.descriptor.as_ref().map_or(-1, Descriptor::number);
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        let arguments = [set as usize, &raw mut event as usize, 1, milliseconds as usize, 0, 8];
        // SAFETY: there is room for the one event.
        unsafe { sleep_by::<{ libc::SYS_epoll_pwait }, _>(arguments, 0) }
    }

    fn on_timer(&self, nanos: i64) -> Result<()> {
        let Some(timer) = &self.descriptor else {
            return Err(Error { call: "timerfd_create", errno: libc::EBADF });
        };
        let setting = libc::itimerspec { it_interval: timespec(0), it_value: timespec(nanos) };
        let arguments = [timer.number() as usize, 0, &raw const setting as usize];
        // SAFETY: the setting lives through the call; the old one is not asked for.
        unsafe { arch::try_syscall::<{ libc::SYS_timerfd_settime }, _>(arguments) }?;
        let mut times = [0; 8];
        timer.read_all(&mut times)?;
        if u64::from_ne_bytes(times) == 1 { Ok(()) } else { Err(Error { call: "timerfd_settime", errno: 0 }) }
    }

    fn on_posix_timer(&self, nanos: i64) -> Result<()> {
        let Some(timer) = &self.timer else {
            return Err(Error { call: "timer_create", errno: libc::EINVAL });
        };
        timer.set(nanos)?;
        take_alarm()
    }
}

/// The bit of SIGALRM in a set of signals.
const ALARM: u64 = 1 << (libc::SIGALRM - 1);

fn on_interval_timer(nanos: i64) -> Result<()> {
    let microseconds = nanos / 1000;
    let time = |microseconds: i64| libc::timeval {
        tv_sec: microseconds / 1_000_000,
        tv_usec: microseconds % 1_000_000,
    };
    let setting = libc::itimerval { it_interval: time(0), it_value: time(microseconds) };
    let arguments = [libc::ITIMER_REAL as usize, &raw const setting as usize, 0];
    // SAFETY: the setting lives through the call; the old one is not asked for.
    unsafe { arch::try_syscall::<{ libc::SYS_setitimer }, _>(arguments) }?;
    take_alarm()
}

/// Waits for the signal, which is blocked, and takes it.
fn take_alarm() -> Result<()> {
    let alarm = ALARM;
    let arguments = [&raw const alarm as usize, 0, 0, size_of_val(&alarm)];
    // SAFETY: the set lives through the call; neither information nor an end of the wait is asked for.
    unsafe { sleep_by::<{ libc::SYS_rt_sigtimedwait }, _>(arguments, libc::SIGALRM as isize) }
}

/// Sleeps until a moment of the monotonic clock.
///
/// # Errors
/// When the call is denied, or a signal came first.
#[inline(always)]
pub fn until(due: i64) -> Result<()> {
    let due = timespec(due);
    let arguments = [libc::CLOCK_MONOTONIC as usize, libc::TIMER_ABSTIME as usize, &raw const due as usize];
    // SAFETY: the time lives through the call; with an absolute time nothing is left over.
    unsafe { sleep_by::<{ libc::SYS_clock_nanosleep }, _>(arguments, 0) }
}

/// Sleeps for no time at all, by `nanosleep`.
///
/// # Errors
/// When a signal came, or the call is denied.
#[inline(always)]
pub fn sleep_zero() -> Result<()> {
    let nothing = timespec(0);
    // SAFETY: the time is valid through the call, and what is left of it is not asked for.
    unsafe { sleep_by::<{ libc::SYS_nanosleep }, _>([&raw const nothing as usize], 0) }
}

/// Lets others run that wait for this CPU, if there are any.
///
/// # Errors
/// When the call is denied.
#[inline(always)]
pub fn yield_cpu() -> Result<()> {
    // SAFETY: the call has no arguments.
    unsafe { arch::try_syscall::<{ libc::SYS_sched_yield }, _>([]) }.map(|_| ())
}

/// As [`yield_cpu`], by the C library.
///
/// # Errors
/// When the call is denied.
#[inline(always)]
pub fn yield_cpu_by_libc() -> Result<()> {
    // SAFETY: the call has no arguments.
    Error::check_errno("sched_yield", unsafe { libc::sched_yield() }).map(|_| ())
}

/// By how many nanoseconds the kernel may let the calling thread oversleep.
///
/// # Errors
/// When the call is denied.
pub fn slack_nanos() -> Result<usize> {
    let nanos = current_timer_slack().map_err(Error::in_call("prctl"))?;
    Ok(usize::try_from(nanos).unwrap_or(usize::MAX))
}

/// Sets by how many nanoseconds the kernel may let the calling thread oversleep; 0 for what it began with.
///
/// # Errors
/// When the call is denied.
pub fn set_slack(nanos: usize) -> Result<()> {
    set_current_timer_slack(NonZeroU64::new(nanos as u64)).map_err(Error::in_call("prctl"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_time::{KernelClock, read};
    use crate::process::{Actor, Ended};

    const ALL: [Method; 7] = [
        Method::Nanosleep,
        Method::ClockNanosleep,
        Method::Select,
        Method::Poll,
        Method::EpollWait,
        Method::Timerfd,
        Method::Futex,
    ];

    #[test]
    fn timers_with_a_signal_do_not_end_early() {
        for method in [Method::IntervalTimer, Method::PosixTimer] {
            does_not_end_early(method);
        }
    }

    fn does_not_end_early(method: Method) {
        // In a process of its own: the signal goes to any thread that does not block it.
        let slept = || {
            let sleeper = Sleeper::new(method)?;
            let begun = read(KernelClock::Monotonic).unwrap_or(0);
            sleeper.sleep(begun, 2_000_000)?;
            Ok::<_, Error>(read(KernelClock::Monotonic).is_some_and(|now| now - begun >= 2_000_000))
        };
        let actor = Actor::spawn(None, || i32::from(slept() == Ok(true)));
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Exited(1));
    }

    #[test]
    fn no_sleep_ends_early() {
        let now = || read(KernelClock::Monotonic).unwrap();
        for method in ALL {
            let sleeper = Sleeper::new(method).unwrap();
            let begun = now();
            sleeper.sleep(begun, 2_000_000).unwrap();
            assert!(now() - begun >= 2_000_000, "{method:?}");
        }
        let due = now() + 1_000_000;
        until(due).unwrap();
        assert!(now() >= due);
    }

    #[test]
    fn zero_sleeps_and_yields_are_allowed() {
        assert_eq!((sleep_zero(), yield_cpu()), (Ok(()), Ok(())));
    }

    #[test]
    fn slack_is_read_as_it_was_set() {
        let before = slack_nanos().unwrap();
        set_slack(12_345).unwrap();
        assert_eq!(slack_nanos().unwrap(), 12_345);
        set_slack(0).unwrap();
        assert_eq!(slack_nanos().unwrap(), before);
    }

    #[test]
    fn a_sleep_that_ended_otherwise_is_an_error() {
        assert_eq!(woken("x", 0, 0), Ok(()));
        assert_eq!(woken("x", -4, 0), Err(Error { call: "x", errno: libc::EINTR }));
        assert_eq!(woken("x", 1, 0), Err(Error { call: "x", errno: 0 }));
    }
}
