//! Lateness of sleeps, by system call and requested duration.

use measure::{How, Operation, takes};
use sys::sleep::Method;
use workloads::os::sleepers::{Sleep, sleep};

/// Durations of the thorough profile; some calls take whole milliseconds only.
const DURATIONS: &str = "profile=thorough: duration=1us|10us|100us|1ms|10ms";
/// What the sleeper's CPU does while it is idle.
const IDLE: &str = "profile!=quick: duration=100us idle=busy|polling";
const WHOLE_MILLISECONDS: &str = "profile=thorough: duration=1ms|10ms";

const SLEEP: Operation = Operation {
    one_iteration: "one sleep; the value is its duration minus the requested one",
    confounds: "The default timer slack is 50 µs: the kernel may delay a wake-up by as much to coalesce timers, and does so unless \
                another interrupt comes first. The evidence has the slack in force. An idle virtual CPU must be woken by the \
                hypervisor.",
    how: How::Values,
    predict: &[
        "slack of timers(50000)",
        "entries(1)",
        "a timer's wake-up",
        "idle!=* duration=1us|10us|100us: software t1 wake-up = [sleep.timerfd duration=100us]",
        "idle=*: software t1 wake-up = [sleep.timerfd duration=100us idle={idle}]",
        "after a long sleep",
        "software t1 system call = [syscall.floor]",
    ],
    bounds: &["> 0.5 × [syscall.floor]: the sleeper returns from the kernel"],
    spend_ns: 20_000_000,
    parameters: takes::<Sleep>,
    ..super::COMMON
};

/// Lateness of nanosleep.
pub static NANOSLEEP: Operation = Operation {
    id: "sleep.nanosleep",
    title: "lateness of nanosleep",
    method: "nanosleep by the system-call instruction between two reads of the monotonic clock, minus the requested duration.",
    sources: &[
        ("lmbench", "lat_usleep: the whole time, not the lateness"),
        ("R4, 4.3", "sleep(0); other durations and how exactly they are kept were planned"),
        ("stress-ng", "--nanosleep: the mean lateness of sleeps of 1 ns to 1 ms, by several threads"),
    ],
    points: &["profile!=thorough: duration=1us|100us|1ms", DURATIONS],
    evidence: &["sleeps of any duration", "calls: nanosleep 1"],
    run: |bench| sleep(bench, Method::Nanosleep),
    ..SLEEP
};

/// Lateness of clock_nanosleep.
pub static CLOCK_NANOSLEEP: Operation = Operation {
    id: "sleep.clock_nanosleep",
    title: "lateness of clock_nanosleep",
    method: "clock_nanosleep until an absolute time of the monotonic clock, which excludes the time between clock read and \
             call.",
    sources: &[("lmbench", "lat_usleep -u nanosleep")],
    points: &["profile!=thorough: duration=100us", DURATIONS, IDLE],
    evidence: &["sleeps of any duration", "calls: clock_nanosleep 1"],
    run: |bench| sleep(bench, Method::ClockNanosleep),
    ..SLEEP
};

/// Lateness of select without descriptors.
pub static SELECT: Operation = Operation {
    id: "sleep.select",
    title: "lateness of select without descriptors",
    method: "pselect6 with a timeout and without descriptors. Its slack is 0.1 % of the timeout, at least the thread's.",
    sources: &[("lmbench", "lat_usleep -u select, pselect")],
    points: &["profile!=thorough: duration=100us", DURATIONS],
    evidence: &["sleeps of any duration", "calls: pselect6 1"],
    run: |bench| sleep(bench, Method::Select),
    ..SLEEP
};

/// Lateness of poll without descriptors.
pub static POLL: Operation = Operation {
    id: "sleep.poll",
    title: "lateness of poll without descriptors",
    method: "ppoll with a timeout and without descriptors, slack as for select.",
    sources: &[("lmbench", "none")],
    points: &["profile!=thorough: duration=1ms", DURATIONS],
    evidence: &["sleeps of any duration", "calls: ppoll 1"],
    run: |bench| sleep(bench, Method::Poll),
    ..SLEEP
};

