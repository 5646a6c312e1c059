//! How late sleeps end, by the way to sleep and the time asked for.

use super::workloads::sleepers::{self, now};
use measure::{Area, Bench, Failure, How, Operation, Point};
use quantity::Quantity;
use record::Profile;
use sys::sleep::{self, Method, Sleeper};

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
        "length=1us|10us|100us: software t1 the wake-up = [sleep.timerfd length=100us]",
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
    points: |profile| points(profile, &["1us", "100us", "1ms"], Method::Nanosleep),
    evidence: &[
        "length=1us|10us: sleeps(0.5)",
        "length=100us|1ms|10ms: sleeps(0.95)",
        "calls: nanosleep 1",
    ],
    run: |bench| run(bench, Method::Nanosleep),
    ..SLEEP
};

/// Lateness of clock_nanosleep.
pub static CLOCK_NANOSLEEP: Operation = Operation {
    id: "sleep.clock_nanosleep",
    title: "lateness of clock_nanosleep",
    method: "clock_nanosleep until an absolute moment of the monotonic clock, so that the time between reading the clock \
             and calling does not count.",
    sources: &[("lmbench", "lat_usleep -m nanosleep")],
    points: |profile| points(profile, &["100us"], Method::ClockNanosleep),
    evidence: &[
        "length=1us|10us: sleeps(0.5)",
        "length=100us|1ms|10ms: sleeps(0.95)",
        "calls: clock_nanosleep 1",
    ],
    run: |bench| run(bench, Method::ClockNanosleep),
    ..SLEEP
};

/// Lateness of select without descriptors.
pub static SELECT: Operation = Operation {
    id: "sleep.select",
    title: "lateness of select without descriptors",
    method: "pselect6 with a time and nothing to wait for. Its slack is a thousandth of the time where that is more than \
             the task's.",
    sources: &[("lmbench", "lat_usleep -m select")],
    points: |profile| points(profile, &["100us"], Method::Select),
    evidence: &[
        "length=1us|10us: sleeps(0.5)",
        "length=100us|1ms|10ms: sleeps(0.95)",
        "calls: pselect6 1",
    ],
    run: |bench| run(bench, Method::Select),
    ..SLEEP
};

/// Lateness of poll without descriptors.
pub static POLL: Operation = Operation {
    id: "sleep.poll",
    title: "lateness of poll without descriptors",
    method: "ppoll with a time and nothing to wait for, slack as for select.",
    sources: &[("lmbench", "none")],
    points: |profile| points(profile, &["1ms"], Method::Poll),
    evidence: &[
        "length=1us|10us: sleeps(0.5)",
        "length=100us|1ms|10ms: sleeps(0.95)",
        "calls: ppoll 1",
    ],
    run: |bench| run(bench, Method::Poll),
    ..SLEEP
};

/// Lateness of epoll_wait on an empty set.
pub static EPOLL: Operation = Operation {
    id: "sleep.epoll",
    title: "lateness of epoll_wait on an empty set",
    method: "epoll_pwait on a set without members, in whole milliseconds, slack as for select.",
    sources: &[("lmbench", "none")],
    points: |profile| points(profile, &["1ms"], Method::EpollWait),
    evidence: &[
        "length=1us|10us: sleeps(0.5)",
        "length=100us|1ms|10ms: sleeps(0.95)",
        "calls: epoll_pwait 1",
    ],
    run: |bench| run(bench, Method::EpollWait),
    ..SLEEP
};

/// Lateness of a timer's descriptor.
pub static TIMERFD: Operation = Operation {
    id: "sleep.timerfd",
    title: "lateness of a timer's descriptor",
    method: "timerfd_settime and read: a timer of this kind has no slack. The read must say that it expired once.",
    sources: &[("stress-ng", "--timerfd: expirations per second")],
    points: |profile| points(profile, &["100us"], Method::Timerfd),
    predict: &[
        "slack of timers(0)",
        "entries(2)",
        "a timer's wake-up",
        "length=1us|10us|100us: software t1 the wake-up = [switch.thread.futex cpu=other]",
        "after a long sleep",
        "software t1 enter the kernel = 2 × [syscall.floor]",
    ],
    evidence: &[
        "length=1us|10us: sleeps(0)",
        "length=100us|1ms|10ms: sleeps(0.95)",
        "calls: timerfd_settime 1, read 1",
    ],
    run: |bench| run(bench, Method::Timerfd),
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
    points: |profile| points(profile, &["100us"], Method::Futex),
    evidence: &[
        "length=1us|10us: sleeps(0.5)",
        "length=100us|1ms|10ms: sleeps(0.95)",
        "calls: futex 1",
    ],
    run: |bench| run(bench, Method::Futex),
    ..SLEEP
};

/// Lengths in nanoseconds, by name.
const LENGTHS: [(&str, i64); 5] = [
    ("1us", 1_000),
    ("10us", 10_000),
    ("100us", 100_000),
    ("1ms", 1_000_000),
    ("10ms", 10_000_000),
];

fn points(profile: Profile, standard: &[&str], method: Method) -> Vec<Point> {
    let possible = LENGTHS
        .iter()
        .filter(|(_, nanos)| method != Method::EpollWait || *nanos >= 1_000_000);
    let asked = possible.filter(|(name, _)| profile == Profile::Thorough || standard.contains(name));
    asked
        .map(|(name, _)| Point::only().with("length", name))
        .collect()
}

fn length(point: &Point) -> Option<i64> {
    let found = LENGTHS.iter().find(|(name, _)| point.get("length") == Some(name));
    found.map(|(_, nanos)| *nanos)
}

/// Fewest and most sleeps of a trial.
const SLEEPS: (i64, i64) = (5, 64);

/// What a sleep takes besides its length, roughly; only the number of sleeps depends on it.
const BESIDES_NS: i64 = 100_000;

fn run(bench: &mut Bench<'_>, method: Method) -> Result<(), Failure> {
    let nanos =
        length(bench.point()).ok_or_else(|| Failure::Failed("the point needs a length".to_owned()))?;
    let sleeper = Sleeper::new(method)?;
    if bench.is_rehearsal() {
        return bench.each(false, &mut || Ok(sleeper.sleep(0, nanos).map(|()| 1)?));
    }
    bench.count("slack_ns", sleep::slack_nanos()? as f64, 1.0);
    let spend = i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX);
    let sleeps = (spend / (nanos + BESIDES_NS)).clamp(SLEEPS.0, SLEEPS.1);
    let late = sleepers::observe(bench, usize::try_from(sleeps).unwrap_or(5), || {
        let begun = now()?;
        sleeper.sleep(begun, nanos)?;
        Ok(now()? - begun - nanos)
    })?;
    bench.values(late);
    Ok(())
}
