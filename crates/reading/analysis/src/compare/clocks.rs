//! At which clock of the core two records are compared.

use super::shapes::{Clocks, Compare, has_number};
use crate::rows::note::Note;
use crate::rows::row::{Estimate, Row};
use crate::thresholds::{KNOWN_CLOCK_SHARE, SAME_CLOCK};
use quantity::Quantity;
use record::Machine;
use stats::interval::Interval;
use stats::order::median;
use std::borrow::Cow;

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

/// The clock to which the rows of these records were carried, where it is one.
pub(super) fn reference_of(records: &[&Compare<'_>]) -> Option<f64> {
    let mut clocks = records.iter().map(|record| record.analysis.reference_hz);
    let first = clocks.next()??;
    clocks.all(|clock| clock.is_some_and(|clock| is_same(clock, first))).then_some(first)
}

/// The rows of one point, each of a run, all at this clock where one of them shows how the point depends on it: those whose own trials
/// do not (their clock hardly moved) are carried by what the others show.
pub(super) fn at_one_clock<'r>(rows: &[&'r Row], hz: Option<f64>) -> Vec<Cow<'r, Row>> {
    let estimates = rows.iter().filter_map(|row| row.estimate.as_ref());
    let share = median(estimates.filter_map(|estimate| estimate.clock_share));
    let carried = |row: &'r Row| match hz.zip(share).and_then(|(hz, share)| carried_by(row, hz, share)) {
        Some(carried) => Cow::Owned(carried),
        None => Cow::Borrowed(row),
    };
    rows.iter().copied().map(carried).collect()
}

/// This row at a clock, if it is not there and its own trials do not show how to carry it, by the share of its value that follows the clock.
fn carried_by(row: &Row, to_hz: f64, share: f64) -> Option<Row> {
    let power = match row.quantity() {
        Quantity::Latency => -share,
        Quantity::Bandwidth | Quantity::Frequency => share,
        _ => return None,
    };
    let estimate = row.estimate.as_ref().filter(|estimate| estimate.clock_share.is_none())?;
    let ratio = to_hz / estimate.core_hz?;
    if is_same(ratio, 1.0) {
        return None;
    }
    let factor = ratio.powf(power);
    let mut carried = row.clone();
    carried.estimate = Some(Estimate {
        typical: estimate.typical * factor,
        interval: estimate.interval.map(|interval| Interval {
            low: interval.low * factor,
            high: interval.high * factor,
            ..interval
        }),
        best: estimate.best * factor,
        deviation: estimate.deviation.map(|deviation| deviation * factor),
        core_hz: Some(to_hz),
        clock_share: Some(share),
        clock_error: ratio.ln().abs() * KNOWN_CLOCK_SHARE,
        ..estimate.clone()
    });
    for trial in &mut carried.trials {
        (trial.typical, trial.best) = (trial.typical * factor, trial.best * factor);
    }
    for note in &mut carried.notes {
        if let Note::States(states) = note {
            states.iter_mut().for_each(|state| state.at *= factor);
        }
    }
    Some(carried)
}

/// The clocks of two records whose rows, in pairs, are compared at this clock.
pub(super) fn clocks<'r>(
    first: &Compare<'_>,
    second: &Compare<'_>,
    at_hz: Option<f64>,
    pairs: impl Iterator<Item = (&'r Row, &'r Row)>,
) -> Option<Clocks> {
    let (first_hz, second_hz) = (first.analysis.highest_hz?, second.analysis.highest_hz?);
    if is_same(first_hz, second_hz) {
        return None;
    }
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
    use record::Plan;
    use stats::modes::Mode;

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
            let [first, second] = analyses.each_ref().map(|analysis| Compare {
                machine: &machine,
                plan: &plan,
                analysis,
                period: None,
            });
            let at_hz = reference_of(&[&first, &second]);
            assert_eq!(clocks(&first, &second, at_hz, pairs.into_iter()), expected, "{highest_hz:?}");
        }
    }

    #[test]
    fn clocks_of_several_runs_are_the_highest_of_each_side() {
        let (machine, plan) = (Machine::default(), Plan::default());
        let analyses = [3e9, 4e9, 3.5e9].map(|hz| Analysis { highest_hz: Some(hz), ..Analysis::default() });
        let [low, high, middle] = analyses.each_ref().map(|analysis| Compare {
            machine: &machine,
            plan: &plan,
            analysis,
            period: None,
        });
        let clocks = Clocks { first_hz: 3e9, second_hz: 3.5e9, at_hz: Some(4e9), points: 3, carried: 1 };
        let of_all = of_all_runs(clocks, &[low, high], &[middle]);
        assert_eq!(of_all, Some(Clocks { first_hz: 4e9, ..clocks }));
        assert_eq!(of_all_runs(clocks, &[low, high], &[middle, high]), None);
    }

    /// A run whose clock stood still does not show how a point depends on it; another run of the point does.
    #[test]
    fn a_run_of_one_clock_is_carried_by_the_share_that_another_run_shows() {
        let with = |quantity, clock_share, core_hz| {
            let mut row = row_of(quantity, &[10.0, 10.0, 10.0], 0.1);
            if let Some(estimate) = &mut row.estimate {
                (estimate.clock_share, estimate.core_hz) = (clock_share, core_hz);
            }
            row.notes = vec![Note::States(vec![Mode { at: 20.0, share: 0.3 }])];
            row
        };
        let shown = with(Quantity::Latency, Some(1.0), Some(4e9));
        let still = with(Quantity::Latency, None, Some(3.6e9));
        let [first, second] = &*at_one_clock(&[&shown, &still], Some(4e9)) else { panic!("two rows") };
        assert_eq!(**first, shown);
        let estimate = second.estimate.clone().unwrap();
        assert!((estimate.typical - 9.0).abs() < 1e-9 && estimate.core_hz == Some(4e9), "{estimate:?}");
        assert!(second.trials.iter().all(|trial| (trial.typical - 9.0).abs() < 1e-9));
        assert!(matches!(&second.notes[0], Note::States(states) if (states[0].at - 18.0).abs() < 1e-9));
        assert!((estimate.clock_error - (4.0_f64 / 3.6).ln() * KNOWN_CLOCK_SHARE).abs() < 1e-12);
        // A bandwidth grows with the clock, a count does not.
        for (quantity, value) in [(Quantity::Bandwidth, 10.0 / 0.9), (Quantity::Count, 10.0)] {
            let rows = [with(quantity, Some(1.0), Some(4e9)), with(quantity, None, Some(3.6e9))];
            let carried = at_one_clock(&[&rows[0], &rows[1]], Some(4e9));
            assert!((carried[1].typical().unwrap() - value).abs() < 1e-9);
        }
        // Without a common clock, or where no run shows it, rows stay as they are.
        for (rows, hz) in [([&shown, &still], None), ([&still, &still], Some(4e9))] {
            assert!(at_one_clock(&rows, hz).iter().zip(rows).all(|(carried, row)| **carried == *row));
        }
    }
}
