//! Handing the CPU from one process to another: a pipe ping-pong less the same system calls without a switch.

use super::ping_pong;
use measure::{Actors, Area, How, Operation, Point, core_cycles, term, told_cycles};
use record::{Bound, Formula, Prediction, Side, Term};

/// A switch between processes over pipes.
pub static OPERATION: Operation = Operation {
    id: "switch.process.pipe",
    area: Area::Os,
    title: "switch to another process",
    one_iteration: "one hand-off of the CPU: half of a round trip, less the system calls that made it",
    method: "Round trips of one byte between two processes over two pipes, in turns with the same four system calls \
             made by one task on a pipe of its own. The difference, divided by the switches that the kernel counted \
             for both processes, is the cost of one: block, choose, change address space, wake.",
    confounds: "With cpu=other it is not a switch but the wake-up of another CPU (E38). The division is by what \
                was counted (E53): a wake-up that finds its peer awake makes no switch (E54).",
    sources: &[
        ("R0", "fork, wait, stamp: a new process each time (E39)"),
        ("R1", "semaphores that do not exist on that system (E02)"),
        ("R2", "half a round trip over pipes, unpinned (E38)"),
        ("R3", "fork, wait, stamp (E39)"),
        ("R4", "one-way stamp over a pipe: no switch in the interval (E39)"),
        (
            "lmbench",
            "lat_ctx: a ring of pipes, divided by the assumed number of switches",
        ),
    ],
    actors: Actors::TwoProcesses,
    how: How::SlopeLessControl { per: "switches" },
    points: |_| Point::placements(),
    predict,
    witnesses: |point| {
        let mut all = super::ipc_pipe::witnesses(point);
        all.retain(|witness| !witness.counter.starts_with("linearity"));
        all
    },
    bounds: |_| least_of_a_switch(),
    run: |bench| ping_pong::measure(bench, true),
    spend_ns: 20_000_000,
    ..Operation::NEW
};

/// A switch that costs less than saving and loading the registers is a control that costs too much.
pub fn least_of_a_switch() -> Vec<Bound> {
    vec![Bound {
        lower: true,
        formula: core_cycles(Formula::exactly(100.0)),
        because: "a switch saves and loads the registers and runs the scheduler".to_owned(),
    }]
}

/// T0 of one hand-off.
pub fn hand_off_from_facts(point: &Point) -> Vec<Term> {
    let schedule = Formula::cited(
        1_500.0,
        2.0,
        "block, dequeue, choose, switch, enqueue: some 1 500 instructions",
    );
    let mut terms = vec![
        term(
            Side::Hardware,
            "change of address space",
            told_cycles(Formula::fact("family.address_space_switch_cycles")),
        ),
        term(Side::Software, "scheduler", told_cycles(schedule)),
    ];
    if point.get("cpu") != Some("same") {
        let idle = Formula::cited(2_000.0, 2.5, "interrupt, idle exit: 1 to 5 µs on bare metal");
        terms.push(term(
            Side::Hardware,
            "interrupt to the other CPU and its exit from idle",
            idle,
        ));
        let exits = Formula::fact("hypervisor.exit_ns").times(2.0);
        terms.push(term(
            Side::Software,
            "the hypervisor sends the interrupt and wakes the CPU",
            exits,
        ));
    }
    terms
}

/// T0 of a round trip over pipes.
pub fn round_trip_from_facts(point: &Point) -> Vec<Term> {
    let twice = |term: Term| Term {
        formula: term.formula.times(2.0),
        ..term
    };
    let calls = super::syscall::entry_cycles().times(4.0);
    let pipes = Formula::cited(1_600.0, 1.5, "four calls through the file layer and the pipe");
    let mut terms: Vec<Term> = hand_off_from_facts(point).into_iter().map(twice).collect();
    terms.push(term(
        Side::Hardware,
        "enter and leave the kernel four times",
        told_cycles(calls),
    ));
    terms.push(term(Side::Software, "pipes", told_cycles(pipes)));
    terms
}

fn predict(point: &Point) -> Prediction {
    let placement = point.get("cpu").unwrap_or("same");
    let tables = Formula::fact("family.address_space_switch_cycles");
    Prediction {
        from_facts: hand_off_from_facts(point),
        from_parts: vec![
            term(Side::Hardware, "change of address space", core_cycles(tables)),
            term(
                Side::Software,
                "hand-off between threads",
                Formula::part("switch.thread.futex", &format!("cpu={placement}")),
            ),
        ],
    }
}
