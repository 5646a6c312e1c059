//! Calls to the scheduler: sched_yield, and a sleep of zero length.

use super::CARD;
use measure::{Failure, Operation};
use record::Gate;
use sys::sleep;
use workloads::repeat::repeat;

/// sched_yield with an empty run queue.
pub static SCHED_YIELD: Operation = Operation {
    id: "syscall.sched_yield",
    revision: 2,
    title: "one sched_yield with an empty run queue",
    one_iteration: "one sched_yield with no other runnable task on the CPU",
    method: "sched_yield of the C library in a loop, by the only runnable task of this CPU: the scheduler finds no other \
             one and returns. No context switch happens, and the kernel counts none.",
    confounds: "Programs that time sched_yield and call it a context switch measure this, unless two tasks share the CPU. \
                Other runnable tasks run for a whole slice; such batches are set aside.",
    sources: &[
        ("lmbench", "none"),
        ("stress-ng", "--yield: nanoseconds per call, by two processes for each CPU"),
        ("will-it-scale", "sched_yield"),
        ("libMicro", "none"),
    ],
    predict: &["floors(1)", "handler(1)", "C library(1)"],
    evidence: &[
        "answers = 1: the call succeeded every time",
        "calls: sched_yield 1",
        "undisturbed loop",
        // On a loaded machine another task may run now and then.
        "switches 0..0.05 (noise): no other task ran",
    ],
    run: |bench| repeat(bench, |_| sleep::yield_cpu_by_libc().map(|()| true)),
    ..CARD
};

/// nanosleep of 0.
pub static NANOSLEEP_ZERO: Operation = Operation {
    id: "syscall.nanosleep.zero",
    title: "one nanosleep of 0 s",
    one_iteration: "one nanosleep of 0 s, which must end by its timer",
    method: "nanosleep of 0 s by the system-call instruction, in a loop. The kernel starts a timer that has expired and \
             sleeps until its interrupt, which may be late by the thread's timer slack, set to 50 µs, the default.",
    confounds: "Most of it is the slack and the wake-up of an idle CPU. Real-time threads have no slack; with a slack of 1 ns \
                the timer expires before the thread sleeps. sleep(0) of other systems returns at once or yields. The C \
                library makes clock_nanosleep of it.",
    sources: &[("R4, 4.3", "sleep(0) of the C library, as the overhead of a requested sleep")],
    gate: Gate { cpu_share: None, shared_core: None, ..Operation::GATE },
    spend_ns: 20_000_000,
    predict: &[
        "floors(1)",
        "software slack of the timer = 50000 ns (×1: the default of a thread, PR_SET_TIMERSLACK in prctl(2))",
        "software t0 halt, interrupt, wake-up = 3000 ns (×3: an idle CPU halts and is woken by its timer's interrupt: 1 to \
         4 µs on bare metal, more where a hypervisor wakes it)",
        "software t1 wake-up of an idle CPU = [switch.thread.futex cpu=other]",
    ],
    evidence: &[
        "answers = 1: the sleep ended by its timer every time",
        "linear",
        "calls: nanosleep 1",
        "switches.voluntary 0.95..1.05 (if consistent): the thread slept",
        "undisturbed",
    ],
    bounds: &[
        "> [syscall.floor] + 0.5 × 50000 ns: a system call, and a timer that is set to the end of its slack",
    ],
    run: |bench| {
        sleep::set_slack(SLACK_NS)?;
        if sleep::slack_nanos()? != SLACK_NS {
            return Err(Failure::skipped(
                "the slack of timers cannot be set",
                "run without real-time scheduling, whose threads have no slack",
            ));
        }
        repeat(bench, |_| sleep::sleep_zero().map(|()| true))
    },
    ..CARD
};

/// The default: prctl(2), PR_SET_TIMERSLACK; the card has it, too.
const SLACK_NS: usize = 50_000;
