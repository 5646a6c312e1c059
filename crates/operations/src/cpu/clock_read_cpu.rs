//! Reading how much CPU time was used, which the kernel alone can tell.

use super::clock_read::{KERNEL, at_least_part, kernel_witnesses, read_kernel};
use measure::{Operation, core_cycles, term, told_cycles};
use record::{Formula, Prediction, Side};
use sys::kernel_time::{self, KernelClock};

const CPU_TIME: Operation = Operation {
    confounds: "The vDSO cannot answer: the kernel is entered each time, and adds up what the scheduler has counted, \
                up to this moment.",
    sources: &[
        ("getrusage, time", "coarser views of the same counts"),
        ("stress-ng, sysbench", "CPU time of workers"),
    ],
    computed_prediction: |_| predict(),
    computed_witnesses: |_| kernel_witnesses(&[("clock_gettime", 1.0)]),
    computed_bounds: |_| at_least_part("syscall.floor", "it enters and leaves the kernel"),
    ..KERNEL
};

/// CLOCK_PROCESS_CPUTIME_ID.
pub static PROCESS: Operation = Operation {
    id: "clock.read.process_cpu",
    title: "clock_gettime(CLOCK_PROCESS_CPUTIME_ID)",
    method: "clock_gettime of the C library for the CPU time of the process: a system call that adds up its threads.",
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

fn predict() -> Prediction {
    // Measured on another machine: 350 ns against 146 for the monotonic clock by a system call, at 4.5 GHz.
    let accounting = || {
        Formula::cited(
            918.0,
            1.6,
            "Zen 5: 204 ns more than CLOCK_MONOTONIC by a system call; run queue locked, time brought up to date",
        )
    };
    Prediction {
        from_facts: vec![
            term(
                Side::Hardware,
                "enter and leave the kernel",
                told_cycles(crate::os::syscall::entry_cycles()),
            ),
            term(
                Side::Software,
                "entry code, copy to the user",
                told_cycles(Formula::cited(
                    140.0,
                    2.0,
                    "some 120 instructions, as for CLOCK_MONOTONIC",
                )),
            ),
            term(Side::Software, "adding up CPU time", told_cycles(accounting())),
        ],
        from_parts: vec![
            term(
                Side::Software,
                "a clock by a system call",
                Formula::part("clock.read.monotonic.syscall", ""),
            ),
            term(Side::Software, "adding up CPU time", core_cycles(accounting())),
        ],
    }
}
