//! A sleep of no time, which is a sleep all the same.

use super::CARD;
use measure::{Bench, Failure, Operation};
use record::Gate;
use sys::sleep;

/// nanosleep of 0.
pub static NANOSLEEP_ZERO: Operation = Operation {
    id: "syscall.nanosleep.zero",
    title: "sleep for no time",
    one_iteration: "one nanosleep of 0 seconds, which must sleep to its end",
    method: "nanosleep with a time of 0, in a loop. The kernel starts a timer that is over already and sleeps until it \
             says so. It may come late by the slack of the thread, which is set to 50 µs, the default.",
    confounds: "Most of it is waiting: the slack, and the wake-up of a CPU that had nothing to do. Real-time threads \
                have no slack, and with one of 1 ns the timer is over before the kernel has gone to sleep, so that it \
                does not. A sleep(0) of other systems returns at once or gives way.",
    sources: &[(
        "R4",
        "sleep(0), one call timed alone (E07), called the cost of a minimal system call",
    )],
    gate: Gate {
        cpu_share: None,
        shared_core: None,
        ..Operation::GATE
    },
    spend_ns: 20_000_000,
    predict: &[
        "floors(1)",
        "software slack of the timer = 50000 ns",
        "software t0 halt, interrupt, wake-up = 3000 ns (×3: an idle CPU halts and is woken by its timer's interrupt: 1 to \
         4 µs on bare metal, more where a hypervisor wakes it)",
        "software t1 a wake-up out of idleness = [switch.thread.futex cpu=other]",
    ],
    evidence: &[
        "answers = 1: the kernel slept to the end every time",
        "linear",
        "calls: nanosleep 1",
        "switches.voluntary 0.95..1.05 (if consistent): it gave the CPU away once: it slept",
        "undisturbed",
    ],
    bounds: &[
        "> [syscall.floor] + 0.5 × 50000 ns: it enters and leaves the kernel, and the timer is programmed for the end of \
         its slack",
    ],
    run,
    ..CARD
};

/// The default: prctl(2), PR_SET_TIMERSLACK; the card knows it, too.
const SLACK_NS: usize = 50_000;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    sleep::set_slack(SLACK_NS)?;
    if sleep::slack_nanos()? != SLACK_NS {
        return Err(Failure::skipped(
            "the slack of timers cannot be set",
            "run without real-time scheduling, whose threads have no slack",
        ));
    }
    bench.slope(&mut |n| {
        let mut slept = 0;
        for _ in 0..n {
            sleep::sleep_zero()?;
            slept += 1;
        }
        Ok(slept)
    })
}
