//! A fault without a page: a system call that writes to an unmapped address (EFAULT).

use measure::{Bench, Failure, Operation, Result};

pub static EFAULT: Operation = Operation {
    id: "fault.efault",
    title: "page fault in a system call with a bad address (EFAULT)",
    one_iteration: "one clock_gettime with an unmapped address, which must return EFAULT",
    method: "The kernel reads its clock and faults when it stores the result. No area covers the address, so the handler \
             resumes the call at its entry in the exception table. Minus the same call with a valid address \
             (clock.read.monotonic.syscall) it is the cost of a fault and its return, without a page.",
    confounds: "The fault is raised in kernel mode, so stack and address space do not change; a fault from user mode changes \
                both. Kernels that try a lockless lookup first look up the address twice.",
    sources: &[("LTP", "clock_gettime02, and the same for other calls: checked but not timed")],
    predict: &[
        "t0 floors(1)",
        "software t1 the same call with a valid address = [clock.read.monotonic.syscall]",
        "hardware exception and return = exception × cycle_ns",
        "software t0 clock read, EFAULT returned = 150 cycles (×1.7: entry of the call, time counter read and scaled: 120 \
         instructions and a fence) × cycle_ns",
        "software failed lookup = nothing_there × cycle_ns",
    ],
    evidence: &["answers = 1: every call returned EFAULT", "calls: clock_gettime 1", "undisturbed loop"],
    bounds: &[
        "> 0.9 × [clock.read.monotonic.syscall]: the clock is read before the address is found invalid",
    ],
    run,
    ..crate::memory::COMMON
};

fn run(bench: &mut Bench<'_>) -> Result<()> {
    if sys::efault::clock_reads(1) == 0 {
        return Err(Failure::skipped(
            "clock_gettime with a bad address does not return EFAULT: something intercepts it",
            "let the sandbox pass clock_gettime (seccomp)",
        ));
    }
    bench.slope(&mut |n| Ok(sys::efault::clock_reads(n)))
}
