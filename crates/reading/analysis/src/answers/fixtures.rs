//! Rows and machines of given numbers for tests.

use crate::rows::row::{Estimate, Row, TrialValue, Verdict};
use quantity::Quantity;
use record::{Fact, FactValue, Machine, PlannedPoint, PointId, Range, Unit};
use stats::interval::Interval;

/// A range from its lower end, its value and its upper end.
pub(crate) fn range((low, value, high): (f64, f64, f64)) -> Range {
    Range { low, value, high }
}

/// A measured row with this value between the ends of its interval.
pub(crate) fn row(operation: &str, point: &str, quantity: Quantity, of: (f64, f64, f64)) -> Row {
    let (low, typical, high) = of;
    let point = PlannedPoint { quantity, ..PlannedPoint::new(PointId::new(operation, point)) };
    let estimate =
        Estimate { typical, interval: Some(Interval::at_level(low, high, 0.95)), ..Estimate::default() };
    Row { verdict: Verdict::Measured, estimate: Some(estimate), ..Row::new(point) }
}

/// The row where it is noisy and its trials saw these values.
pub(crate) fn noisy(row: Row, saw: &[f64]) -> Row {
    Row { verdict: Verdict::Noisy, ..saw_only(row, saw) }
}

/// The row with trials of these values.
pub(crate) fn saw_only(mut row: Row, saw: &[f64]) -> Row {
    row.trials = saw.iter().map(|typical| TrialValue { round: 1, typical: *typical, best: 0.0 }).collect();
    row
}

/// The row with too few trials for an interval.
pub(crate) fn without_interval(mut row: Row) -> Row {
    if let Some(estimate) = &mut row.estimate {
        estimate.interval = None;
    }
    row
}

/// A machine of which these texts and numbers are known.
pub(crate) fn machine(texts: &[(&str, &str)], numbers: &[(&str, f64)]) -> Machine {
    let texts = texts.iter().map(|(key, text)| (*key, FactValue::Text { text: (*text).to_owned() }));
    let numbers =
        numbers.iter().map(|(key, value)| (*key, FactValue::Number { value: *value, unit: Unit::One }));
    let facts = texts.chain(numbers).map(|(key, value)| Fact {
        key: key.to_owned(),
        value,
        source: "fixture".to_owned(),
        within: None,
        assumed: false,
    });
    Machine { facts: facts.collect() }
}
