//! What a hand-off of the CPU should cost, for operations whose cards are functions.

use measure::{Point, term};
use quantity::Quantity;
use record::{Formula, PointId, Side, Term};

/// T1: a hand-off as another operation has it, at the same placement.
pub fn hand_off(point: &Point, operation: &str, count: f64) -> Term {
    let placement = point.get("cpu").unwrap_or("same");
    let part = Formula::part(operation, &format!("cpu={placement}"));
    let name = if count == 1.0 {
        "a hand-off"
    } else {
        "two hand-offs"
    };
    term(Side::Software, name, part.times(count))
}

/// T0 of one hand-off between processes.
pub fn hand_off_from_facts(point: &Point) -> Vec<Term> {
    let (lines, id) = (
        ["hand-offs between processes(1)"],
        PointId::new("", &point.text()),
    );
    let prediction = model::prediction(&lines, &id, Quantity::Latency, None);
    prediction.unwrap_or_default().from_facts
}
