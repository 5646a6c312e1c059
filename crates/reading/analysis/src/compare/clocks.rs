//! At which clock of the core two records are compared.

use super::shapes::{Clocks, Compare, has_number};
use crate::rows::row::Row;
use crate::thresholds::SAME_CLOCK;
use record::Machine;

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
    let numbers: Vec<(&Row, &Row)> =
        pairs.filter(|(first, second)| has_number(first) && has_number(second)).collect();
    let carried = numbers.iter().filter(|(first, second)| {
        at_hz.is_some_and(|at_hz| is_at_clock(first, at_hz) && is_at_clock(second, at_hz))
    });
    let (points, carried) = (numbers.len(), carried.count());
    Some(Clocks { first_hz, second_hz, at_hz, points, carried })
}

/// The same with the highest clock of all runs of a side; `None` where both sides have the same.
pub(super) fn of_all_runs(clocks: Clocks, first: &[Compare<'_>], second: &[Compare<'_>]) -> Option<Clocks> {
    let highest =
        |side: &[Compare<'_>]| side.iter().filter_map(|run| run.analysis.highest_hz).reduce(f64::max);
    let (first_hz, second_hz) = (highest(first)?, highest(second)?);
    (!is_same(first_hz, second_hz)).then_some(Clocks { first_hz, second_hz, ..clocks })
}

/// Whether the value of a row is that at this clock.
fn is_at_clock(row: &Row, hz: f64) -> bool {
    row.estimate.as_ref().and_then(|estimate| estimate.core_hz).is_some_and(|clock| is_same(clock, hz))
}

fn is_same(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < SAME_CLOCK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::decision::tests::row as row_of;
    use crate::run::analysis::Analysis;
    use quantity::Quantity;
    use record::Plan;

    #[test]
    fn clocks_within_half_a_percent_are_the_same() {
        for (one, other, same) in [
            (3e9, 3e9, true),
            (3.01e9, 3e9, true),
            (3e9, 3.01e9, true),
            (3.02e9, 3e9, false),
            (2.98e9, 3e9, false),
        ] {
            assert_eq!(is_same(one, other), same, "{one} {other}");
        }
    }

    fn row(core_hz: Option<f64>) -> Row {
        let mut row = row_of(Quantity::Latency, &[1.0], 0.0);
        if let Some(estimate) = &mut row.estimate {
            estimate.core_hz = core_hz;
        }
        row
    }

    #[test]
    fn points_with_a_number_and_those_at_the_common_clock_are_counted() {
        let (machine, plan) = (Machine::default(), Plan::default());
        let (at, below, none) = (row(Some(4e9)), row(Some(3e9)), Row::default());
        let pairs = [(&at, &at), (&at, &below), (&below, &at), (&at, &none), (&none, &at)];
        let expected = Clocks { first_hz: 4e9, second_hz: 3e9, at_hz: Some(4e9), points: 3, carried: 1 };
        let without_clock = Clocks { at_hz: None, carried: 0, ..expected };
        for (highest_hz, reference_hz, expected) in [
            (Some(3e9), Some(4e9), Some(expected)),
            (Some(3e9), Some(3e9), Some(without_clock)),
            (Some(3e9), None, Some(without_clock)),
            (Some(4e9), Some(4e9), None),
            (None, Some(4e9), None),
        ] {
            let analyses =
                [(Some(4e9), Some(4e9)), (highest_hz, reference_hz)].map(|(highest_hz, reference_hz)| {
                    Analysis { highest_hz, reference_hz, ..Analysis::default() }
                });
            let [first, second] =
                analyses.each_ref().map(|analysis| Compare { machine: &machine, plan: &plan, analysis });
            assert_eq!(clocks(&first, &second, pairs.into_iter()), expected, "{highest_hz:?}");
        }
    }

    #[test]
    fn clocks_of_several_runs_are_the_highest_of_each_side() {
        let (machine, plan) = (Machine::default(), Plan::default());
        let analyses = [3e9, 4e9, 3.5e9].map(|hz| Analysis { highest_hz: Some(hz), ..Analysis::default() });
        let [low, high, middle] =
            analyses.each_ref().map(|analysis| Compare { machine: &machine, plan: &plan, analysis });
        let clocks = Clocks { first_hz: 3e9, second_hz: 3.5e9, at_hz: Some(4e9), points: 3, carried: 1 };
        let of_all = of_all_runs(clocks, &[low, high], &[middle]);
        assert_eq!(of_all, Some(Clocks { first_hz: 4e9, ..clocks }));
        assert_eq!(of_all_runs(clocks, &[low, high], &[middle, high]), None);
    }
}
