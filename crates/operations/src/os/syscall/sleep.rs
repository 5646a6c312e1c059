//! A sleep of no time, which is a sleep all the same.

use super::{floors, floors_from_facts};
use measure::{
    Area, Bench, Failure, Operation, Point, calls, counted, if_consistent, linear, term, undisturbed,
    work_done,
};
use record::{Bound, Formula, Gate, Prediction, Side, Witness};
use sys::sleep;

/// nanosleep of 0.
pub static NANOSLEEP_ZERO: Operation = Operation {
    id: "syscall.nanosleep.zero",
    area: Area::Os,
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
    computed_prediction: predict,
    computed_witnesses: witnesses,
    computed_bounds: bounds,
    run,
    ..Operation::NEW
};

/// The default: prctl(2), PR_SET_TIMERSLACK.
const SLACK_NS: usize = 50_000;

fn slack() -> Formula {
    Formula::exactly(SLACK_NS as f64)
}

fn predict(_: &Point) -> Prediction {
    let late = || term(Side::Software, "slack of the timer", slack());
    let idle = "an idle CPU halts and is woken by its timer's interrupt: 1 to 4 µs on bare metal, more where a \
                hypervisor wakes it";
    let mut from_facts = floors_from_facts(1.0);
    from_facts.extend([
        late(),
        term(
            Side::Software,
            "halt, interrupt, wake-up",
            Formula::cited(3_000.0, 3.0, idle),
        ),
    ]);
    Prediction {
        from_facts,
        from_parts: vec![
            floors(1.0),
            late(),
            term(
                Side::Software,
                "a wake-up out of idleness",
                Formula::part("switch.thread.futex", "cpu=other"),
            ),
        ],
    }
}

fn witnesses(_: &Point) -> Vec<Witness> {
    let mut all = work_done("the kernel slept to the end every time");
    all.extend(linear());
    all.extend(calls(&[("nanosleep", 1.0)]));
    all.extend(if_consistent(counted(
        "switches.voluntary",
        0.95,
        1.05,
        "it gave the CPU away once: it slept",
    )));
    all.extend(undisturbed());
    all
}

fn bounds(_: &Point) -> Vec<Bound> {
    vec![Bound {
        lower: true,
        formula: Formula::part("syscall.floor", "").plus(slack().times(0.5)),
        because: "it enters and leaves the kernel, and the timer is programmed for the end of its slack"
            .to_owned(),
    }]
}

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
            sleep::sleep_for_nothing()?;
            slept += 1;
        }
        Ok(slept)
    })
}
