//! Clocks, loops and calls.

use crate::method::FlawedMethod;
use measure::{Area, Bench, Operation, Result, takes};
use operations::bases::{
    CALL as PROCEDURE, COUNTER, INSTRUCTIONS, ITERATIONS, Iterations, KERNEL, LOOP as LOOPS, in_loops,
    read_counter, read_kernel, repeat, with_instructions,
};
use sys::arch::{self, CallBy, CounterRead, LoopCounter};
use sys::clock::Clock;
use sys::kernel_time;
use workloads::cpu::frequency::after;

const SINGLE: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one operation between two clock reads",
    evidence: &["answers = 1: the clock advanced and the operation gave its answer every time"],
    confounds: "The value shows the error of the method, not the cost of the operation: see the right method beside it.",
    ..Operation::VALUES
};

/// Whose fences are copied.
const PAOLONI: &str = "Paoloni (Intel, 2010)";
const OUTSIDE: &str = "CPUID, RDTSC … RDTSCP, CPUID: both CPUIDs are outside of the interval";

/// A call between two clock reads.
pub static CALL: FlawedMethod = FlawedMethod {
    wrong: "The interval contains a clock read, which costs ten times as much as the call and overlaps with it (E04, E07).",
    right: ("call.procedure", "arguments=0"),
    card: Operation {
        id: "call.procedure.single",
        title: "one procedure call between two clock reads",
        method: "Clock read, one call of an empty procedure, clock read: the median of 256 intervals.",
        sources: &[
            ("R0, 3.3", "one call between two clock reads, whose overhead is subtracted"),
            ("R4, 4.2", "probably one call between two clock reads"),
        ],
        predict: &[
            "hardware t1 the operation = [call.procedure arguments=0]",
            "software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
        ],
        run: |bench| time(bench, Clock::select(), &|clock| interval(clock, arch::empty_procedure)),
        ..SINGLE
    },
};

/// The same minus the cost of the clock read.
pub static SUBTRACTED: FlawedMethod = FlawedMethod {
    wrong: "Two intervals of 20 ns are subtracted to find 1 ns: the difference is noise of the fences, and clamping it at \
            zero raises the mean (E05).",
    right: ("call.procedure", "arguments=0"),
    card: Operation {
        id: "call.procedure.subtracted",
        title: "one procedure call between two clock reads, minus an empty interval",
        method: "As call.procedure.single; the shortest of 256 empty intervals is subtracted, and negative results are set to zero.",
        sources: &[
            (
                "R0, 3.3",
                "the overhead of the clock reads, 33.6 cycles, subtracted from calls of 2 to 5 (E05)",
            ),
            ("lmbench", "non-positive results are dropped"),
        ],
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
    },
};

/// Fenced by CPUID on both sides.
pub static CPUID: FlawedMethod = FlawedMethod {
    wrong: "The second CPUID is in the interval: a hundred cycles on bare metal, and a VM exit of microseconds in a \
            virtual machine (E11).",
    right: ("call.procedure", "arguments=0"),
    card: Operation {
        id: "call.procedure.cpuid",
        title: "one procedure call between two CPUID-serialised clock reads",
        method: "CPUID and RDTSC, one call of an empty procedure, CPUID and RDTSC: the median of 256 intervals.",
        sources: &[(PAOLONI, OUTSIDE)],
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
    },
};

/// A loop of one iteration between two clock reads.
pub static LOOP: FlawedMethod = FlawedMethod {
    wrong: "The interval is that of the clock read: one iteration is a hundredth of it and overlaps with it (E04, E07).",
    right: ("loop.iteration", "counter=register iterations=1"),
    card: Operation {
        id: "loop.iteration.single",
        title: "one loop of one iteration between two clock reads",
        method: "Clock read, one loop of one iteration, clock read: the median of 256 intervals.",
        sources: &[
            ("R0, 3.2.2", "a loop of one iteration: 0.01 cycles after subtraction"),
            ("R2, 3.2", "two clock reads within each iteration, their difference called the loop's overhead"),
            ("R4, 4.1", "a loop of one iteration: 45 cycles, as much as the clock"),
        ],
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
    },
};

/// Two clock reads in a row.
pub static CLOCK: FlawedMethod = FlawedMethod {
    wrong: "The difference is quantised by the counter, and is the end of one read plus the start of the next: the cost \
            of neither (E07).",
    right: ("clock.read.rdtsc_lfence", ""),
    card: Operation {
        id: "clock.read.single",
        title: "two clock reads in a row",
        method: "Two clock reads in a row: the median of 256 differences, the overhead that is often subtracted.",
        sources: &[
            ("R0, 3.2.1", "CPUID, RDTSC, RDTSCP, CPUID: both CPUIDs outside of the interval"),
            ("R2, 3.1", "the mean difference of two reads of mach_absolute_time"),
            ("R3, 3.1.1", "CPUID, RDTSC, RDTSCP, CPUID: both CPUIDs outside of the interval"),
            ("R4, 4.1", "RDTSCP after the paper of Paoloni, whose sequence is the same"),
        ],
        predict: &[
            "hardware t1 the operation = 0 ns",
            "software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
        ],
        run: |bench| time(bench, Clock::select(), &|clock| interval(clock, || 1)),
        ..SINGLE
    },
};

