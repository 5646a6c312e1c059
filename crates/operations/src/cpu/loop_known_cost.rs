//! Loops whose cost is known: k dependent additions more per turn must cost k core cycles more.
//!
//! This is how oscope is checked against something that nobody measured: see METHODOLOGY.

use measure::{Area, Bench, Failure, Operation, Point, Rehearse};
use record::Fit;
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
    predict: &["hardware dependent one-cycle operations = {adds + 1} cycles × cycle_ns"],
    evidence: &[
        "answers = 1: the loop made as many turns as asked",
        "linear",
        "calls: none",
        "instructions {adds + 2.99}..{adds + 3.01}: every turn executes all its additions",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["> {adds} cycles × cycle_ns: dependent operations cannot overlap"],
    fit: Some(|| Fit {
        parameter: "adds".to_owned(),
        unit: 1,
        per_unit: false,
        slope: "per addition".to_owned(),
        intercept: "for the turn itself".to_owned(),
    }),
    run,
    ..Operation::NEW
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let asked = bench.point().number("adds")?;
    let offered = arch::KNOWN_ADDS
        .into_iter()
        .find(|&adds| u64::from(adds) == asked);
    let adds = offered.ok_or_else(|| Failure::Failed(format!("there is no loop with {asked} additions")))?;
    bench.slope(&mut |n| Ok(arch::known_cost(adds, n).unwrap_or(0)))
}
