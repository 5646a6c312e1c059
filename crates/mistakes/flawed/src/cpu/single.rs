//! One call, one loop or nothing between two clock reads.

use crate::method::FlawedMethod;
use measure::{Area, Bench, Failure, Operation, Parameters, Point, Result, choice, parameters, takes};
use quantity::Quantity;
use record::{Need, Plot, Scale};
use std::hint::black_box;
use sys::arch::{self, LoopCounter, call_once};
use sys::clock::Clock;
use workloads::cpu::frequency::after;

const SINGLE: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one operation between two clock reads",
    evidence: &["answers = 1: the clock advanced and the operation gave its answer every time"],
    confounds: "The value shows the error of the method, not the cost of the operation: see the right method beside it. \
                fences=cpuid: the CPUIDs are outside of the interval, but in a virtual machine the second one exits to the \
                hypervisor before each interval, which then begins with cold code.",
    needs: needs_cpuid,
    ..Operation::VALUES
};

/// Whose fences are copied.
pub const PAOLONI: &str = "Paoloni 2010";
pub const OUTSIDE: &str = "CPUID, RDTSC … RDTSCP, CPUID: both CPUIDs are outside of the interval";

/// A call between two clock reads.
pub static CALL: FlawedMethod = FlawedMethod {
    wrong: "The interval contains a clock read, which costs ten times as much as the call and overlaps with it (E04, E07).",
    right: ("call.procedure", "arguments=0"),
    card: Operation {
        id: "call.procedure.single",
        title: "one procedure call between two clock reads",
        method: "Clock read, one call of an empty procedure, clock read: the median of 256 intervals. fences=cpuid: as in R0, \
                 3.3: CPUID, RDTSC, the call with n arguments of the type int, RDTSCP, CPUID.",
        sources: &[
            (
                "R0, 3.3",
                "one call with 0 to 7 int arguments between two clock reads, whose overhead is subtracted",
            ),
            ("R2, 3.3", "probably single calls, 0 to 7 parameters, trials of 1000"),
            ("R4, 4.2", "probably one call between two clock reads, 0 to 7 int arguments"),
        ],
        parameters: takes::<CalledOnce>,
        points: ONE_CALL,
        plot: Some(|| Plot {
            scale: Scale::Linear,
            ..Plot::logarithmic("arguments", "arguments of the call", Quantity::Count)
        }),
        predict: &[
            "hardware t1 the operation = [call.procedure arguments={arguments}]",
            "fences!=cpuid: software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
            "fences=cpuid: software t1 RDTSCP behind RDTSC = [clock.read.rdtscp]",
        ],
        in_lines: with_arguments,
        run: |bench| {
            let called: CalledOnce = bench.parameters()?;
            time(bench, clock(called.fences), called_once(called)?)
        },
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
        method: "As call.procedure.single; the shortest of 256 empty intervals is subtracted, and negative results are set to zero. \
                 fences=cpuid: the mean of the empty intervals is subtracted, probably as in the report.",
        sources: &[
            (
                "R0, 3.3",
                "the overhead of the clock reads (33.6 cycles in 3.2.1, 33 in 7) subtracted; 2 to 5 are left (E05)",
            ),
            ("lmbench", "non-positive results are dropped"),
        ],
        parameters: takes::<CalledOnce>,
        points: ONE_CALL,
        plot: CALL.card.plot,
        predict: &["hardware t1 the call = [call.procedure arguments={arguments}]"],
        in_lines: with_arguments,
        run: |bench| {
            let called: CalledOnce = bench.parameters()?;
            let (once, empty) = (called_once(called)?, empty_interval(called.fences));
            time(bench, clock(called.fences), &|clock| {
                let (ticks, right) = once(clock);
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
                let answer = black_box(arch::empty_procedure());
                (arch::counter_behind_cpuid() - start, answer == 1)
            })
        },
        ..SINGLE
    },
};

