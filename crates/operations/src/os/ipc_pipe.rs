//! One byte to another process over a pipe and one byte back.
//!
//! Each side blocks in read until the other has written: four system calls and two hand-offs.

use super::ping_pong;
use measure::{
    Actors, Area, Operation, Point, core_cycles, counted, linear, placed, term, undisturbed, work_done,
};
use record::{Bound, Formula, Origin, Prediction, Side, Witness};

/// A round trip over two pipes.
pub static ROUND_TRIP: Operation = Operation {
    id: "ipc.pipe.round_trip",
    area: Area::Os,
    title: "round trip of one byte over two pipes",
    one_iteration: "write one byte, read the byte that the other process sends back",
    method: "Two processes and two pipes. On one CPU nothing overlaps: the round trip is four system calls and two \
             switches. On two CPUs each side is woken from idle.",
    confounds: "Placement is everything: another CPU costs up to ten times as much because a sleeping CPU must be \
                woken. Unpinned, the scheduler chooses, and tools report either.",
    sources: &[
        ("lmbench", "lat_pipe, unpinned"),
        ("perf bench", "sched pipe"),
        (
            "R2",
            "round trips over pipes, unpinned, called a context switch (E38)",
        ),
    ],
    actors: Actors::TwoProcesses,
    points: |_| Point::placements(),
    predict,
    witnesses,
    bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("syscall.pipe.self", "").times(1.0),
            because: "the main actor alone makes these calls one after another".to_owned(),
        }]
    },
    run: |bench| ping_pong::measure(bench, false),
    ..Operation::NEW
};

fn predict(point: &Point) -> Prediction {
    let placement = point.get("cpu").unwrap_or("same");
    let hand_off = || Formula::part("switch.thread.futex", &format!("cpu={placement}"));
    let tables = || Formula::fact("family.address_space_switch_cycles");
    Prediction {
        from_facts: super::switch_process_pipe::round_trip_from_facts(point),
        from_parts: vec![
            term(
                Side::Hardware,
                "two changes of address space",
                core_cycles(tables().times(2.0)),
            ),
            term(
                Side::Software,
                "write and read, both sides",
                Formula::part("syscall.pipe.self", "").times(2.0),
            ),
            term(Side::Software, "two hand-offs", hand_off().times(2.0)),
        ],
    }
}

/// What must be true of a ping-pong over pipes.
pub fn witnesses(point: &Point) -> Vec<Witness> {
    let mut all = work_done("every byte came back");
    // A sleeping CPU that wakes late now and then makes single round trips ten times as long.
    if point.get("cpu") == Some("same") {
        all.extend(linear());
    }
    let (low, high, proves) = match point.get("cpu") {
        Some("same") => (
            1.95,
            2.1,
            "each side gave the CPU to the other once per round trip",
        ),
        _ => (1.5, 4.0, "both sides slept and were woken"),
    };
    all.extend(counted("switches", low, high, proves));
    for (counter, calls, positive) in [
        ("calls.write", 2.0, true),
        ("calls.read", 2.0, true),
        ("calls", 4.0, false),
    ] {
        // The last call of one phase of the rehearsal may be counted in the next.
        all.push(Witness {
            counter: counter.to_owned(),
            origin: Origin::Rehearsal,
            low: calls - 0.1,
            high: calls + 0.1,
            positive,
            proves: format!("both sides together make {calls} such calls per round trip"),
        });
    }
    all.extend(placed(point));
    all.extend(undisturbed());
    all
}
