//! An empty loop, its counter in a register or in memory, over loops of 1 to 10 000 iterations.
//!
//! The reports time loops that unoptimised C leaves behind: a counter in memory, which cores may keep in a
//! register behind the program's back. That one is a reference method here.

use measure::{Area, Bench, Failure, Operation, Point, Reference, Rehearse, Work};
use quantity::Quantity;
use record::{Fit, Plot};
use sys::arch::{self, LoopCounter};

const ITERATIONS: &str = "answers = 1: the loops did as many iterations as asked";
const INSTRUCTIONS: &str = "instructions {instructions - 0.01}..{instructions + 6 / iterations + 0.01}: every iteration executes \
                            all its instructions";

const LOOP: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one iteration of a loop of that many iterations, its share of starting and leaving the loop included",
    rehearse: Rehearse::CallsAndInstructions,
    spend_ns: 6_000_000,
    in_lines: |point| {
        point
            .clone()
            .with("instructions", arch::instructions_per_loop(counter(point)))
    },
    predict: &[
        "counter=register: hardware one branch taken per cycle = family.loop_cycles × cycle_ns",
        // From the load to the store and through the store buffer to the next load, where nothing is renamed. One more
        // passage through memory counts back between two loops.
        "counter=memory: hardware the counter passes through memory = {1 + 1 / iterations} × (max(family.store_forward_cycles, \
         5 cycles (×1.4: T. Downs, uarch-bench: a store is forwarded in 5 cycles where the address hides it)) \
         + family.add_cycles) × cycle_ns",
        "iterations=..100: software start and leave the loop = leave_a_loop(0.5) × cycle_ns",
        // The end of a long loop is guessed wrong, because the history of branches before it is all alike.
        "iterations=101..: software start and leave the loop = leave_a_loop(20.5) × cycle_ns",
    ],
    evidence: &[
        ITERATIONS,
        "linear",
        "calls: none",
        INSTRUCTIONS,
        "undisturbed",
        "no new pages",
    ],
    bounds: &["> 0.45 cycles × cycle_ns: no core takes more than two branches in a cycle"],
    plot: Some(|| Plot {
        family: Some("loop.iteration".to_owned()),
        ..Plot::logarithmic("iterations", "iterations of one loop", Quantity::Count)
    }),
    fit: Some(|| Fit {
        parameter: "iterations".to_owned(),
        unit: 1,
        per_unit: true,
        slope: "per iteration".to_owned(),
        intercept: "to start and leave a loop".to_owned(),
    }),
    run,
    ..Operation::NEW
};

/// An empty loop.
pub static OPERATION: Operation = Operation {
    id: "loop.iteration",
    revision: 2,
    title: "one iteration of an empty loop",
    method: "A loop in assembly, aligned to a cache line, run again and again with as many iterations each; the cost per \
             iteration is the slope over the number of iterations. The line through the points tells an iteration \
             apart from starting and leaving a loop. counter=memory: the counter lies at an address of two \
             registers and is counted back between loops, so that every iteration waits for a store and a load.",
    confounds: "A loop that straddles a cache line costs a fifth more (E58): this one is aligned. With many \
                iterations the processor guesses the end of the loop wrong, which adds some 20 cycles to a loop; \
                with few it learns the end. Since Ice Lake and Zen 2 cores recognise a store and a load of one \
                simple address and keep the number in a register, on and off: an address of two registers \
                prevents that.",
    sources: &[
        ("R0", "1 … 1024 iterations by 4, -O0, counter in memory"),
        ("R1", "for loop, -O0, gettimeofday"),
        ("R3", "0 … 50 iterations, -O0, RDTSC"),
        (
            "R4",
            "1 … 10 000 iterations by 10, -O0, RDTSC; slope and intercept",
        ),
    ],
    points: |profile| {
        Point::of_profile(
            profile,
            "counter=register iterations=1|4|16|64|256|1024; counter=memory iterations=1|16|256|1024",
            "counter=register iterations=1|2|4|8|16|32|50|64|128|256|512|1024|4096|10000; \
             counter=memory iterations=1|4|16|50|64|256|1024|10000",
        )
    },
    ..LOOP
};

/// What unoptimised code leaves.
pub static UNOPTIMISED: Operation = Operation {
    id: "loop.iteration.unoptimised",
    title: "an empty loop as unoptimised code has it",
    method: "As loop.iteration, with the counter on the stack, set to zero before each loop.",
    confounds: "The core forwards the counter from store to load, or renames the memory and does without, and changes \
                between the two within a process; loops of some ten iterations overlap.",
    sources: &[("R0", "1 … 1024 iterations by 4, -O0"), ("R1, R3, R4", "-O0")],
    reference: Some(Reference {
        wrong: "Without optimisation the harness costs several times what it measures (E12), and the counter in \
                memory costs what the core makes of it at that moment.",
        right: ("loop.iteration", "counter=register iterations=1024"),
    }),
    points: |_| Point::all("iterations=1|16|1024"),
    in_lines: |point| {
        let instructions = arch::instructions_per_loop(LoopCounter::Unoptimised);
        point.clone().with("instructions", instructions)
    },
    predict: &[
        // Cores forward a store to the next load in 4 to 5 cycles; since Ice Lake and Zen 2 they may also rename the memory,
        // which takes 0 to 1, and go back and forth between the two.
        "hardware the counter passes through memory = max(family.store_forward_cycles, \
         1.7 cycles (×2.9: forwarded in 5 cycles or renamed in 0.6 (T. Downs; Agner Fog))) × cycle_ns",
        "iterations=..100: software start and leave the loop = leave_a_loop(0.5) × cycle_ns",
        "iterations=101..: software start and leave the loop = leave_a_loop(20.5) × cycle_ns",
    ],
    // A counter on the stack costs 0.6 or 5 cycles as the core pleases, so its batches need not be in proportion.
    evidence: &[
        ITERATIONS,
        "calls: none",
        INSTRUCTIONS,
        "undisturbed",
        "no new pages",
    ],
    run: |bench| repeat(bench, LoopCounter::Unoptimised),
    ..LOOP
};

fn counter(point: &Point) -> LoopCounter {
    match point.get("counter") {
        Some("memory") => LoopCounter::Memory,
        _ => LoopCounter::Register,
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    repeat(bench, counter(bench.point()))
}

fn repeat(bench: &mut Bench<'_>, counter: LoopCounter) -> Result<(), Failure> {
    let length = bench.point().number("iterations")?.max(1);
    let mut work = |n| Ok(arch::empty_loops(counter, n / length, length));
    bench.batches(Work {
        multiple_of: length,
        ..Work::alone(&mut work)
    })
}
