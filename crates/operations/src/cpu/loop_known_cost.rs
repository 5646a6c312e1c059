//! Loops whose cost is known: k dependent additions more per turn must cost k core cycles more.
//!
//! This is how oscope is checked against something that nobody measured: see METHODOLOGY.

use measure::{
    Area, Bench, Failure, Operation, Point, Rehearse, calls, core_cycles, linear, term, told_cycles,
};
use measure::{no_new_pages, undisturbed, work_done};
use record::{Bound, Fit, Formula, Origin, Prediction, Side, Witness};
use sys::arch;

/// A loop with a known number of dependent one-cycle additions.
pub static OPERATION: Operation = Operation {
    id: "loop.known_cost",
    area: Area::Cpu,
    title: "a loop of known cost",
    one_iteration: "one turn of a loop whose counter passes through k additions and one subtraction",
    method: "The counter of the loop itself passes through k additions of a register that holds zero, then through \
             the subtraction of one: k + 1 dependent operations of one core cycle each. The slope of cost over k \
             is one cycle, or the instrument is wrong.",
    confounds: "None that a correct instrument would not show: this operation exists to be predicted exactly.",
    sources: &[(
        "oscope",
        "self-check; lmbench and likwid check theirs against counters instead",
    )],
    rehearse: Rehearse::CallsAndInstructions,
    points: |_| {
        arch::KNOWN_ADDS
            .map(|adds| Point::only().with("adds", adds))
            .to_vec()
    },
    computed_prediction: |point| {
        let of = |cycles: fn(Formula) -> Formula| {
            vec![term(
                Side::Hardware,
                "dependent one-cycle operations",
                cycles(Formula::exactly(adds(point) + 1.0)),
            )]
        };
        Prediction {
            from_facts: of(told_cycles),
            from_parts: of(core_cycles),
        }
    },
    computed_witnesses: |point| {
        let mut all = work_done("the loop made as many turns as asked");
        all.extend(linear());
        all.extend(calls(&[]));
        all.push(Witness {
            counter: "instructions".to_owned(),
            origin: Origin::Rehearsal,
            low: adds(point) + 2.99,
            high: adds(point) + 3.01,
            positive: true,
            proves: "every turn executes all its additions".to_owned(),
            breach: record::Breach::OtherWork,
        });
        all.extend(undisturbed());
        all.extend(no_new_pages());
        all
    },
    computed_bounds: |point| {
        vec![Bound {
            lower: true,
            formula: core_cycles(Formula::exactly(adds(point))),
            because: "dependent operations cannot overlap".to_owned(),
        }]
    },
    fit: Some(|| Fit {
        parameter: "adds".to_owned(),
        per_unit: false,
        slope: "per addition".to_owned(),
        intercept: "for the turn itself".to_owned(),
    }),
    run,
    ..Operation::NEW
};

fn adds(point: &Point) -> f64 {
    point.number("adds").map_or(0.0, |adds| adds as f64)
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let asked = bench.point().number("adds")?;
    let offered = arch::KNOWN_ADDS
        .into_iter()
        .find(|&adds| u64::from(adds) == asked);
    let adds = offered.ok_or_else(|| Failure::Failed(format!("there is no loop with {asked} additions")))?;
    bench.slope(&mut |n| Ok(arch::known_cost(adds, n).unwrap_or(0)))
}
