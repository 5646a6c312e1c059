//! How late sleeps end, by the way to sleep and the time asked for.

use super::workloads::sleepers::sleep;
use measure::{Area, How, Operation, Point};
use quantity::Quantity;
use sys::sleep::Method;

/// Lengths of sleeps, where there is time for all; some can only be asked for in whole milliseconds.
const LENGTHS: &str = "duration=1us|10us|100us|1ms|10ms";
const WHOLE_MILLISECONDS: &str = "duration=1ms|10ms";

const SLEEP: Operation = Operation {
    area: Area::Os,
    one_iteration: "one sleep; the value is by how much it was longer than asked",
    quantity: Quantity::Latency,
    confounds: "An ordinary task is given a timer slack of 50 µs when nobody asks for less: the kernel may let it \
                oversleep so long to wake others with it, and does so unless another interrupt comes first. The \
                evidence has the slack in force. A virtual CPU that slept must be woken by the hypervisor.",
    how: How::Values,
    predict: &[
        "slack of timers(50000)",
        "entries(1)",
        "a timer's wake-up",
        "duration=1us|10us|100us: software t1 the wake-up = [sleep.timerfd duration=100us]",
        "after a long sleep",
        "software t1 enter the kernel = [syscall.floor]",
    ],
    bounds: &["> 0.5 × [syscall.floor]: the sleeper has to leave the kernel when the time is over"],
    spend_ns: 20_000_000,
    ..Operation::NEW
};

/// Lateness of nanosleep.
pub static NANOSLEEP: Operation = Operation {
    id: "sleep.nanosleep",
    title: "lateness of nanosleep",
    method: "nanosleep for a time, the monotonic clock read before and after; the time asked for is taken off.",
    sources: &[
        ("lmbench", "lat_usleep: the whole time, not what it is too long"),
        ("R4", "sleep(0)"),
    ],
    points: |profile| Point::of_profile(profile, "duration=1us|100us|1ms", LENGTHS),
    evidence: &[
        "duration=1us|10us: sleeps(0.5)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: nanosleep 1",
    ],
    run: |bench| sleep(bench, Method::Nanosleep),
    ..SLEEP
};

/// Lateness of clock_nanosleep.
pub static CLOCK_NANOSLEEP: Operation = Operation {
    id: "sleep.clock_nanosleep",
    title: "lateness of clock_nanosleep",
    method: "clock_nanosleep until an absolute moment of the monotonic clock, so that the time between reading the clock \
             and calling does not count.",
    sources: &[("lmbench", "lat_usleep -m nanosleep")],
    points: |profile| Point::of_profile(profile, "duration=100us", LENGTHS),
    evidence: &[
        "duration=1us|10us: sleeps(0.5)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: clock_nanosleep 1",
    ],
    run: |bench| sleep(bench, Method::ClockNanosleep),
    ..SLEEP
};

/// Lateness of select without descriptors.
pub static SELECT: Operation = Operation {
    id: "sleep.select",
    title: "lateness of select without descriptors",
    method: "pselect6 with a time and nothing to wait for. Its slack is a thousandth of the time where that is more than \
             the task's.",
    sources: &[("lmbench", "lat_usleep -m select")],
    points: |profile| Point::of_profile(profile, "duration=100us", LENGTHS),
    evidence: &[
        "duration=1us|10us: sleeps(0.5)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: pselect6 1",
    ],
    run: |bench| sleep(bench, Method::Select),
    ..SLEEP
};

/// Lateness of poll without descriptors.
pub static POLL: Operation = Operation {
    id: "sleep.poll",
    title: "lateness of poll without descriptors",
    method: "ppoll with a time and nothing to wait for, slack as for select.",
    sources: &[("lmbench", "none")],
    points: |profile| Point::of_profile(profile, "duration=1ms", LENGTHS),
    evidence: &[
        "duration=1us|10us: sleeps(0.5)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: ppoll 1",
    ],
    run: |bench| sleep(bench, Method::Poll),
    ..SLEEP
};

/// Lateness of epoll_wait on an empty set.
pub static EPOLL: Operation = Operation {
    id: "sleep.epoll",
    title: "lateness of epoll_wait on an empty set",
    method: "epoll_pwait on a set without members, in whole milliseconds, slack as for select.",
    sources: &[("lmbench", "none")],
    points: |profile| Point::of_profile(profile, "duration=1ms", WHOLE_MILLISECONDS),
    evidence: &[
        "duration=1us|10us: sleeps(0.5)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: epoll_pwait 1",
    ],
    run: |bench| sleep(bench, Method::EpollWait),
    ..SLEEP
};

/// Lateness of a timer's descriptor.
pub static TIMERFD: Operation = Operation {
    id: "sleep.timerfd",
    title: "lateness of a timer's descriptor",
    method: "timerfd_settime and read: a timer of this kind has no slack. The read must say that it expired once.",
    sources: &[("stress-ng", "--timerfd: expirations per second")],
    points: |profile| Point::of_profile(profile, "duration=100us", LENGTHS),
    predict: &[
        "slack of timers(0)",
        "entries(2)",
        "a timer's wake-up",
        "duration=1us|10us|100us: software t1 the wake-up = [switch.thread.futex cpu=other]",
        "after a long sleep",
        "software t1 enter the kernel = 2 × [syscall.floor]",
    ],
    evidence: &[
        "duration=1us|10us: sleeps(0)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: timerfd_settime 1, read 1",
    ],
    run: |bench| sleep(bench, Method::Timerfd),
    ..SLEEP
};

/// Lateness of a futex that nobody wakes.
pub static FUTEX: Operation = Operation {
    id: "sleep.futex",
    title: "lateness of a futex that nobody wakes",
    method: "FUTEX_WAIT with a time on a word that nobody changes; it must end with ETIMEDOUT.",
    sources: &[
        ("lmbench", "none"),
        ("glibc", "what pthread_cond_timedwait and sem_timedwait do"),
    ],
    points: |profile| Point::of_profile(profile, "duration=100us", LENGTHS),
    evidence: &[
        "duration=1us|10us: sleeps(0.5)",
        "duration=100us|1ms|10ms: sleeps(0.95)",
        "calls: futex 1",
    ],
    run: |bench| sleep(bench, Method::Futex),
    ..SLEEP
};
