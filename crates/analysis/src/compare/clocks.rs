//! At which clock of the core two records are compared.

use super::shapes::{Clocks, Compare, has_number};
use crate::rows::row::Row;
use record::Machine;

/// Clocks that differ by less are the same.
const SAME: f64 = 0.005;

/// The clock to which all of these records are to be carried, given each one's machine and the highest clock of its core:
/// the highest of all; `None` where one is not known, or where processors differ: a clock that one of them never has is
/// none to compare at.
pub fn common_clock(records: &[(&Machine, Option<f64>)]) -> Option<f64> {
    let (first, _) = records.first()?;
    let clocks = records
        .iter()
        .map(|(machine, clock)| clock.filter(|_| machine.text(PROCESSOR) == first.text(PROCESSOR)));
    clocks.reduce(|one, other| Some(one?.max(other?))).flatten()
}

/// The fact that names a processor.
const PROCESSOR: &str = "processor.model";

/// The clocks of two records whose rows, in pairs, are compared.
pub(super) fn clocks<'r>(
    first: &Compare<'_>,
    second: &Compare<'_>,
    pairs: impl Iterator<Item = (&'r Row, &'r Row)>,
) -> Option<Clocks> {
    let (first_hz, second_hz) = (first.analysis.highest_hz?, second.analysis.highest_hz?);
    if is_same(first_hz, second_hz) {
        return None;
    }
    let at_hz = first.analysis.reference_hz;
    let at_hz = at_hz.filter(|at| second.analysis.reference_hz.is_some_and(|other| is_same(*at, other)));
    let is_at = |row: &Row| {
        let clock = row.estimate.as_ref().and_then(|estimate| estimate.core_hz);
        clock.zip(at_hz).is_some_and(|(clock, at)| is_same(clock, at))
    };
    let numbers: Vec<(&Row, &Row)> =
        pairs.filter(|(first, second)| has_number(first) && has_number(second)).collect();
    Some(Clocks {
        first_hz,
        second_hz,
        at_hz,
        points: numbers.len(),
        carried: numbers.iter().filter(|(first, second)| is_at(first) && is_at(second)).count(),
    })
}

fn is_same(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < SAME
}
