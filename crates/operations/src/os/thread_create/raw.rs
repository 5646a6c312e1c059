//! A thread by nothing but system calls: what the kernel's part of a thread costs.

use crate::os::process_create::CREATE;
use measure::{Bench, Failure, Operation};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::process::create::Stack;
use sys::thread::raw;

/// clone3 with a stack, exit, a wait for the word that the kernel clears.
pub static OPERATION: Operation = Operation {
    id: "thread.create.raw",
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
    predict: &[
        "entries(3)",
        "software t0 copy of the task, its end, two hand-offs = 30000 cycles (×2: 7 to 19 µs for create and join in libMicro, \
         osbench and UnixBench, of which the kernel has half) × cycle_ns",
        "t1 floors(3)",
        "hand-offs(2)",
        "copy of a task",
        "end of a task",
    ],
    evidence: &[
        "answers = 1: the thread ran once before its end was reported",
        "switches 0.9..4 (if consistent): the creator gave the CPU to the thread",
        "a thread",
        "calls.clone3 0.99..1.01: the kernel was asked for clone3 as often as there were threads",
        "calls.exit 0.99..1.01: the kernel was asked for exit as often as there were threads",
        // A thread that has ended before its maker looks is not waited for, and a wait may have to be taken up again: the
        // longer phase of a rehearsal may see fewer than the shorter one.
        "calls.futex -1..2.5 (quiet): the kernel was asked for futex as often as there were threads",
        "undisturbed",
    ],
    bounds: &["> [switch.thread.futex cpu=same]: the creator gives the CPU to the thread at least once"],
    run,
    spend_ns: 10_000_000,
    ..CREATE
};

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
