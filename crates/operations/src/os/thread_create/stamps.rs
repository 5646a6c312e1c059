//! pthread_create taken apart by stamps: until it is back, until the thread runs, and R3's method.

use crate::os::process_create::{CREATE, placements};
use crate::os::workloads::stamps::threads;
use measure::{Operation, Reference};

const STAMPED: Operation = Operation {
    evidence: &[
        "answers = 1: the thread stamped its moment between call and join",
        "switches 0.9..6 (if consistent): the maker slept until the thread had ended",
        "a thread",
        "undisturbed",
    ],
    bounds: &["> 0.5 × [syscall.floor]: the maker enters the kernel before there is a thread"],
    spend_ns: 10_000_000,
    ..CREATE
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
    predict: &[
        "pthread_create",
        "t1 floors(3)",
        "copy of a task",
        "software t1 C library = 1000 cycles (×2: its list of stacks, the thread's block of storage: some 500 instructions) \
         × cycle_ns",
    ],
    run: |bench| threads(bench, |moments| moments.back - moments.before),
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
    points: placements,
    predict: &[
        "pthread_create",
        "software t1 pthread_create until it is back = [thread.create.pthread.parent]",
        "cpu=same: t1 floors(4)",
        "cpu=other: t1 floors(3)",
        "software t1 first touches of the stack = 4000 cycles (×2: two anonymous faults of some 2000 cycles) × cycle_ns",
        "cpu=same: hand-offs(1)",
        "wake-up of another CPU",
    ],
    run: |bench| threads(bench, |moments| moments.child - moments.before),
    ..STAMPED
};

/// R3's method.
pub static FIRST: Operation = Operation {
    id: "thread.create.pthread.either",
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
    run: |bench| threads(bench, |moments| moments.back.min(moments.child) - moments.before),
    ..STAMPED
};
