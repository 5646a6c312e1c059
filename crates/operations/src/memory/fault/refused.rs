//! A fault that brings no page: a system call is given an address where nothing is.

use measure::{Area, Bench, Failure, Operation, Rehearse};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.refused",
    area: Area::Memory,
    title: "fault in a system call that is given a bad address",
    one_iteration: "one clock_gettime into an address where nothing is mapped, which must answer EFAULT",
    method: "The kernel reads its clock and faults where it writes the answer. There is no memory at that address: the \
             fault is raised, nothing is found, and the call goes on where its table of exceptions says. Less the \
             same call with a good address (clock.read.monotonic.syscall) it is what raising a fault and coming back \
             from it costs, without any page.",
    confounds: "The fault comes from the kernel itself, so the stack and the address space stay; one from a program \
                changes both, as a system call does. Kernels that look up the address without a lock first look twice.",
    sources: &[("LTP", "EFAULT of every call, for its result only")],
    rehearse: Rehearse::Calls,
    predict: &[
        "t0 floors(1)",
        "software t1 the same call with a good address = [clock.read.monotonic.syscall]",
        "hardware exception and return = exception × cycle_ns",
        "software t0 clock read, answer refused = 150 cycles (×1.7: entry of the call, time counter read and scaled: 120 \
         instructions and a fence) × cycle_ns",
        "software looked for in vain = nothing_there × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every call answered that the address is bad",
        "linear",
        "calls: clock_gettime 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["> 0.9 × [clock.read.monotonic.syscall]: the clock is read before the address is found bad"],
    run,
    ..Operation::NEW
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    if sys::efault::clock_reads(1) == 0 {
        return Err(Failure::skipped(
            "the kernel does not look at the address that clock_gettime is given: something stands before it",
            "let the sandbox pass clock_gettime (seccomp)",
        ));
    }
    bench.slope(&mut |n| Ok(sys::efault::clock_reads(n)))
}
