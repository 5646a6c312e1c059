//! A procedure call and its return, with 0 to 7 integer arguments.

use measure::{
    Area, Bench, Failure, Operation, Point, Rehearse, calls, core_cycles, linear, term, told_cycles,
};
use measure::{Work, no_new_pages, undisturbed, work_done};
use record::{Bound, Fit, Formula, Origin, Prediction, Side, Witness};
use sys::arch;

/// A procedure call.
pub static OPERATION: Operation = Operation {
    id: "call.procedure",
    area: Area::Cpu,
    title: "a procedure call and its return",
    one_iteration: "one call with its arguments put in place, and the return; the callee counts its calls",
    method: "Eight direct calls in a row in an assembly loop, caller and callee aligned to cache lines; the first \
             six arguments go into registers and further ones onto the stack, as the C calling convention has it. \
             The cost is the slope over the number of calls; nothing is subtracted.",
    confounds: "An optimising compiler removes an empty callee, and without optimisation the arguments are stored \
                and loaded again (E12, E13): assembly does neither. Calls overlap with what surrounds them, so this \
                is their cost in a row, not the time until one of them is done.",
    sources: &[
        (
            "R0",
            "0 … 7 arguments, one call timed alone, overhead subtracted; negative for some (E05)",
        ),
        ("R1", "0 … 7 arguments in a loop, -O0"),
        ("R2", "0 … 7 arguments"),
        ("R3", "0 … 7 arguments, RDTSC, -O0"),
        ("R4", "0 … 7 arguments, one call timed alone (E07)"),
        ("lmbench", "lat_proc procedure"),
    ],
    rehearse: Rehearse::CallsAndInstructions,
    points: |_| {
        (0..=7)
            .map(|arguments| Point::only().with("arguments", arguments))
            .collect()
    },
    predict,
    witnesses: |point| {
        let mut all = work_done("the callee ran as often as it was called");
        all.extend(linear());
        all.extend(calls(&[]));
        let instructions = arch::instructions_per_call(arguments(point));
        all.push(Witness {
            counter: "instructions".to_owned(),
            origin: Origin::Rehearsal,
            low: instructions - 0.01,
            high: instructions + 0.01,
            positive: true,
            proves: "every call executes its moves, the call, the callee and the return".to_owned(),
        });
        all.extend(undisturbed());
        all.extend(no_new_pages());
        all
    },
    bounds: |_| {
        vec![Bound {
            lower: true,
            formula: core_cycles(Formula::exactly(0.9)),
            because: "a call and a return are two taken branches".to_owned(),
        }]
    },
    fit: Some(|| Fit {
        parameter: "arguments".to_owned(),
        per_unit: false,
        slope: "per argument".to_owned(),
        intercept: "for a call without arguments".to_owned(),
    }),
    run,
    ..Operation::NEW
};

fn arguments(point: &Point) -> u32 {
    point
        .number("arguments")
        .map_or(0, |arguments| u32::try_from(arguments).unwrap_or(0))
        .min(arch::MOST_ARGUMENTS)
}

fn predict(point: &Point) -> Prediction {
    let on_stack = f64::from(arguments(point).saturating_sub(6));
    let of = |cycles: fn(Formula) -> Formula| {
        let mut terms = vec![term(
            Side::Hardware,
            "call and return",
            cycles(Formula::fact("family.call_cycles")),
        )];
        if on_stack > 0.0 {
            let store = Formula::cited(
                on_stack,
                2.0,
                "one store and one adjustment of the stack pointer each",
            );
            terms.push(term(Side::Software, "arguments on the stack", cycles(store)));
        }
        terms
    };
    Prediction {
        from_facts: of(told_cycles),
        from_parts: of(core_cycles),
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let arguments = arguments(bench.point());
    let mut work = |n| Ok(arch::calls(arguments, n / arch::CALLS_PER_TURN));
    bench.batches(Work {
        multiple_of: arch::CALLS_PER_TURN,
        ..Work::alone(&mut work)
    })
}
