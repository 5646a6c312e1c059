//! A thread by system calls alone: the kernel's share of its creation and exit.

use crate::os::process_create::CREATE;
use measure::{Bench, CpuTime, Operation, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::process::create::Stack;
use sys::thread::raw;

/// clone3 with a stack, exit, and a futex wait for the word that the kernel clears.
pub static RAW: Operation = Operation {
    id: "thread.create.raw",
    title: "clone3 + exit + futex wait of one thread",
    one_iteration: "one thread by clone3, which increments a counter and exits, and a futex wait for its exit",
    method: "clone3 with CLONE_THREAD on an existing stack; exit by the system-call instruction; the kernel clears a word and \
             wakes the creator, which waits by futex on the same CPU. Without C library, thread-local storage and signal \
             mask.",
    confounds: "The difference to thread.create.join is the share of the C library. Where clone3 is denied the row is skipped.",
    sources: &[(
        "stress-ng",
        "--clone: microseconds from clone to the start of the child, with random flags, up to 8192 at once",
    )],
    predict: &[
        "entries(3)",
        "software t0 copy of the task, its exit, two hand-offs = 30000 cycles (×2: 7 to 19 µs for create and join in libMicro, \
         osbench and UnixBench, of which the kernel has half) × cycle_ns",
        "t1 floors(3)",
        "hand-offs(2)",
        "copy of a task",
        "end of a task",
    ],
    evidence: &[
        "answers = 1: the thread ran once before its exit was reported",
        "switches 0.9..4 (if consistent): the creator blocked and the thread ran",
        "a thread",
        "calls.clone3 0.99..1.01: one clone3 per thread",
        "calls.exit 0.99..1.01: one exit per thread",
        // No wait for a thread that has already exited, and some waits are retried: the longer phase of a rehearsal may have
        // fewer calls than the shorter one.
        "calls.futex -1..2.5 (quiet): about one futex per thread",
        "undisturbed",
    ],
    bounds: &["> [switch.thread.futex cpu=same]: at least one switch to the thread"],
    run,
    spend_ns: 10_000_000,
    ..CREATE
};

fn run(bench: &mut Bench<'_>) -> Result<()> {
    let mut stack = Stack::new()?;
    let ran = AtomicU64::new(0);
    let act = || {
        ran.fetch_add(1, Ordering::Relaxed);
    };
    bench.each(CpuTime::Process, &mut || {
        let before = ran.load(Ordering::Relaxed);
        raw::create_and_join(&mut stack, &act)?;
        Ok(u64::from(ran.load(Ordering::Relaxed) == before + 1))
    })
}
