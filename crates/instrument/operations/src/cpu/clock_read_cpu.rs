//! Reads of CPU-time clocks, which need a system call.

use super::clock_read::{CALLS_GO_FORWARD, KERNEL, read_kernel};
use measure::Operation;
use sys::kernel_time::{self, KernelClock};

const CPU_TIME: Operation = Operation {
    confounds: "The vDSO cannot answer: every read is a system call that sums what the scheduler has accounted so far.",
    sources: &[
        ("getrusage, time", "the same accounts, coarser"),
        ("stress-ng", "CPU time of workers, by getrusage"),
    ],
    // Measured on another machine: 350 ns against 146 for the monotonic clock by a system call, at 4.5 GHz.
    predict: &[
        "t0 entries(1)",
        "software t0 entry code, copy to the user = 140 cycles (×2: some 120 instructions, as for CLOCK_MONOTONIC) × cycle_ns",
        "software t1 a clock by a system call = [clock.read.monotonic.syscall]",
        "software sum of CPU time = 918 cycles (×1.6: Zen 5: 204 ns more than CLOCK_MONOTONIC by a system call; run \
         queue locked, time brought up to date) × cycle_ns",
    ],
    evidence: &[CALLS_GO_FORWARD, "calls: clock_gettime 1", "undisturbed loop"],
    bounds: &["> [syscall.floor]: it enters and leaves the kernel"],
    ..KERNEL
};

/// CLOCK_PROCESS_CPUTIME_ID.
pub static PROCESS: Operation = Operation {
    id: "clock.read.process_cpu",
    title: "clock_gettime(CLOCK_PROCESS_CPUTIME_ID)",
    method: "clock_gettime of the C library for the CPU time of the process: a system call that sums over its threads.",
    run: |bench| read_kernel(bench, || kernel_time::read(KernelClock::ProcessCpu)),
    ..CPU_TIME
};

/// CLOCK_THREAD_CPUTIME_ID.
pub static THREAD: Operation = Operation {
    id: "clock.read.thread_cpu",
    title: "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
    method: "clock_gettime of the C library for the CPU time of the calling thread: a system call. oscope reads it \
             around every batch.",
    run: |bench| read_kernel(bench, || kernel_time::read(KernelClock::ThreadCpu)),
    ..CPU_TIME
};
