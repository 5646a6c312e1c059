//! Clock reads: the counter by each sequence that the reports and oscope use, and the kernel's clocks by the vDSO and
//! by a system call.

use measure::{Bench, Failure, Operation, Rehearse, Result};
use sys::arch::{self, CounterRead};
use sys::kernel_time::{self, KernelClock};

/// Common to reads of the counter.
pub const COUNTER: Operation = Operation {
    one_iteration: "one counter read, compared with the previous one",
    confounds: "A hypervisor may intercept the instruction. The counter may run at another rate than the core: its ticks are \
                not cycles. Reads may be quantised; the row then has a note.",
    rehearse: Rehearse::CallsAndInstructions,
    needs: measure::on_x86_64,
    ..super::COMMON
};

/// The bare instruction.
pub static RDTSC: Operation = Operation {
    id: "clock.read.rdtsc",
    title: "rdtsc, unfenced",
    method: "RDTSC in a loop. The processor may execute it before earlier instructions complete, so it is not a correct \
             timer.",
    sources: &[
        ("R1, 3 Fig 2 (read)", "the mean time between two RDTSC reads; fences are not mentioned"),
        ("lmbench", "none: gettimeofday"),
        ("fio", "clocksource=cpu: RDTSC without a fence, the default where the TSC is reliable"),
    ],
    predict: &["hardware the sequence = family.counter_read_cycles × cycle_ns"],
    evidence: &["counter reads(7)"],
    bounds: &["> 3 cycles × cycle_ns: the instruction is microcode of more than ten operations"],
    run: |bench| read_counter(bench, CounterRead::Bare),
    ..COUNTER
};

/// Fenced on both sides.
pub static RDTSC_LFENCE: Operation = Operation {
    id: "clock.read.rdtsc_lfence",
    title: "lfence, rdtsc, lfence",
    method: "LFENCE, RDTSC, LFENCE: the read that starts every batch of oscope on x86-64. No instruction moves across it.",
    sources: &[("Intel", "recommended in the software developer's manual under RDTSC")],
    predict: &["hardware the sequence = family.counter_fenced_cycles × cycle_ns"],
    evidence: &["counter reads(9)"],
    bounds: &["> [clock.read.rdtsc]: it contains the unfenced read"],
    run: |bench| read_counter(bench, CounterRead::Fenced),
    ..COUNTER
};

/// The instruction that waits.
pub static RDTSCP: Operation = Operation {
    id: "clock.read.rdtscp",
    title: "rdtscp",
    method: "RDTSCP waits for earlier instructions and lets later ones start. Followed by LFENCE, it ends every batch of \
             oscope on x86-64.",
    sources: &[
        ("R0, 3.1", "CPUID, RDTSC … RDTSCP, CPUID: the interval ends with RDTSCP, both CPUIDs are outside"),
        ("R3, 3.1", "the same"),
        ("R4, 3", "RDTSCP, after the paper of Paoloni, whose sequence is the same"),
    ],
    predict: &["hardware the sequence = family.rdtscp_cycles × cycle_ns"],
    evidence: &["counter reads(7)"],
    bounds: &["> [clock.read.rdtsc]: it is the unfenced read plus a wait"],
    run: |bench| read_counter(bench, CounterRead::Waiting),
    ..COUNTER
};

/// Batches of counter reads.
///
/// # Errors
/// When this processor has no such sequence.
pub fn read_counter(bench: &mut Bench<'_>, how: CounterRead) -> Result<()> {
    bench.slope(&mut |n| Ok(n - arch::read_counter(how, n).min(n)))
}

pub(super) const CALLS_GO_FORWARD: &str =
    "answers = 1: every call succeeded, and no read was earlier than the previous one";

/// Common to reads of the kernel's clocks.
pub const KERNEL: Operation = Operation {
    one_iteration: "one call of the C library, compared with the previous read",
    confounds: "Where the kernel does not trust the processor's counter, the vDSO makes a system call: the rehearsal counts \
                it and the row is contradicted.",
    evidence: &[CALLS_GO_FORWARD, "calls: none", "undisturbed loop"],
    ..super::COMMON
};

