//! Terms made of measured parts, divided into hardware and software as the predictions of these parts from facts are.

use crate::rows::row::{Predicted, Row};
use quantity::Quantity;
use record::{Lookup, Machine, PointId, Range, Term, TermSide};
use std::collections::HashMap;

/// How much less of the parts a term is evaluated for, as a share: its slope there.
const STEP: f64 = 1e-4;

/// A share that nobody would name.
const LITTLE: f64 = 0.02;

/// What a measured part is.
#[derive(Debug, Clone, Copy)]
struct Part {
    range: Range,
    /// Its share of hardware; `None` where no facts predict it.
    hardware: Option<f64>,
}

/// The rows, with the terms of predictions from parts divided where these parts are predicted from facts, too.
pub(crate) fn divided(mut rows: Vec<Row>, machine: &Machine) -> Vec<Row> {
    let parts: HashMap<PointId, Part> =
        rows.iter().filter_map(|row| Some((row.point.id.clone(), part(row)?))).collect();
    let times = rows.iter_mut().filter(|row| row.quantity() == Quantity::Latency);
    for predicted in times.filter_map(|row| row.from_parts.as_mut()) {
        divide(predicted, machine, &parts);
    }
    rows
}

/// Rates stay whole: their inverse counts.
fn part(row: &Row) -> Option<Part> {
    let facts = row.from_facts.as_ref().filter(|facts| facts.total.value > 0.0);
    let facts = facts.filter(|_| row.quantity() == Quantity::Latency);
    let hardware = facts.map(|facts| (facts.hardware.value / facts.total.value).clamp(0.0, 1.0));
    Some(Part { range: row.range()?, hardware })
}

fn divide(predicted: &mut Predicted, machine: &Machine, parts: &HashMap<PointId, Part>) {
    let zero = Range::exactly(0.0);
    let (mut hardware, mut software) = (zero, zero);
    for (term, range) in &mut predicted.terms {
        let declared = f64::from(u8::from(term.side == TermSide::Hardware));
        let share = hardware_share(term, *range, machine, parts).unwrap_or(declared);
        term.side = match share {
            ..LITTLE => TermSide::Software,
            share if share > 1.0 - LITTLE => TermSide::Hardware,
            _ => TermSide::Both,
        };
        hardware = hardware.plus(range.map(|value| value * share));
        software = software.plus(range.map(|value| value * (1.0 - share)));
    }
    (predicted.hardware, predicted.software) = (hardware, software);
}

/// The hardware's share of a term; `None` where no part of it is divided. What does not grow with such parts stays where the
/// term was declared.
fn hardware_share(
    term: &Term,
    range: Range,
    machine: &Machine,
    parts: &HashMap<PointId, Part>,
) -> Option<f64> {
    let of_term = term.formula.parts();
    let is_divided = of_term.iter().any(|id| parts.get(*id).is_some_and(|part| part.hardware.is_some()));
    if !is_divided || range.value <= 0.0 {
        return None;
    }
    let grows = |of: fn(f64) -> f64| {
        let less = term.formula.evaluate(&Less { machine, parts, of }).ok()?;
        Some(((range.value - less.value) / STEP).clamp(0.0, range.value))
    };
    let hardware = grows(|hardware| hardware)?;
    let software = grows(|hardware| 1.0 - hardware)?.min(range.value - hardware);
    let rest = if term.side == TermSide::Hardware { range.value - hardware - software } else { 0.0 };
    Some((hardware + rest) / range.value)
}

/// The parts, less a small share of what is the hardware's or the software's of them.
struct Less<'a> {
    machine: &'a Machine,
    parts: &'a HashMap<PointId, Part>,
    /// The share of a part that is meant, from that of the hardware.
    of: fn(f64) -> f64,
}

impl Lookup for Less<'_> {
    fn fact(&self, key: &str) -> Option<Range> {
        self.machine.range(key)
    }

    fn part(&self, point: &PointId) -> Option<Range> {
        let Part { range, hardware } = self.parts.get(point)?;
        Some(Range::exactly(range.value * (1.0 - STEP * hardware.map_or(0.0, self.of))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::{Estimate, Tier};
    use record::{Formula, PlannedPoint};

    fn predicted(terms: Vec<(Term, Range)>) -> Predicted {
        let of = |side| {
            let of_side = terms.iter().filter(|(term, _)| term.side == side);
            of_side.fold(Range::exactly(0.0), |sum, (_, range)| sum.plus(*range))
        };
        let (hardware, software) = (of(TermSide::Hardware), of(TermSide::Software));
        let total = hardware.plus(software);
        Predicted {
            tier: Tier::Parts,
            hardware,
            software,
            total,
            terms,
            assumed: Vec::new(),
            uncertain_parts: Vec::new(),
        }
    }

    fn term(side: TermSide, formula: Formula, value: f64) -> (Term, Range) {
        (Term { name: String::new(), side, formula }, Range::exactly(value))
    }

    fn number(value: f64) -> Formula {
        Formula::Number { value, within: 1.0, source: String::new() }
    }

    fn measured(id: &str) -> Formula {
        Formula::Part { point: PointId::new(id, "") }
    }

    /// A row of this cost, of which this much was predicted to be the hardware's of ten.
    fn row(id: &str, typical: f64, hardware: f64) -> Row {
        let facts = vec![
            term(TermSide::Hardware, number(hardware), hardware),
            term(TermSide::Software, number(10.0 - hardware), 10.0 - hardware),
        ];
        Row {
            estimate: Some(Estimate { typical, ..Estimate::default() }),
            from_facts: Some(predicted(facts)),
            ..Row::new(PlannedPoint::new(PointId::new(id, "")))
        }
    }

    /// Hardware and software of the T1 of a row with this term.
    fn sides(declared: TermSide, formula: Formula, value: f64) -> (f64, f64, TermSide) {
        let sum = Row {
            from_parts: Some(predicted(vec![term(declared, formula, value)])),
            ..Row::new(PlannedPoint::new(PointId::new("sum", "")))
        };
        let rows = vec![row("call", 20.0, 7.0), row("floor", 8.0, 10.0), sum];
        let rows = divided(rows, &Machine::default());
        let parts = rows.last().and_then(|row| row.from_parts.as_ref()).unwrap();
        let rounded = |value: f64| (value * 100.0).round() / 100.0;
        (rounded(parts.hardware.value), rounded(parts.software.value), parts.terms[0].0.side)
    }

    #[test]
    fn a_multiple_of_a_part_is_divided_as_the_part() {
        let twice = Formula::Product { of: vec![number(2.0), measured("call")] };
        assert_eq!(sides(TermSide::Software, twice, 40.0), (28.0, 12.0, TermSide::Both));
    }

    #[test]
    fn the_difference_of_two_parts_has_the_difference_of_their_hardware() {
        let (from, less) = (Box::new(measured("call")), Box::new(measured("floor")));
        let difference = Formula::Difference { from, less };
        assert_eq!(sides(TermSide::Hardware, difference, 12.0), (6.0, 6.0, TermSide::Both));
    }

    #[test]
    fn what_is_no_part_stays_where_it_was_declared() {
        let sum = Formula::Sum { of: vec![measured("floor"), number(2.0)] };
        assert_eq!(sides(TermSide::Software, sum.clone(), 10.0), (8.0, 2.0, TermSide::Both));
        assert_eq!(sides(TermSide::Hardware, sum, 10.0), (10.0, 0.0, TermSide::Hardware));
        assert_eq!(sides(TermSide::Hardware, number(3.0), 3.0), (3.0, 0.0, TermSide::Hardware));
    }
}
