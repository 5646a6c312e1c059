//! Loops of known cost, the self-check of the instrument: k more dependent additions must cost k more core cycles.

use crate::fit::line;
use measure::{Bench, Failure, Operation, Rehearse, Result, parameters, takes};
use sys::arch;

/// A loop with a known number of dependent one-cycle additions.
pub static KNOWN_COST: Operation = Operation {
    id: "loop.known_cost",
    title: "a loop of known cost",
    one_iteration: "one iteration of a loop whose counter passes through k additions and one subtraction",
    method: "The loop counter passes through k additions of a register that holds zero and the subtraction of one: k + 1 \
             dependent operations of one core cycle each. The slope of cost over k must be one cycle.",
    confounds: "None: the prediction is exact, and a deviation is an error of the instrument.",
    sources: &[("oscope", "self-check; likwid checks against hardware counters")],
    rehearse: Rehearse::CallsAndInstructions,
    parameters: takes::<Additions>,
    points: &["adds=0|10|20|40"],
    predict: &[
        "hardware dependent one-cycle operations = {adds + 1} cycles (×1: Agner Fog, instruction tables: an addition of \
         registers takes one cycle) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the loop made as many iterations as requested",
        "calls: none",
        "instructions {adds + 2.99}..{adds + 3.01}: every iteration executes all its additions",
        "undisturbed loop",
    ],
    bounds: &["> {adds} cycles × cycle_ns: dependent operations cannot overlap"],
    fit: Some(|| line("adds", "per addition", "for an iteration without additions")),
    run,
    ..super::COMMON
};

parameters! {
    /// Iterations of known cost.
    struct Additions {
        /// In each.
        adds: u64,
    }
}

fn run(bench: &mut Bench<'_>) -> Result<()> {
    let asked = bench.parameters::<Additions>()?.adds;
    let offered = arch::KNOWN_ADDS.into_iter().find(|&adds| u64::from(adds) == asked);
    let adds = offered.ok_or_else(|| Failure::failed(format!("there is no loop with {asked} additions")))?;
    bench.slope(&mut |n| Ok(arch::known_cost(adds, n).unwrap_or(0)))
}