/// CLOCK_MONOTONIC.
pub static MONOTONIC: Operation = Operation {
    id: "clock.read.monotonic",
    title: "clock_gettime(CLOCK_MONOTONIC)",
    method: "clock_gettime of the C library, served by the vDSO without a system call.",
    sources: &[
        ("sysbench", "timer of the harness"),
        ("fio", "timer of the harness where the TSC is not reliable, or with clocksource=clock_gettime"),
        ("lmbench", "gettimeofday as timer of the harness"),
    ],
    predict: &["vDSO(20)"],
    bounds: &["> [clock.read.rdtsc]: the vDSO reads the counter"],
    headline: &[("", "clock_gettime")],
    run: |bench| read_kernel(bench, || kernel_time::read(KernelClock::Monotonic)),
    ..KERNEL
};

/// CLOCK_MONOTONIC_RAW.
pub static MONOTONIC_RAW: Operation = Operation {
    id: "clock.read.monotonic_raw",
    title: "clock_gettime(CLOCK_MONOTONIC_RAW)",
    method: "As clock.read.monotonic, for the clock that is not slewed, against which oscope calibrates its counter.",
    sources: &[("hyperfine, criterion", "Instant::now(), which reads the slewed CLOCK_MONOTONIC instead")],
    predict: &["vDSO(20)"],
    bounds: &["> [clock.read.rdtsc]: the vDSO reads the counter"],
    run: |bench| read_kernel(bench, || kernel_time::read(KernelClock::MonotonicRaw)),
    ..KERNEL
};

/// CLOCK_MONOTONIC_COARSE.
pub static MONOTONIC_COARSE: Operation = Operation {
    id: "clock.read.monotonic_coarse",
    title: "clock_gettime(CLOCK_MONOTONIC_COARSE)",
    method: "As clock.read.monotonic, for the time of the last tick: the counter is not read, and most reads are equal.",
    sources: &[("loggers", "probably: time stamps that need no more than the tick")],
    predict: &[
        "software vDSO copy of the last tick = 17 cycles (×1.6: a call through the C library and the vDSO's sequence \
         counter: about 25 instructions at 1.5 a cycle) × cycle_ns",
    ],
    run: |bench| read_kernel(bench, || kernel_time::read(KernelClock::MonotonicCoarse)),
    ..KERNEL
};

/// CLOCK_MONOTONIC by a real system call.
pub static MONOTONIC_SYSCALL: Operation = Operation {
    id: "clock.read.monotonic.syscall",
    title: "clock_gettime(CLOCK_MONOTONIC) by system call",
    one_iteration: "one clock_gettime by the system-call instruction, compared with the previous read",
    method: "The system call without the vDSO: the cost where the vDSO is missing or cannot answer.",
    sources: &[("perf bench", "none: other system calls")],
    predict: &[
        "hardware t0 read the counter = family.rdtscp_cycles × cycle_ns",
        "entries(1)",
        "software t0 entry code, copy to the user = 140 cycles (×2: some 120 instructions of the kernel's entry and of \
         sys_clock_gettime) × cycle_ns",
        "hardware t1 read the counter = [clock.read.rdtscp]",
        "software t1 enter and leave the kernel = [syscall.floor]",
        "software t1 time keeping and copy to the user = kernel({counted - counted[syscall.floor]})",
    ],
    evidence: &[CALLS_GO_FORWARD, "calls: clock_gettime 1", "undisturbed loop"],
    bounds: &["> [syscall.floor]: it enters and leaves the kernel"],
    run: |bench| read_kernel(bench, || kernel_time::read_by_system_call(KernelClock::Monotonic)),
    ..KERNEL
};

/// Batches of reads of a kernel's clock.
///
/// # Errors
/// When the clock cannot be read.
pub fn read_kernel(bench: &mut Bench<'_>, read: impl Fn() -> Option<i64>) -> Result<()> {
    let first = read().ok_or_else(|| {
        Failure::skipped(
            "the kernel denies reading this clock",
            "run where clock_gettime and gettimeofday are allowed (no seccomp filter)",
        )
    });
    let mut last = first?;
    bench.slope(&mut |n| {
        let mut right = 0;
        for _ in 0..n {
            if let Some(now) = read() {
                right += u64::from(now >= last);
                last = now;
            }
        }
        Ok(right)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::Point;

    #[test]
    fn the_family_has_its_points() {
        let family = [&RDTSC, &RDTSC_LFENCE, &RDTSCP, &MONOTONIC];
        assert!(
            family.iter().all(|operation| operation.points_of(record::Profile::Quick) == [Point::only()])
        );
    }
}