/// Lateness of epoll_wait on an empty set.
pub static EPOLL: Operation = Operation {
    id: "sleep.epoll",
    title: "lateness of epoll_wait on an empty set",
    method: "epoll_pwait on an empty set, in whole milliseconds, slack as for select.",
    sources: &[("lmbench", "none")],
    points: &["profile!=thorough: duration=1ms", WHOLE_MILLISECONDS],
    evidence: &["sleeps of any duration", "calls: epoll_pwait 1"],
    run: |bench| sleep(bench, Method::EpollWait),
    ..SLEEP
};

/// Lateness of a timerfd.
pub static TIMERFD: Operation = Operation {
    id: "sleep.timerfd",
    title: "lateness of a timerfd",
    method: "timerfd_settime and read, which must report one expiration. A timerfd has no slack.",
    sources: &[("stress-ng", "--timerfd: expirations per second")],
    points: &["profile!=thorough: duration=100us", DURATIONS, IDLE],
    predict: &[
        "slack of timers(0)",
        "entries(2)",
        "a timer's wake-up from its parts",
        "software t1 system call = 2 × [syscall.floor]",
    ],
    evidence: &[
        "duration=1us|10us: sleeps(0)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: timerfd_settime 1, read 1",
    ],
    run: |bench| sleep(bench, Method::Timerfd),
    ..SLEEP
};

/// Lateness of a futex wait with timeout.
pub static FUTEX: Operation = Operation {
    id: "sleep.futex",
    title: "lateness of a futex wait with timeout",
    method: "FUTEX_WAIT with a timeout, without a waker; it must end with ETIMEDOUT.",
    sources: &[("lmbench", "none"), ("glibc", "pthread_cond_timedwait and sem_timedwait")],
    points: &["profile!=thorough: duration=100us", DURATIONS],
    evidence: &["sleeps of any duration", "calls: futex 1"],
    run: |bench| sleep(bench, Method::Futex),
    ..SLEEP
};

/// Lateness of the interval timer.
pub static INTERVAL_TIMER: Operation = Operation {
    id: "sleep.itimer",
    title: "lateness of an interval timer (setitimer)",
    method: "setitimer(ITIMER_REAL) for one SIGALRM, which is blocked, and rt_sigtimedwait, which takes it. The timer has no slack; \
             its resolution is 1 µs.",
    sources: &[("lmbench", "lat_usleep -u itimer: a handler counts periodic signals")],
    points: &["profile!=thorough: duration=100us", DURATIONS],
    predict: &[
        "slack of timers(0)",
        "entries(2)",
        "a timer's wake-up",
        "duration=1us|10us|100us: software t1 wake-up = [sleep.timerfd duration=100us]",
        "after a long sleep",
        "software t1 system call = 2 × [syscall.floor]",
    ],
    evidence: &[
        "duration=1us|10us: sleeps(0)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: setitimer 1, rt_sigtimedwait 1",
    ],
    run: |bench| sleep(bench, Method::IntervalTimer),
    ..SLEEP
};

/// Lateness of a POSIX timer.
pub static POSIX_TIMER: Operation = Operation {
    id: "sleep.posix_timer",
    title: "lateness of a POSIX timer (timer_settime)",
    method: "timer_settime of a timer of the monotonic clock for one SIGALRM, which is blocked, and rt_sigtimedwait, which takes it. \
             The timer is made before the first sleep and has no slack.",
    sources: &[("rt-tests", "cyclictest -x: a periodic timer of each thread")],
    evidence: &[
        "duration=1us|10us: sleeps(0)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: timer_settime 1, rt_sigtimedwait 1",
    ],
    bounds: &[
        "> 0.5 × [syscall.floor]: the sleeper returns from the kernel",
        // Without timers of high resolution it expires at a tick.
        "< 10 × kernel.tick_ns: a timer is late by one tick at most, and the wake-up after it by milliseconds",
    ],
    run: |bench| sleep(bench, Method::PosixTimer),
    ..INTERVAL_TIMER
};
