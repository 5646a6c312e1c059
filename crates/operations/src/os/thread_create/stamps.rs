//! pthread_create taken apart by stamps: until it is back, until the thread runs, and R3's method.

use crate::os::process_create::fork_stamps::of_placements;
use crate::os::process_create::vfork_wait::made;
use crate::os::process_create::{GATE, copy_of_a_task, entries, floors, hand_offs, part, reasoned, told};
use crate::os::stamps::{Moments, Page, time};
use measure::{
    Actors, Area, Bench, Failure, How, Operation, Placement, Point, Reference, counted, if_consistent,
};
use measure::{undisturbed, work_done};
use record::{Bound, Formula, Prediction, Term, Witness};
use sys::clock::Clock;
use sys::thread::posix;

const STAMPED: Operation = Operation {
    area: Area::Os,
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    computed_witnesses: witnesses,
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("syscall.floor", "").times(0.5),
            because: "the maker enters the kernel before there is a thread".to_owned(),
        }]
    },
    spend_ns: 10_000_000,
    ..Operation::NEW
};

/// pthread_create until it is back.
pub static PARENT: Operation = Operation {
    id: "thread.create.pthread.parent",
    title: "pthread_create until it is back",
    one_iteration: "one pthread_create with default attributes, from the call until it is back",
    method: "The maker stamps the clock before and after pthread_create, then joins the thread, which is not timed.",
    confounds: "The thread may run before the maker is back; child.first in the evidence counts how often. Stacks of \
                ended threads are kept by the C library and used again.",
    sources: &[
        ("R0", "pthread_create until it is back, or the thread ran"),
        ("R4", "pthread_create until it is back"),
    ],
    computed_prediction: |_| Prediction {
        from_facts: made_from_facts(),
        from_parts: vec![
            floors(3.0),
            copy_of_a_task(),
            reasoned(
                "C library",
                1_000.0,
                2.0,
                "its list of stacks, the thread's block of storage: some 500 instructions",
            ),
        ],
    },
    run: |bench| run(bench, |moments| moments.back - moments.before),
    ..STAMPED
};

/// pthread_create until the thread runs.
pub static RUN: Operation = Operation {
    id: "thread.create.pthread.run",
    title: "pthread_create until the thread runs",
    one_iteration: "one pthread_create, from the call until the thread's function has begun",
    method: "The maker stamps the clock before pthread_create, the thread's function stamps it first of all. On one CPU \
             the maker joins as soon as it is back. For the other CPU the maker may use both until pthread_create is \
             back and the scheduler chooses; only threads that began on the other CPU are samples.",
    confounds: "On one CPU the scheduler chooses who runs first, as a rule the maker: then its return and its wait are \
                in the number. Where the other CPU is busy the thread waits there for its turn, milliseconds.",
    sources: &[
        ("R1", "pthread_create until the thread runs, gettimeofday in both"),
        (
            "R3",
            "until the thread runs, or pthread_create is back, whichever is first",
        ),
    ],
    points: of_placements,
    computed_prediction: |point| {
        let parent = part(
            "pthread_create until it is back",
            "thread.create.pthread.parent",
            "",
        );
        let is_same = point.placement() == Some(Placement::Same);
        let mut facts = made_from_facts();
        if !is_same {
            facts.push(told(
                "wake-up of another CPU",
                30_000.0,
                3.0,
                "1 to 50 µs: an interrupt, the way out of idle, in a virtual machine by its host",
            ));
        }
        let mut parts = vec![parent, floors(if is_same { 4.0 } else { 3.0 })];
        parts.push(reasoned(
            "first touches of the stack",
            4_000.0,
            2.0,
            "two anonymous faults of some 2000 cycles",
        ));
        parts.push(if is_same {
            hand_offs(1.0)
        } else {
            part("wake-up of another CPU", "switch.thread.futex", "cpu=other")
        });
        Prediction {
            from_facts: facts,
            from_parts: parts,
        }
    },
    run: |bench| run(bench, |moments| moments.child - moments.before),
    ..STAMPED
};

/// R3's method.
pub static FIRST: Operation = Operation {
    id: "thread.create.pthread.first",
    title: "pthread_create until it is back or the thread runs",
    one_iteration: "one pthread_create, until it is back or the thread runs, whichever is first",
    method: "Both stamp the clock; of each iteration the smaller difference is kept.",
    confounds: "It is the maker's return wherever the scheduler lets the maker go on.",
    sources: &[("R3", "the smaller of both, by RDTSC behind CPUID")],
    reference: Some(Reference {
        wrong: "two different things under one name, chosen by which is smaller: the scheduler's choice of the day \
                (E26, E31)",
        right: ("thread.create.pthread.parent", ""),
    }),
    run: |bench| run(bench, |moments| moments.back.min(moments.child) - moments.before),
    ..STAMPED
};

fn made_from_facts() -> Vec<Term> {
    vec![
        entries(3.0),
        told(
            "copy of the task",
            20_000.0,
            2.0,
            "7 to 19 µs for create and join in libMicro, osbench and UnixBench, of which the creation is half",
        ),
    ]
}

fn witnesses(_: &Point) -> Vec<Witness> {
    let mut all = work_done("the thread stamped its moment between call and join");
    all.extend(if_consistent(counted(
        "switches",
        0.9,
        6.0,
        "the maker slept until the thread had ended",
    )));
    all.push(made("thread", 1.0, "one thread was made"));
    all.extend(undisturbed());
    all
}

fn run(bench: &mut Bench<'_>, pick: fn(&Moments) -> i64) -> Result<(), Failure> {
    let mut make = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let act = || page.stamp(clock);
        let before = clock.start();
        let back = posix::create_and_join(&act, || {
            let back = clock.stop();
            close();
            back
        })?;
        Ok(Moments {
            before,
            back,
            child: 0,
            after: clock.stop(),
            answers: 1,
        })
    };
    time(bench, false, &mut make, pick)
}
