//! Wake-up latency: from the expiry of a timer until the waiting thread runs, as in cyclictest.

use measure::{How, Operation, takes};
use record::Need;
use workloads::os::sleepers::{WakeUps, wake_ups};

/// Common to wake-ups by a timer.
pub const WAKE_UP: Operation = Operation {
    one_iteration: "one sleep until an absolute time, 1 ms after the previous one; the value is its lateness",
    how: How::Values,
    needs: |_| vec![Need::Pinning],
    parameters: takes::<WakeUps>,
    points: &["load=idle|busy", "profile!=quick: load=idle idle=busy|polling"],
    evidence: &[
        "sleeps(0.95)",
        "load=busy: sibling.cpu_share 0.2..1.02 (if consistent): the sibling process ran while the thread slept",
    ],
    bounds: &["> 300 cycles × cycle_ns: timer interrupt, wake-up and switch"],
    spend_ns: 30_000_000,
    ..super::COMMON
};

/// Lateness of every wake-up.
pub static LATENCY: Operation = Operation {
    id: "wakeup.latency",
    title: "wake-up latency, timer expiry until the thread runs",
    method: "clock_nanosleep until absolute times of the monotonic clock 1 ms apart, with a timer slack of 1 ns; the clock read \
             afterwards minus the requested time. With load=busy a process of the same priority computes on the same CPU. \
             Every wake-up is a value; the evidence has the 9th decile and the maximum of each trial.",
    confounds: "The scheduling class is SCHED_OTHER; cyclictest usually runs with a real-time priority, which hides other \
                programs. An idle CPU must be woken, in a virtual machine by the hypervisor; with load=busy the thread must \
                preempt the other process.",
    sources: &[
        ("cyclictest", "clock_nanosleep with absolute time, 1 ms: minimum, mean and maximum"),
        (
            "stress-ng",
            "--cyclic: relative sleeps by one of several calls: mean, mode, minimum, maximum, standard deviation and percentiles",
        ),
    ],
    predict: &["a timer's wake-up from its parts", "software t1 return from the sleep = [syscall.floor]"],
    headline: &[("load=idle", "wake-up by a timer")],
    tail: &["load=idle|busy; load=idle idle=busy|polling"],
    channels: &[("load=idle", "wake-up, idle CPU"), ("load=busy", "wake-up, busy CPU")],
    run: |bench| {
        let late = wake_ups(bench)?;
        if !bench.times_every_iteration() {
            bench.values(late);
        }
        Ok(())
    },
    ..WAKE_UP
};
