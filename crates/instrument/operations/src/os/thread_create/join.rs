//! pthread_create and pthread_join of an empty thread.

use crate::os::process_create::CREATE;
use measure::{Bench, CpuTime, Operation, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::thread::posix::create_and_join;

/// pthread_create and pthread_join.
pub static JOIN: Operation = Operation {
    id: "thread.create.join",
    title: "pthread_create + exit + pthread_join of one thread",
    one_iteration: "one thread with default attributes, which increments a counter, exits and is joined",
    method: "pthread_create and pthread_join of the C library; creator and thread share one CPU. Every thread is timed \
             individually.",
    confounds: "The C library caches the stacks of exited threads: after the first thread no stack is mapped. The steady state is \
                measured, after a warm-up.",
    sources: &[
        ("R0, 3.5.2", "pthread_create until it returns; joined after the interval"),
        ("R1, 3 Fig 5", "create and run a thread by pthread_create; where the interval ends is not said"),
        ("R2, 3.5", "pthread_create, probably until pthread_join returns"),
        ("R3, 3.5.1", "until pthread_create returns or the thread runs, whichever is first"),
        ("R4, 4.4", "pthread_create; where the interval ends is not said"),
        ("osbench", "create_threads: 100 created, then 100 joined; the best of five seconds"),
    ],
    predict: &[
        "entries(9)",
        "software t0 copy of the task, its stack, its exit = 45000 cycles (×1.8: 7 to 19 µs for create and join in libMicro, \
         osbench and UnixBench) × cycle_ns",
        "software t1 pthread_create until the thread runs = [thread.create.pthread.run cpu=same]",
        "t1 floors(2)",
        "end of a task",
        "hand-offs(1)",
        "software t1 the stack released = 2000 cycles (×2: madvise of the part of the stack that was used: one area, two \
         pages freed) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the thread ran once and was joined",
        "switches 0.9..4 (if consistent): the creator blocked and the thread ran",
        "calls.exit 0.99..1.01: one thread exit per iteration",
        "a thread",
        "undisturbed",
    ],
    bounds: &["> [switch.thread.futex cpu=same]: at least one switch to the thread"],
    tail: &[""],
    run,
    spend_ns: 10_000_000,
    headline: &[("", "thread create + join")],
    ..CREATE
};

fn run(bench: &mut Bench<'_>) -> Result<()> {
    let ran = AtomicU64::new(0);
    let act = || {
        ran.fetch_add(1, Ordering::Relaxed);
    };
    bench.each(CpuTime::Process, &mut || {
        let before = ran.load(Ordering::Relaxed);
        create_and_join(&act, || ())?;
        Ok(u64::from(ran.load(Ordering::Relaxed) - before == 1))
    })
}