/// Serialised by CPUID.
pub static RDTSC_CPUID: FlawedMethod = FlawedMethod {
    wrong: "In a virtual machine CPUID exits to the hypervisor and costs microseconds; LFENCE costs nanoseconds (E11).",
    right: ("clock.read.rdtsc_lfence", ""),
    card: Operation {
        id: "clock.read.rdtsc_cpuid",
        title: "cpuid, rdtsc",
        method: "CPUID, RDTSC, timed together: the sequence that begins an interval (Paoloni), where the CPUID is outside of it.",
        sources: &[(PAOLONI, OUTSIDE)],
        predict: &[
            "hardware t0 CPUID and RDTSC = family.cpuid_cycles × cycle_ns",
            "software t0 the hypervisor intercepts CPUID = hypervisor.exit_ns",
        ],
        evidence: &["counter reads(9)"],
        run: |bench| read_counter(bench, CounterRead::Cpuid),
        ..COUNTER
    },
};

/// The wall clock in microseconds.
pub static GETTIMEOFDAY: FlawedMethod = FlawedMethod {
    wrong: "A clock with a resolution of 1 µs cannot time an operation of nanoseconds (E08).",
    right: ("clock.read.monotonic", ""),
    card: Operation {
        id: "clock.read.gettimeofday",
        title: "gettimeofday",
        method: "gettimeofday of the C library, served by the vDSO, in whole microseconds.",
        sources: &[
            ("R1, 3", "struct timeval, probably by gettimeofday, for every experiment"),
            ("lmbench", "timer of the harness"),
        ],
        predict: &["vDSO(26)"],
        run: |bench| read_kernel(bench, kernel_time::time_of_day),
        ..KERNEL
    },
};
/// Calls that alias in the branch predictor.
pub static ALIASED: FlawedMethod = FlawedMethod {
    wrong: "Nine branches in one cache line are more than the branch predictor holds: which of them hit varies by process \
            start, so the cost has several states, all higher (E58).",
    right: ("call.procedure", "arguments=0"),
    card: Operation {
        id: "call.procedure.aliased",
        title: "eight procedure calls in one cache line",
        method: "Eight direct calls of one callee in 40 consecutive bytes, in an aligned loop.",
        sources: &[("compilers", "an unrolled loop of calls")],
        in_lines: |point| with_instructions(point, arch::instructions_per_call_by(CallBy::Aliased)),
        run: |bench| in_loops(bench, &|iterations| arch::calls_by(CallBy::Aliased, iterations)),
        ..PROCEDURE
    },
};
/// The loop of unoptimised code.
pub static UNOPTIMISED: FlawedMethod = FlawedMethod {
    wrong: "Without optimisation the harness costs several times what it measures (E12), and the cost of a counter in \
            memory varies with memory renaming.",
    right: ("loop.iteration", "counter=register iterations=1024"),
    card: Operation {
        id: "loop.iteration.unoptimised",
        title: "one iteration of an empty loop compiled without optimisation",
        method: "As loop.iteration, with the counter on the stack, zeroed before each loop.",
        confounds: "The core forwards the counter from store to load or renames the memory, and switches between the two within a \
                    process. Loops of some ten iterations overlap.",
        sources: &[
            ("R0, 3.2.2", "1 to 1024 iterations; 6 cycles each: probably without optimisation"),
            ("R1, 3 Fig 1", "2.4 ns an iteration, 6 cycles: probably without optimisation"),
            ("R3, 3.2.2", "-O0, the counter in memory by the printed assembly"),
            ("R4, 3", "no optimisation"),
        ],
        parameters: takes::<Iterations>,
        points: &["iterations=1|16|1024"],
        in_lines: |point| {
            let instructions = arch::instructions_per_loop(LoopCounter::Unoptimised);
            point.clone().with("instructions", instructions)
        },
        predict: &[
            // Store forwarding takes 4 to 5 cycles; memory renaming (since Ice Lake and Zen 2) 0 to 1.
            "hardware store forwarding of the counter = min(family.store_forward_cycles, \
             1.7 cycles (×2.9: forwarded in 5 cycles or renamed in 0.6 (T. Downs; Agner Fog))) × cycle_ns",
            "iterations=..100: software loop entry and exit = loop_exit(0.5) × cycle_ns",
            "iterations=101..: software loop entry and exit = loop_exit(20.5) × cycle_ns",
        ],
        // A counter on the stack costs 0.6 or 5 cycles, so the cost of batches need not be linear.
        evidence: &[ITERATIONS, "calls: none", INSTRUCTIONS, "undisturbed", "no new pages"],
        run: |bench| repeat(bench, LoopCounter::Unoptimised),
        ..LOOPS
    },
};

/// Samples of one trial.
const SAMPLES: usize = 256;

/// Discarded samples before them.
const WARM_UP: usize = 32;

/// Ticks of one operation, and whether it gave 1.
fn interval(clock: Clock, work: impl Fn() -> u64) -> (i64, bool) {
    let start = clock.start();
    let answer = std::hint::black_box(work());
    let ticks = clock.stop() - start;
    (ticks, answer == 1 && ticks >= 0)
}

/// Ticks of the shortest of many empty intervals.
fn shortest_empty(clock: Clock) -> i64 {
    (0..SAMPLES).map(|_| interval(clock, || 1).0).min().unwrap_or(0)
}

/// Times single operations, each of which gives its ticks and whether its answer was right.
fn time(bench: &mut Bench<'_>, clock: Clock, once: &dyn Fn(Clock) -> (i64, bool)) -> Result<()> {
    let from = clock.moment();
    let mut ticks = Vec::with_capacity(SAMPLES);
    let mut answers = 0.0;
    for sample in 0..WARM_UP + SAMPLES {
        let (taken, right) = once(clock);
        if sample >= WARM_UP {
            answers += f64::from(u8::from(right));
            ticks.push(taken);
        }
    }
    let nanos_per_tick = clock.nanos_per_tick(from, after(clock, from, 500_000));
    bench.count("answers", answers, SAMPLES as f64);
    bench.values(ticks.iter().map(|&ticks| ticks as f64 * nanos_per_tick).collect());
    Ok(())
}
