//! An empty loop of 1 to 10 000 iterations, its counter in a register or in memory.
//!
//! R3 (1) and R4 (3) time unoptimised loops, R0 and R1 probably do: a counter on the stack, which cores may rename to
//! a register. That is a flawed method here.

use crate::fit::line;
use measure::{Bench, Operation, Parameters, Point, Rehearse, Result, Work, choice, parameters, takes};
use quantity::Quantity;
use record::{Fit, Plot};
use sys::arch::{self, LoopCounter};

/// The evidence that all iterations were made.
pub const ITERATIONS: &str = "answers = 1: the loops made as many iterations as requested";
/// The evidence that an iteration has all its instructions.
pub const INSTRUCTIONS: &str = "instructions {instructions - 0.01}..{instructions + 6 / iterations + 0.01}: every iteration executes \
                            all its instructions";

/// Common to loops.
pub const LOOP: Operation = Operation {
    one_iteration: "one iteration, with its share of loop entry and exit",
    rehearse: Rehearse::CallsAndInstructions,
    spend_ns: 6_000_000,
    in_lines: |point| match counter(point) {
        Ok(counter) => point.clone().with("instructions", arch::instructions_per_loop(counter)),
        Err(_) => point.clone(),
    },
    predict: &[
        "counter=register: hardware one taken branch per cycle = family.loop_cycles × cycle_ns",
        // Load to store, and store forwarding to the next load. One more between two loops.
        "counter=memory: hardware store forwarding of the counter = {1 + 1 / iterations} × (family.store_forward_cycles \
         + family.add_cycles) × cycle_ns",
        "iterations=..100: software loop entry and exit = loop_exit(0.5) × cycle_ns",
        // The exit of a long loop is mispredicted: the branch history before it is uniform.
        "iterations=101..: software loop entry and exit = loop_exit(20.5) × cycle_ns",
    ],
    evidence: &[ITERATIONS, "calls: none", INSTRUCTIONS, "undisturbed loop"],
    bounds: &["> 0.45 cycles × cycle_ns: no core takes more than two branches per cycle"],
    plot: Some(|| Plot {
        family: Some("loop.iteration".to_owned()),
        ..Plot::logarithmic("iterations", "iterations of one loop", Quantity::Count)
    }),
    fit: Some(|| Fit { per_unit: true, ..line("iterations", "per iteration", "for loop entry and exit") }),
    run,
    ..super::COMMON
};

/// An empty loop.
pub static ITERATION: Operation = Operation {
    id: "loop.iteration",
    revision: 2,
    title: "one iteration of an empty loop",
    method: "A loop in assembly, aligned to a cache line, repeated; the cost per iteration is the slope over all iterations. \
             The line through the points separates an iteration from loop entry and exit. counter=memory: the counter \
             is at an address of two registers and is reset between loops by a load and a store, so that every \
             iteration waits for store forwarding.",
    confounds: "A loop that straddles a cache line costs a fifth more (E58): this one is aligned. The exit of a long loop is \
                mispredicted, which adds some 20 cycles per loop. Cores since Ice Lake and Zen 2 rename memory at a \
                simple address to a register, intermittently: an address of two registers prevents that.",
    sources: &[
        ("R0, 3.2.2", "1, 4, 16, 64, 256 and 1024 iterations between two clock reads, less their overhead"),
        ("R1, 3 Fig 1", "an empty loop of a fixed number of iterations, timed by struct timeval"),
        ("R2, 3.2", "an empty loop, divided by its iterations; probably two clock reads in each iteration"),
        (
            "R3, 3.2.1",
            "0 to 50 iterations, by section 1 with -O0, between two clock reads, less their overhead",
        ),
        ("R4, 4.1", "1, 10, 100, 1000 and 10 000 iterations without optimisation, by RDTSCP; whole loops"),
    ],
    parameters: takes::<Loops>,
    points: &[
        "profile!=thorough: counter=register iterations=1|4|16|64|256|1024; counter=memory iterations=1|16|256|1024",
        "profile=thorough: counter=register iterations=1|2|4|8|16|32|50|64|128|256|512|1024|4096|10000; \
         counter=memory iterations=1|4|16|50|64|256|1024|10000",
    ],
    ..LOOP
};

choice! {
    /// Where the counter of a loop is.
    enum Counter {
        /// In a register.
        Register = "register",
        /// In memory.
        Memory = "memory",
    }
}

parameters! {
    /// Loops.
    struct Loops {
        /// Where the counter is.
        counter: Counter,
        /// Of one loop.
        iterations: u64,
    }
}

parameters! {
    /// Loops of one form.
    pub struct Iterations {
        /// Of one loop.
        iterations: u64,
    }
}

fn counter(point: &Point) -> Result<LoopCounter> {
    Ok(match Loops::read(point)?.counter {
        Counter::Register => LoopCounter::Register,
        Counter::Memory => LoopCounter::Memory,
    })
}

fn run(bench: &mut Bench<'_>) -> Result<()> {
    repeat(bench, counter(bench.point())?)
}

/// Batches of loops with this counter.
///
/// # Errors
/// When a parameter cannot be read.
pub fn repeat(bench: &mut Bench<'_>, counter: LoopCounter) -> Result<()> {
    let length = bench.parameters::<Iterations>()?.iterations.max(1);
    let mut work = |n| Ok(arch::empty_loops(counter, n / length, length));
    bench.batches(Work { multiple_of: length, ..Work::new(&mut work) })
}
