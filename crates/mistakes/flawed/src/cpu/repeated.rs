//! Clocks, loops and calls, repeated in batches.

use super::single::{OUTSIDE, PAOLONI};
use crate::method::FlawedMethod;
use measure::Operation;
use measure::takes;
use operations::bases::{
    CALL as PROCEDURE, COUNTER, INSTRUCTIONS, ITERATIONS, Iterations, KERNEL, LOOP as LOOPS, in_loops,
    read_counter, read_kernel, repeat, with_instructions,
};
use sys::arch::{self, CallBy, CounterRead, LoopCounter};
use sys::kernel_time;

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
            ("R3, 3.2.2", "by section 1 with -O0; the counter in memory by the printed assembly"),
            ("R4, 3", "no optimisation"),
        ],
        parameters: takes::<Iterations>,
        points: &[
            "profile!=thorough: iterations=1|4|16|64|256|1024",
            "profile=thorough: iterations=1|4|10|16|50|64|100|256|1000|1024|10000",
        ],
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
