//! A system call under a tracer, as strace and debuggers meet it.

use measure::{Actors, Operation, Rehearse};
use workloads::os::traced::call_traced;

/// A call at whose entry and exit the caller is stopped.
pub static TRACED: Operation = Operation {
    id: "syscall.traced",
    title: "system call of a traced process (ptrace, two stops)",
    one_iteration: "one getppid of another process, which must stop at its entry and at its exit until the tracer lets it go on",
    method: "The tracer lets the other process run to its next stop (PTRACE_SYSCALL) and waits for it (wait4), twice. At the exit of \
             a call it compares the count that the other process keeps of its calls in shared memory.",
    confounds: "Most of the time is four hand-offs between processes. A tracer such as strace reads registers and memory at each stop, \
                by further calls. On two CPUs the tracer may find the other process still on its way off its CPU, and waits.",
    sources: &[("strace", "none: -c and -T give the times of traced calls, never of untraced ones")],
    actors: Actors::TwoProcesses,
    rehearse: Rehearse::Nothing,
    points: &["cpu=same|other"],
    predict: &[
        "hand-offs between processes(4)",
        "software t1 four hand-offs = 4 × [switch.process.eventfd {placement}]",
        "floors(5)",
        "software two stops reported, found and ended = 2400 cycles (×1.8: for each a signal's lock taken, the stop written, the parent \
         looked up and signalled; a child searched, its state copied; the child found by number, checked to be off its CPU, and woken: \
         some 1 200 instructions) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the process stopped twice for each call, and had counted those before",
        "stops.calls = 1: the traced process made every call",
    ],
    // The call, and the four of the tracer.
    bounds: &["floors(5)"],
    spend_ns: 15_000_000,
    run: call_traced,
    ..super::super::COMMON
};
