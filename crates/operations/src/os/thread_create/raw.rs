//! A thread by nothing but system calls: what the kernel's part of a thread costs.

use crate::os::process_create::vfork_wait::made;
use crate::os::process_create::{GATE, copy_of_a_task, end_of_a_task, entries, floors, hand_offs, told};
use measure::{
    Actors, Area, Bench, Failure, How, Operation, Point, counted, if_consistent, undisturbed, work_done,
};
use record::{Bound, Formula, Origin, Prediction, Witness};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::process::create::Stack;
use sys::thread::raw;

/// clone3 with a stack, exit, a wait for the word that the kernel clears.
pub static OPERATION: Operation = Operation {
    id: "thread.create.raw",
    area: Area::Os,
    title: "create a thread by clone3 and wait for its end",
    one_iteration: "one thread made by clone3, which counts itself and ends, and was waited for by futex",
    method: "clone3 with CLONE_THREAD and all that threads share, on a stack that is there already; exit by the raw \
             system call; the kernel clears a word and wakes the maker, who waits for it by futex on the same CPU. No \
             C library, no thread-local storage, no signal mask.",
    confounds: "It is the kernel's part of pthread_create and pthread_join: the difference to thread.create.join is \
                the C library's. Where clone3 is refused the row is skipped.",
    sources: &[(
        "stress-ng",
        "--clone: clone with random flags, up to thousands at once",
    )],
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    computed_prediction: |_| Prediction {
        from_facts: vec![
            entries(3.0),
            told(
                "copy of the task, its end, two hand-offs",
                30_000.0,
                2.0,
                "7 to 19 µs for create and join in libMicro, osbench and UnixBench, of which the kernel has half",
            ),
        ],
        from_parts: vec![floors(3.0), hand_offs(2.0), copy_of_a_task(), end_of_a_task()],
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

fn witnesses(_: &Point) -> Vec<Witness> {
    let mut all = work_done("the thread ran once before its end was reported");
    all.extend(if_consistent(counted(
        "switches",
        0.9,
        4.0,
        "the creator gave the CPU to the thread",
    )));
    all.push(made("thread", 1.0, "one thread was made"));
    // A thread that has ended before its maker looks is not waited for, and a wait may have to be taken up again:
    // the longer phase of a rehearsal may see fewer than the shorter one.
    for (call, low, high) in [("clone3", 0.99, 1.01), ("exit", 0.99, 1.01), ("futex", -1.0, 2.5)] {
        all.push(Witness {
            counter: format!("calls.{call}"),
            origin: Origin::Rehearsal,
            low,
            high,
            positive: low > 0.0,
            proves: format!("the kernel was asked for {call} as often as there were threads"),
            breach: record::Breach::OtherWork,
        });
    }
    all.extend(undisturbed());
    all
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut stack = Stack::new()?;
    let ran = AtomicU64::new(0);
    let act = || {
        ran.fetch_add(1, Ordering::Relaxed);
    };
    bench.each(false, &mut || {
        let before = ran.load(Ordering::Relaxed);
        raw::create_and_join(&mut stack, &act)?;
        Ok(u64::from(ran.load(Ordering::Relaxed) == before + 1))
    })
}
