//! Creating a thread that does nothing, and waiting for it.

use crate::os::process_create::vfork_wait::made;
use crate::os::process_create::{GATE, end_of_a_task, floors, hand_offs, part, reasoned};
use measure::{
    Actors, Area, Bench, Failure, How, Operation, Point, counted, if_consistent, term, told_cycles,
};
use measure::{undisturbed, work_done};
use record::{Bound, Formula, Origin, Prediction, Side, Witness};
use sys::thread;

/// pthread_create and pthread_join.
pub static JOIN: Operation = Operation {
    id: "thread.create.join",
    area: Area::Os,
    title: "create a thread and join it",
    one_iteration: "one thread with default attributes, which counts itself and ends, and was joined",
    method: "pthread_create and pthread_join of the C library; creator and thread share one CPU. Every thread is \
             timed by itself.",
    confounds: "The C library keeps the stacks of ended threads: after the first thread no stack is mapped. What \
                is measured is the steady state, which the warm-up reaches.",
    sources: &[
        ("R0", "pthread_create + join"),
        ("R1", "pthread_create + join"),
        ("R2", "pthread_create + join"),
        ("R3", "until pthread_create is back, or the thread runs"),
        ("R4", "pthread_create until it is back"),
        ("osbench", "create_threads: 100 at a time"),
    ],
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    computed_prediction: |_| Prediction {
        from_facts: vec![
            term(
                Side::Hardware,
                "enter and leave the kernel nine times",
                told_cycles(crate::os::syscall::entry_cycles().times(9.0)),
            ),
            term(
                Side::Software,
                "copy of the task, its stack, its end",
                told_cycles(task(45_000.0)),
            ),
        ],
        from_parts: vec![
            part(
                "pthread_create until the thread runs",
                "thread.create.pthread.run",
                "cpu=same",
            ),
            floors(2.0),
            end_of_a_task(),
            hand_offs(1.0),
            reasoned(
                "the stack given back",
                2_000.0,
                2.0,
                "madvise of the part of the stack that was used: one area, two pages freed",
            ),
        ],
    },
    computed_witnesses: witnesses,
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("switch.thread.futex", "cpu=same"),
            because: "the creator gives the CPU to the thread at least once".to_owned(),
        }]
    },
    run,
    spend_ns: 10_000_000,
    ..Operation::NEW
};

fn task(cycles: f64) -> Formula {
    Formula::cited(
        cycles,
        1.8,
        "7 to 19 µs for create and join in libMicro, osbench and UnixBench",
    )
}

fn witnesses(_: &Point) -> Vec<Witness> {
    let mut all = work_done("the thread ran once and was joined");
    all.extend(if_consistent(counted(
        "switches",
        0.9,
        4.0,
        "the creator gave the CPU to the thread",
    )));
    all.push(Witness {
        counter: "calls.exit".to_owned(),
        origin: Origin::Rehearsal,
        low: 0.99,
        high: 1.01,
        positive: true,
        proves: "one thread ended per iteration".to_owned(),
        breach: record::Breach::OtherWork,
    });
    all.push(made("thread", 1.0, "one thread was made"));
    all.extend(undisturbed());
    all
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    bench.each(false, &mut || {
        let before = thread::threads_that_ran();
        thread::create_and_join()?;
        Ok(u64::from(thread::threads_that_ran() - before == 1))
    })
}
