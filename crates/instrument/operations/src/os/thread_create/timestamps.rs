//! Phases of pthread_create by timestamps: until it returns, and until the thread runs.

use crate::os::process_create::{CREATE, PLACEMENTS};
use measure::Operation;
use workloads::os::timestamps::threads;

/// Common to phases of pthread_create.
pub const TIMESTAMPED: Operation = Operation {
    evidence: &[
        "answers = 1: the thread's timestamp lies between call and join",
        "switches 0.9..6 (if consistent): the creator slept until the thread exited",
        "a thread",
        "undisturbed",
    ],
    bounds: &["> 0.5 × [syscall.floor]: the creator enters the kernel first"],
    spend_ns: 10_000_000,
    ..CREATE
};

/// pthread_create until it returns.
pub static PARENT: Operation = Operation {
    id: "thread.create.pthread.parent",
    title: "pthread_create until it returns",
    one_iteration: "one pthread_create with default attributes, from call to return",
    method: "The creator reads the clock before and after pthread_create, then joins the thread, untimed.",
    confounds: "The thread may run before the creator returns; child.first counts how often. The C library caches the stacks of \
                exited threads.",
    sources: &[
        ("R0, 3.5.2", "pthread_create until it returns; the thread may have run by then"),
        ("R4, 4.4", "pthread_create, probably until it returns"),
        ("libMicro", "pthread_create: 8 to 512 threads that stop at a mutex; the joins are not timed"),
    ],
    predict: &[
        "pthread_create",
        "t1 floors(3)",
        "copy of a task",
        "software t1 C library = 1000 cycles (×2: its list of stacks, the thread's block of storage: some 500 instructions) \
         × cycle_ns",
    ],
    run: |bench| threads(bench, |timestamps| timestamps.returned - timestamps.before),
    ..TIMESTAMPED
};

/// pthread_create until the thread runs.
pub static RUN: Operation = Operation {
    id: "thread.create.pthread.run",
    title: "pthread_create until the thread runs",
    one_iteration: "one pthread_create, from the call to the thread's first clock read",
    method: "The creator reads the clock before pthread_create, the thread first of all. On one CPU the creator joins right \
             after pthread_create. For the other CPU it may use both during pthread_create, and only threads that start on \
             the other CPU are samples.",
    confounds: "On one CPU the scheduler mostly runs the creator first: then its return and its wait are included. On a busy other \
                CPU the thread waits milliseconds in the run queue.",
    sources: &[
        ("R1, 3 Fig 5", "create and run a thread by pthread_create; where the interval ends is not said"),
        ("R3, 3.5.1", "until the thread runs or pthread_create returns, whichever is first"),
    ],
    points: PLACEMENTS,
    predict: &[
        "pthread_create",
        "software t1 pthread_create until it returns = [thread.create.pthread.parent]",
        "cpu=same: t1 floors(4)",
        "cpu=other: t1 floors(3)",
        "software t1 first touches of the stack = 4000 cycles (×2: two anonymous faults of some 2000 cycles) × cycle_ns",
        "cpu=same: hand-offs(1)",
        "wake-up of another CPU",
    ],
    run: |bench| threads(bench, |timestamps| timestamps.child - timestamps.before),
    ..TIMESTAMPED
};
