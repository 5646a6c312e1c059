//! An empty loop, its counter in a register or in memory, over loops of 1 to 10 000 iterations.
//!
//! The reports time loops that unoptimised C leaves behind: a counter in memory, which cores may keep in a
//! register behind the program's back. That one is a reference method here.

use measure::{
    Area, Bench, Failure, Operation, Point, Reference, Rehearse, calls, core_cycles, linear, term,
    told_cycles,
};
use measure::{Work, no_new_pages, undisturbed, work_done};
use quantity::Quantity;
use record::{Bound, Fit, Formula, Origin, Plot, Prediction, Profile, Side, Witness};
use sys::arch::{self, LoopCounter};

const LOOP: Operation = Operation {
    area: Area::Cpu,
    one_iteration: "one iteration of a loop of n iterations, its share of starting and leaving the loop included",
    rehearse: Rehearse::CallsAndInstructions,
    spend_ns: 6_000_000,
    computed_prediction: predict,
    computed_witnesses: witnesses,
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: core_cycles(Formula::exactly(0.45)),
            because: "no core takes more than two branches in a cycle".to_owned(),
        }]
    },
    plot: Some(|| Plot {
        family: Some("loop.iteration".to_owned()),
        ..Plot::logarithmic("n", "iterations of one loop", Quantity::Count)
    }),
    fit: Some(|| Fit {
        parameter: "n".to_owned(),
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
    method: "A loop in assembly, aligned to a cache line, run again and again with n iterations each; the cost per \
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
        let thorough = profile == Profile::Thorough;
        let register: &[u32] = if thorough {
            &[1, 2, 4, 8, 16, 32, 50, 64, 128, 256, 512, 1024, 4096, 10_000]
        } else {
            &[1, 4, 16, 64, 256, 1024]
        };
        let memory: &[u32] = if thorough {
            &[1, 4, 16, 50, 64, 256, 1024, 10_000]
        } else {
            &[1, 16, 256, 1024]
        };
        let of = |counter, lengths: &[u32]| -> Vec<Point> {
            let point = |n| Point::only().with("counter", counter).with("n", n);
            lengths.iter().map(point).collect()
        };
        [of("register", register), of("memory", memory)].concat()
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
        right: ("loop.iteration", "counter=register n=1024"),
    }),
    points: |_| [1, 16, 1024].map(|n| Point::only().with("n", n)).to_vec(),
    computed_prediction: |point| predict(&point.clone().with("counter", "unoptimised")),
    computed_witnesses: |point| witnesses(&point.clone().with("counter", "unoptimised")),
    run: |bench| repeat(bench, LoopCounter::Unoptimised),
    ..LOOP
};

fn counter(point: &Point) -> LoopCounter {
    match point.get("counter") {
        Some("memory") => LoopCounter::Memory,
        Some("unoptimised") => LoopCounter::Unoptimised,
        _ => LoopCounter::Register,
    }
}

fn length(point: &Point) -> f64 {
    point.number("n").map_or(1.0, |n| n as f64)
}

fn predict(point: &Point) -> Prediction {
    let (name, iteration) = match counter(point) {
        LoopCounter::Register => ("one branch taken per cycle", Formula::fact("family.loop_cycles")),
        LoopCounter::Memory => {
            // One more passage through memory counts back between two loops.
            let passages = 1.0 + 1.0 / length(point);
            ("the counter passes through memory", forwarded().times(passages))
        }
        LoopCounter::Unoptimised => ("the counter passes through memory", through_memory()),
    };
    let start = || {
        let cycles = leaving_cycles(length(point)) / length(point);
        Formula::cited(
            cycles,
            2.0,
            "Agner Fog, microarchitecture: a wrong guess costs 15 to 20 cycles",
        )
    };
    let of = |cycles: fn(Formula) -> Formula| {
        vec![
            term(Side::Hardware, name, cycles(iteration.clone())),
            term(Side::Software, "start and leave the loop", cycles(start())),
        ]
    };
    Prediction {
        from_facts: of(told_cycles),
        from_parts: of(core_cycles),
    }
}

/// Cycles to leave a loop and start it again: the branch back is as many taken branches as another iteration
/// less one not taken. The end of a long loop is guessed wrong, because the history of branches before it
/// is all alike.
fn leaving_cycles(length: f64) -> f64 {
    const REMEMBERED: f64 = 100.0;
    if length > REMEMBERED { 20.5 } else { 0.5 }
}

/// From the load to the store and through the store buffer to the next load, where nothing is renamed.
fn forwarded() -> Formula {
    let hidden = Formula::cited(
        5.0,
        1.4,
        "T. Downs, uarch-bench: a store is forwarded in 5 cycles where the address hides it",
    );
    let forward = Formula::Maximum {
        of: vec![Formula::fact("family.store_forward_cycles"), hidden],
    };
    forward.plus(Formula::fact("family.add_cycles"))
}

/// Cores forward a store to the next load in 4 to 5 cycles; since Ice Lake and Zen 2 they may also rename the
/// memory, which takes 0 to 1, and go back and forth between the two.
fn through_memory() -> Formula {
    let either = Formula::cited(
        1.7,
        2.9,
        "forwarded in 5 cycles or renamed in 0.6 (T. Downs; Agner Fog)",
    );
    Formula::Maximum {
        of: vec![Formula::fact("family.store_forward_cycles"), either],
    }
}

fn witnesses(point: &Point) -> Vec<Witness> {
    let mut all = work_done("the loops did as many iterations as asked");
    // A counter on the stack costs 0.6 or 5 cycles as the core pleases, so its batches need not be in proportion.
    if counter(point) != LoopCounter::Unoptimised {
        all.extend(linear());
    }
    all.extend(calls(&[]));
    let least = arch::instructions_per_loop(counter(point));
    all.push(Witness {
        counter: "instructions".to_owned(),
        origin: Origin::Rehearsal,
        low: least - 0.01,
        high: least + 6.0 / length(point) + 0.01,
        positive: true,
        proves: "every iteration executes all its instructions".to_owned(),
        breach: record::Breach::OtherWork,
    });
    all.extend(undisturbed());
    all.extend(no_new_pages());
    all
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    repeat(bench, counter(bench.point()))
}

fn repeat(bench: &mut Bench<'_>, counter: LoopCounter) -> Result<(), Failure> {
    let length = bench.point().number("n")?.max(1);
    let mut work = |n| Ok(arch::empty_loops(counter, n / length, length));
    bench.batches(Work {
        multiple_of: length,
        ..Work::alone(&mut work)
    })
}
