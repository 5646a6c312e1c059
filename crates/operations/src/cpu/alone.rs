//! Reference methods: one short operation timed alone between two readings of a clock, as the reports did.

use super::workloads::intervals::{plain, shortest_empty, time};
use measure::{Area, How, Operation, Reference, Rehearse};
use sys::arch::{self, LoopCounter};
use sys::clock::Clock;

const ALONE: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one operation between two readings of the clock",
    how: How::Values,
    rehearse: Rehearse::Nothing,
    evidence: &["answers = 1: the clock went forward and the operation gave its answer every time"],
    confounds: "This is what the method gives, not what the operation costs: see the row of the right one.",
    ..Operation::NEW
};

/// A call between two readings.
pub static CALL: Operation = Operation {
    id: "call.procedure.single",
    title: "a procedure call timed alone",
    method: "Read the clock, call an empty procedure once, read the clock: the median of 256 such intervals.",
    sources: &[("R0", "one call at a time"), ("R4", "one call at a time")],
    reference: Some(Reference {
        wrong: "The interval holds a reading of the clock, which costs ten times what the call does, and the call \
                hides behind it (E04, E07).",
        right: ("call.procedure", "arguments=0"),
    }),
    predict: &[
        "hardware t1 the operation = [call.procedure arguments=0]",
        "software t1 a fenced reading of the clock = [clock.read.rdtsc_lfence]",
    ],
    run: |bench| {
        time(bench, Clock::select(), &|clock| {
            plain(clock, arch::empty_procedure)
        })
    },
    ..ALONE
};

/// The same, less the cost of reading.
pub static SUBTRACTED: Operation = Operation {
    id: "call.procedure.subtracted",
    title: "a procedure call timed alone, the clock's cost subtracted",
    method: "As call.procedure.single; the shortest of 256 intervals with nothing in them is subtracted, and what \
             comes out below zero is called zero.",
    sources: &[
        ("R0", "overhead subtracted; negative for some"),
        ("lmbench", "results that are not above zero are dropped"),
    ],
    reference: Some(Reference {
        wrong: "Two intervals of 20 ns are subtracted to find 1 ns: the difference is that of two fences, and to cut \
                it off at zero makes the mean of what is left too high (E05).",
        right: ("call.procedure", "arguments=0"),
    }),
    predict: &["hardware t1 the call = [call.procedure arguments=0]"],
    run: |bench| {
        let clock = Clock::select();
        let empty = shortest_empty(clock);
        time(bench, clock, &|clock| {
            let (ticks, right) = plain(clock, arch::empty_procedure);
            ((ticks - empty).max(0), right)
        })
    },
    ..ALONE
};

/// Fenced by CPUID on both sides.
pub static CPUID: Operation = Operation {
    id: "call.procedure.cpuid",
    title: "a procedure call timed alone between CPUIDs",
    method: "CPUID and RDTSC, one call of an empty procedure, CPUID and RDTSC: the median of 256 such intervals.",
    sources: &[("R0, R3, R4", "CPUID as a fence (Paoloni)")],
    reference: Some(Reference {
        wrong: "The second CPUID lies in the interval: a hundred cycles on bare metal, and a virtual machine leaves \
                its guest for it, which takes microseconds (E11).",
        right: ("call.procedure", "arguments=0"),
    }),
    needs: measure::on_x86_64,
    predict: &[
        "hardware t1 the call = [call.procedure arguments=0]",
        "software t1 a reading behind CPUID = [clock.read.rdtsc_cpuid]",
    ],
    run: |bench| {
        time(bench, Clock::Counter, &|_| {
            let start = arch::counter_behind_cpuid();
            let answer = std::hint::black_box(arch::empty_procedure());
            (arch::counter_behind_cpuid() - start, answer == 1)
        })
    },
    ..ALONE
};

/// A loop of one iteration between two readings.
pub static LOOP: Operation = Operation {
    id: "loop.iteration.single",
    title: "a loop of one iteration timed alone",
    method: "Read the clock, do one loop of one iteration, read the clock: the median of 256 such intervals.",
    sources: &[
        ("R0", "a loop of one iteration, negative after subtraction"),
        ("R2", "loop = timer"),
    ],
    reference: Some(Reference {
        wrong: "The interval is that of the clock: one iteration is a hundredth of it, and its end is guessed while \
                the clock is read (E04, E07).",
        right: ("loop.iteration", "counter=register iterations=1"),
    }),
    predict: &[
        "hardware t1 the operation = [loop.iteration counter=register iterations=1]",
        "software t1 a fenced reading of the clock = [clock.read.rdtsc_lfence]",
    ],
    run: |bench| {
        time(bench, Clock::select(), &|clock| {
            plain(clock, || arch::empty_loops(LoopCounter::Register, 1, 1))
        })
    },
    ..ALONE
};

/// Two readings and nothing between.
pub static CLOCK: Operation = Operation {
    id: "clock.read.single",
    title: "two readings of the clock, one behind the other",
    method: "Read the clock twice: the median of 256 differences. This is the overhead that the reports subtract.",
    sources: &[
        ("R0", "RDTSC … RDTSCP with nothing between"),
        ("R2, R4", "the same with their clocks"),
    ],
    reference: Some(Reference {
        wrong: "The difference has the steps of the counter and the end of one reading with the start of the other, \
                which is not the cost of either (E07).",
        right: ("clock.read.rdtsc_lfence", ""),
    }),
    predict: &[
        "hardware t1 the operation = 0 ns",
        "software t1 a fenced reading of the clock = [clock.read.rdtsc_lfence]",
    ],
    run: |bench| time(bench, Clock::select(), &|clock| plain(clock, || 1)),
    ..ALONE
};
