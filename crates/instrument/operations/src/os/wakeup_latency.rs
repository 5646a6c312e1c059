//! Wake-up latency: from the expiry of a timer until the waiting thread runs, as in cyclictest.

use measure::{Actors, How, Operation, takes};
use record::{Gate, Need};
use workloads::os::schedule::wakeups;
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

/// Wake-ups by another thread.
pub static THREAD: Operation = Operation {
    id: "wakeup.thread",
    title: "wake-up latency, call of the waker until the thread runs",
    one_iteration: "one wake-up: from before the waker's futex call until the thread that slept runs in user space",
    method: "A thread sleeps on a futex; every 300 µs another one reads the monotonic clock, and wakes it (FUTEX_WAKE). The woken thread reads \
             the same clock first. The waker sleeps by clock_nanosleep in between, with a timer slack of 1 ns. cpu= says where the waker is: on \
             the same CPU, another core, the other hardware thread of the core, or another memory node. A wake-up that came before the thread \
             slept is not a sample.",
    confounds: "It is one way: clocks of both CPUs must agree, as the kernel's monotonic clock does. After 300 µs an idle CPU may be in a deeper idle \
                state than between two switches, and a hypervisor may have given it to another guest; idle=busy or idle=polling keeps \
                it awake. With cpu=same the woken thread preempts its waker, or runs when that sleeps.",
    sources: &[
        ("schbench", "the same under load, from messengers to workers"),
        ("perf bench", "sched pipe and futex wake: round trips, or the time of the waker"),
    ],
    actors: Actors::TwoThreads,
    gate: Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
    parameters: takes::<measure::parameters::None>,
    points: &[
        "profile=quick: cpu=other",
        "profile!=quick: cpu=same|other|sibling|node; cpu=other idle=busy|polling",
        "profile=thorough: cpu=sibling|node idle=busy|polling",
    ],
    tail: &["cpu=same|other|sibling|node; cpu=other idle=busy|polling"],
    headline: &[],
    channels: &[],
    predict: &[
        "hand-offs between threads(1)",
        "software t0 the waker's call = (entry + dispatch) × cycle_ns",
        "idle!=*: software t1 a hand-off = [switch.thread.futex {placement}]",
        "cpu=other idle=*: software t1 a hand-off = [switch.thread.futex {placement}]",
        "cpu=sibling|node idle=*: software t1 a hand-off, as to another core = [switch.thread.futex cpu=other idle={idle}]",
        "software t1 the waker's call = 0.5 × [syscall.futex.self]",
    ],
    evidence: &[
        "answers = 1: every post was taken",
        "sleeps 0.9..2 (if consistent): the thread slept before every wake-up that counts",
        "placed",
        "threads",
    ],
    bounds: &[
        "> 200 cycles × cycle_ns: a system call, a switch, and the return to user space",
        "< 1e9 ns: the waker posts again after 300 µs, and a trial lasts less than that",
    ],
    run: wakeups::run,
    ..WAKE_UP
};
