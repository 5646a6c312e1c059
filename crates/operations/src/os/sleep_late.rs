//! How late sleeps end, by the way to sleep and the time asked for.

use super::timer_wake_up::{self, now};
use measure::term;
use measure::{Area, Bench, Failure, How, Operation, Point, calls, told_cycles};
use quantity::Quantity;
use record::{Bound, Formula, Prediction, Profile, Side};
use sys::sleep::{self, Method, Sleeper};

const SLEEP: Operation = Operation {
    area: Area::Os,
    one_iteration: "one sleep; the value is by how much it was longer than asked",
    quantity: Quantity::Latency,
    confounds: "An ordinary task is given a timer slack of 50 µs when nobody asks for less: the kernel may let it \
                oversleep so long to wake others with it, and does so unless another interrupt comes first. The \
                evidence has the slack in force. A virtual CPU that slept must be woken by the hypervisor.",
    how: How::Values,
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("syscall.floor", "").times(0.5),
            because: "the sleeper has to leave the kernel when the time is over".to_owned(),
        }]
    },
    spend_ns: 20_000_000,
    ..Operation::NEW
};

macro_rules! sleeps {
    ($($name:ident, $id:literal, $method:ident, $title:literal, $how:literal, $sources:expr, $calls:expr, $standard:expr;)+) => {
        $(
            #[doc = $title]
            pub static $name: Operation = Operation {
                id: $id,
                title: $title,
                method: $how,
                sources: $sources,
                points: |profile| points(profile, $standard, Method::$method),
                computed_prediction: |point| predict(point, Method::$method),
                computed_witnesses: |point| {
                    let mut all = timer_wake_up::witnesses(least_switches(point, Method::$method));
                    all.extend(calls($calls));
                    all
                },
                run: |bench| run(bench, Method::$method),
                ..SLEEP
            };
        )+
    };
}

sleeps! {
    NANOSLEEP, "sleep.nanosleep", Nanosleep, "lateness of nanosleep",
        "nanosleep for a time, the monotonic clock read before and after; the time asked for is taken off.",
        &[("lmbench", "lat_usleep: the whole time, not what it is too long"), ("R4", "sleep(0)")],
        &[("nanosleep", 1.0)], &["1us", "100us", "1ms"];
    CLOCK_NANOSLEEP, "sleep.clock_nanosleep", ClockNanosleep, "lateness of clock_nanosleep",
        "clock_nanosleep until an absolute moment of the monotonic clock, so that the time between reading the clock \
         and calling does not count.",
        &[("lmbench", "lat_usleep -m nanosleep")],
        &[("clock_nanosleep", 1.0)], &["100us"];
    SELECT, "sleep.select", Select, "lateness of select without descriptors",
        "pselect6 with a time and nothing to wait for. Its slack is a thousandth of the time where that is more than \
         the task's.",
        &[("lmbench", "lat_usleep -m select")],
        &[("pselect6", 1.0)], &["100us"];
    POLL, "sleep.poll", Poll, "lateness of poll without descriptors",
        "ppoll with a time and nothing to wait for, slack as for select.",
        &[("lmbench", "none")],
        &[("ppoll", 1.0)], &["1ms"];
    EPOLL, "sleep.epoll", EpollWait, "lateness of epoll_wait on an empty set",
        "epoll_pwait on a set without members, in whole milliseconds, slack as for select.",
        &[("lmbench", "none")],
        &[("epoll_pwait", 1.0)], &["1ms"];
    TIMERFD, "sleep.timerfd", Timerfd, "lateness of a timer's descriptor",
        "timerfd_settime and read: a timer of this kind has no slack. The read must say that it expired once.",
        &[("stress-ng", "--timerfd: expirations per second")],
        &[("timerfd_settime", 1.0), ("read", 1.0)], &["100us"];
    FUTEX, "sleep.futex", Futex, "lateness of a futex that nobody wakes",
        "FUTEX_WAIT with a time on a word that nobody changes; it must end with ETIMEDOUT.",
        &[("lmbench", "none"), ("glibc", "what pthread_cond_timedwait and sem_timedwait do")],
        &[("futex", 1.0)], &["100us"];
}

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

/// Switches that each sleep makes at least: a short one may be over before the task is off the CPU.
fn least_switches(point: &Point, method: Method) -> f64 {
    match (method, length(point)) {
        (Method::Timerfd, Some(..=10_000)) => 0.0,
        (_, Some(..=10_000)) => 0.5,
        _ => 0.95,
    }
}

/// Slack that the kernel takes for this sleep.
fn slack(point: &Point, method: Method) -> Formula {
    let nanos = match method {
        Method::Timerfd => 0.0,
        Method::Select | Method::Poll | Method::EpollWait => {
            (length(point).unwrap_or_default() as f64 / 1_000.0).max(50_000.0)
        }
        _ => 50_000.0,
    };
    let source = "prctl(2), PR_SET_TIMERSLACK: 50 µs unless a parent set another; fs/select.c: a thousandth of the time";
    Formula::cited(nanos, 1.05, source)
}

fn predict(point: &Point, method: Method) -> Prediction {
    let slack = || term(Side::Software, "the slack of timers", slack(point, method));
    let calls = if method == Method::Timerfd { 2.0 } else { 1.0 };
    let entry = told_cycles(super::syscall::entry_cycles().times(calls));
    let mut from_facts = vec![slack(), term(Side::Hardware, "enter and leave the kernel", entry)];
    from_facts.extend(timer_wake_up::from_facts(true));
    // A CPU that has slept for a millisecond sleeps more deeply than one that has slept for a tenth of it.
    let long = length(point).is_some_and(|nanos| nanos >= 1_000_000);
    let wake_up = if long {
        Formula::part("wakeup.latency", "load=idle")
    } else if method == Method::Timerfd {
        Formula::part("switch.thread.futex", "cpu=other")
    } else {
        Formula::part(TIMERFD.id, "length=100us")
    };
    Prediction {
        from_facts,
        from_parts: vec![
            slack(),
            term(Side::Software, "the wake-up", wake_up),
            term(
                Side::Software,
                "enter the kernel",
                Formula::part("syscall.floor", "").times(calls),
            ),
        ],
    }
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
    let late = timer_wake_up::observe(bench, usize::try_from(sleeps).unwrap_or(5), || {
        let begun = now()?;
        sleeper.sleep(begun, nanos)?;
        Ok(now()? - begun - nanos)
    })?;
    bench.values(late);
    Ok(())
}