/// A loop between two clock reads.
pub static LOOP: FlawedMethod = FlawedMethod {
    wrong: "The interval is that of the clock read: one iteration is a hundredth of it and overlaps with it (E04, E07).",
    right: ("loop.iteration", "counter=register iterations=1"),
    card: Operation {
        id: "loop.iteration.single",
        title: "one loop of one iteration between two clock reads",
        one_iteration: "one whole loop between two clock reads",
        method: "Clock read, one loop of one iteration, clock read: the median of 256 intervals. fences=cpuid: the \
                 fences of R0, 3.1, and R3, 3.1, and of the paper that R4, 3, follows: CPUID, RDTSC … RDTSCP, CPUID; between them \
                 a whole loop of n iterations as gcc -O0 makes it. Other than in R0, 3.2.2, and R3, 3.2.1, nothing is subtracted, and other than in R0, 3.2.2, \
                 the time is not divided.",
        sources: &[
            ("R0, 3.2.2", "loops of 1 to 1024 iterations: 0.01 cycles for one, after subtraction"),
            (
                "R2, 3.2",
                "probably two clock reads within each iteration: 3.2 also has them before and after the loop, and divides",
            ),
            (
                "R3, 3.2.1",
                "loops of 0 to 50 iterations, by section 1 with -O0; the clock's 102 cycles are subtracted",
            ),
            ("R4, 4.1", "loops of 1 to 10 000 iterations: 45 cycles for one, as much as the clock"),
        ],
        parameters: takes::<LoopOnce>,
        points: &[
            "",
            "profile!=thorough: fences=cpuid iterations=0|1|10|100|1000",
            "profile=thorough: fences=cpuid iterations=0|1|4|10|16|25|50|64|100|256|1000|1024|10000",
        ],
        plot: Some(|| Plot::logarithmic("iterations", "iterations of the loop", Quantity::Count)),
        predict: &[
            "fences!=cpuid: hardware t1 the operation = [loop.iteration counter=register iterations=1]",
            "fences!=cpuid: software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
            "fences=cpuid: hardware t0 iterations = {iterations} × min(family.store_forward_cycles, 1.7 cycles (×2.9: forwarded in 5 \
             cycles or renamed in 0.6 (T. Downs; Agner Fog))) × cycle_ns",
            "fences=cpuid: hardware t1 iterations = {iterations} × [loop.iteration.unoptimised iterations=1024]",
            "fences=cpuid: software t0 RDTSCP behind RDTSC = family.rdtscp_cycles × cycle_ns",
            "fences=cpuid: software t1 RDTSCP behind RDTSC = [clock.read.rdtscp]",
        ],
        run: |bench| match bench.parameters()? {
            LoopOnce { fences: None, .. } => time(bench, Clock::select(), &|clock| {
                interval(clock, || arch::empty_loops(LoopCounter::Register, 1, 1))
            }),
            LoopOnce { fences: Some(Fences::Cpuid), iterations } => {
                let count = u32::try_from(iterations).unwrap_or(u32::MAX);
                time(bench, Clock::Counter, &|_| {
                    let (ticks, loops) = between_cpuids(|| arch::loop_of_c(black_box(count)));
                    (ticks, ticks >= 0 && loops == u64::from(count))
                })
            }
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
        method: "Two clock reads in a row: the median of 256 differences, the overhead that is often subtracted. fences=cpuid: as in \
                 R0, 3.1, and R3, 3.1, and in the paper that R4, 3, follows: CPUID, RDTSC, nothing, RDTSCP, CPUID; both \
                 CPUIDs are outside of the interval.",
        sources: &[
            ("R0, 3.2.1", "CPUID, RDTSC, RDTSCP, CPUID: both CPUIDs outside of the interval"),
            ("R1, 3 Fig 2 (read)", "the mean time between two RDTSC reads; fences are not mentioned"),
            ("R2, 3.1", "the mean difference of two reads of mach_absolute_time"),
            ("R3, 3.1", "CPUID, RDTSC, RDTSCP, CPUID: both CPUIDs outside of the interval"),
            ("R4, 3 and 4.1", "RDTSCP after the paper of Paoloni, whose sequence is the same"),
        ],
        parameters: takes::<Fenced>,
        points: &["", "fences=cpuid"],
        predict: &[
            "hardware t1 the operation = 0 ns",
            "fences!=cpuid: software t1 a fenced clock read = [clock.read.rdtsc_lfence]",
            "fences=cpuid: software t0 RDTSCP behind RDTSC = family.rdtscp_cycles × cycle_ns",
            "fences=cpuid: software t1 RDTSCP behind RDTSC = [clock.read.rdtscp]",
        ],
        run: |bench| match bench.parameters::<Fenced>()?.fences {
            None => time(bench, Clock::select(), &|clock| interval(clock, || 1)),
            Some(Fences::Cpuid) => time(bench, Clock::Counter, &|_| right_if_one(between_cpuids(|| 1))),
        },
        ..SINGLE
    },
};

/// The calls of both cards: oscope's clock reads around a call without arguments, and those of R0, 3.3, and probably R4, 4.2.
const ONE_CALL: &[&str] = &["", "fences=cpuid arguments=0|1|2|3|4|5|6|7"];

choice! {
    /// The fences of the clock reads, if not those of oscope's own.
    enum Fences {
        /// CPUID before the first read and behind the second one.
        Cpuid = "cpuid",
    }
}

parameters! {
    /// Nothing between two clock reads.
    struct Fenced {
        /// Of the clock reads.
        fences: Option<Fences> = None,
    }
}

parameters! {
    /// A call between two clock reads.
    struct CalledOnce {
        /// Of the clock reads.
        fences: Option<Fences> = None,
        /// That it passes.
        arguments: u64 = 0,
    }
}

parameters! {
    /// A loop between two clock reads.
    struct LoopOnce {
        /// Of the clock reads.
        fences: Option<Fences> = None,
        /// Of the loop.
        iterations: u64 = 1,
    }
}

/// Other processors than x86-64 have no CPUID.
fn needs_cpuid(point: &Point) -> Vec<Need> {
    match Fenced::read(point) {
        Ok(Fenced { fences: None }) => Vec::new(),
        _ => measure::on_x86_64(point),
    }
}

/// The point with its number of arguments, also where it is 0.
fn with_arguments(point: &Point) -> Point {
    let arguments = CalledOnce::read(point).map_or(0, |called| called.arguments);
    point.clone().with("arguments", arguments)
}

/// Samples of one trial.
const SAMPLES: usize = 256;

/// Discarded samples before them.
const WARM_UP: usize = 32;

/// The ticks of an interval, and whether the answer was right.
type Sample = (i64, bool);

/// Ticks of one operation, and whether it gave 1.
#[inline(always)]
fn interval(clock: Clock, work: impl Fn() -> u64) -> Sample {
    let start = clock.start();
    let answer = black_box(work());
    right_if_one((clock.stop() - start, answer))
}

fn right_if_one((ticks, answer): (i64, u64)) -> Sample {
    (ticks, answer == 1 && ticks >= 0)
}

/// Ticks of one operation from RDTSC behind CPUID to RDTSCP before CPUID, and its answer.
#[inline(always)]
fn between_cpuids(work: impl Fn() -> u64) -> (i64, u64) {
    let start = arch::counter_behind_cpuid();
    let answer = black_box(work());
    (arch::counter_before_cpuid() - start, answer)
}

/// With fences the counter, which R0, 3.1, R3, 3.1, and R4, 3, read; without them what the kernel trusts.
fn clock(fences: Option<Fences>) -> Clock {
    if fences.is_some() { Clock::Counter } else { Clock::select() }
}

/// Times one call as the point says.
fn called_once(called: CalledOnce) -> Result<&'static dyn Fn(Clock) -> Sample> {
    Ok(match (called.fences, called.arguments) {
        (None, 0) => &|clock| interval(clock, arch::empty_procedure),
        (Some(Fences::Cpuid), 0) => &|_| right_if_one(between_cpuids(call_once::<0>)),
        (Some(Fences::Cpuid), 1) => &|_| right_if_one(between_cpuids(call_once::<1>)),
        (Some(Fences::Cpuid), 2) => &|_| right_if_one(between_cpuids(call_once::<2>)),
        (Some(Fences::Cpuid), 3) => &|_| right_if_one(between_cpuids(call_once::<3>)),
        (Some(Fences::Cpuid), 4) => &|_| right_if_one(between_cpuids(call_once::<4>)),
        (Some(Fences::Cpuid), 5) => &|_| right_if_one(between_cpuids(call_once::<5>)),
        (Some(Fences::Cpuid), 6) => &|_| right_if_one(between_cpuids(call_once::<6>)),
        (Some(Fences::Cpuid), 7) => &|_| right_if_one(between_cpuids(call_once::<7>)),
        (_, arguments) => {
            return Err(Failure::failed(format!("there is no such call with {arguments} arguments")));
        }
    })
}

/// Ticks of an empty interval: of the shortest, or, probably as in the report, the mean.
fn empty_interval(fences: Option<Fences>) -> i64 {
    match fences {
        None => {
            let clock = Clock::select();
            (0..SAMPLES).map(|_| interval(clock, || 1).0).min().unwrap_or(0)
        }
        Some(Fences::Cpuid) => {
            let all: i64 = (0..SAMPLES).map(|_| between_cpuids(|| 1).0).sum();
            all / SAMPLES as i64
        }
    }
}

/// Times single operations, each of which gives its ticks and whether its answer was right.
fn time(bench: &mut Bench<'_>, clock: Clock, once: &dyn Fn(Clock) -> Sample) -> Result<()> {
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
