//! Reference methods: a single short operation between two clock reads, as the reports did.

use measure::{Area, Operation};
use sys::arch::{self, LoopCounter};
use sys::clock::Clock;
use workloads::cpu::intervals::{interval, shortest_empty, time};

const SINGLE: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one operation between two clock reads",
    evidence: &["answers = 1: the clock advanced and the operation gave its answer every time"],
    confounds: "The value shows the error of the method, not the cost of the operation: see the right method beside it.",
    ..Operation::VALUES
};

/// A call between two clock reads.
pub static CALL: Operation = Operation {
    id: "call.procedure.single",
    title: "one procedure call between two clock reads",
    method: "Clock read, one call of an empty procedure, clock read: the median of 256 intervals.",
    sources: &[("R0", "one call at a time"), ("R4", "one call at a time")],
    wrong: "The interval contains a clock read, which costs ten times as much as the call and overlaps with it (E04, E07).",
    right: ("call.procedure", "arguments=0"),
    predict: &[
        "hardware t1 the operation = [call.procedure arguments=0]",
        "software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
    ],
    run: |bench| time(bench, Clock::select(), &|clock| interval(clock, arch::empty_procedure)),
    ..SINGLE
};

/// The same minus the cost of the clock read.
pub static SUBTRACTED: Operation = Operation {
    id: "call.procedure.subtracted",
    title: "one procedure call between two clock reads, minus an empty interval",
    method: "As call.procedure.single; the shortest of 256 empty intervals is subtracted, and negative results are set to zero.",
    sources: &[
        ("R0", "overhead subtracted; negative for some"),
        ("lmbench", "non-positive results are dropped"),
    ],
    wrong: "Two intervals of 20 ns are subtracted to find 1 ns: the difference is noise of the fences, and clamping it at \
            zero raises the mean (E05).",
    right: ("call.procedure", "arguments=0"),
    predict: &["hardware t1 the call = [call.procedure arguments=0]"],
    run: |bench| {
        let clock = Clock::select();
        let empty = shortest_empty(clock);
        time(bench, clock, &|clock| {
            let (ticks, right) = interval(clock, arch::empty_procedure);
            ((ticks - empty).max(0), right)
        })
    },
    ..SINGLE
};

/// Fenced by CPUID on both sides.
pub static CPUID: Operation = Operation {
    id: "call.procedure.cpuid",
    title: "one procedure call between two CPUID-serialised clock reads",
    method: "CPUID and RDTSC, one call of an empty procedure, CPUID and RDTSC: the median of 256 intervals.",
    sources: &[("R0, R3, R4", "CPUID as a fence (Paoloni)")],
    wrong: "The second CPUID is in the interval: a hundred cycles on bare metal, and a VM exit of microseconds in a \
            virtual machine (E11).",
    right: ("call.procedure", "arguments=0"),
    needs: measure::on_x86_64,
    predict: &[
        "hardware t1 the call = [call.procedure arguments=0]",
        "software t1 a read behind CPUID = [clock.read.rdtsc_cpuid]",
    ],
    run: |bench| {
        time(bench, Clock::Counter, &|_| {
            let start = arch::counter_behind_cpuid();
            let answer = std::hint::black_box(arch::empty_procedure());
            (arch::counter_behind_cpuid() - start, answer == 1)
        })
    },
    ..SINGLE
};

/// A loop of one iteration between two clock reads.
pub static LOOP: Operation = Operation {
    id: "loop.iteration.single",
    title: "one loop of one iteration between two clock reads",
    method: "Clock read, one loop of one iteration, clock read: the median of 256 intervals.",
    sources: &[
        ("R0", "a loop of one iteration, negative after subtraction"),
        ("R2", "the loop costs as much as the timer"),
    ],
    wrong: "The interval is that of the clock read: one iteration is a hundredth of it and overlaps with it (E04, E07).",
    right: ("loop.iteration", "counter=register iterations=1"),
    predict: &[
        "hardware t1 the operation = [loop.iteration counter=register iterations=1]",
        "software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
    ],
    run: |bench| {
        time(bench, Clock::select(), &|clock| {
            interval(clock, || arch::empty_loops(LoopCounter::Register, 1, 1))
        })
    },
    ..SINGLE
};

/// Two clock reads in a row.
pub static CLOCK: Operation = Operation {
    id: "clock.read.single",
    title: "two clock reads in a row",
    method: "Two clock reads in a row: the median of 256 differences, the overhead that the reports subtract.",
    sources: &[("R0", "RDTSC, RDTSCP"), ("R2, R4", "the same with other clocks")],
    wrong: "The difference is quantised by the counter, and is the end of one read plus the start of the next: the cost \
            of neither (E07).",
    right: ("clock.read.rdtsc_lfence", ""),
    predict: &[
        "hardware t1 the operation = 0 ns",
        "software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
    ],
    run: |bench| time(bench, Clock::select(), &|clock| interval(clock, || 1)),
    ..SINGLE
};
