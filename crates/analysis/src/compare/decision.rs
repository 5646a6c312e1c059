//! What may be said of one point of two records.

use super::shapes::{Change, Compared, Decision, Limits, NoDecision, Position, has_number};
use crate::rows::reason::Reason;
use crate::rows::row::{Row, Verdict};
use quantity::Quantity;
use record::Range;
use stats::order::Sorted;
use stats::shift::{Shift, shift};
use std::collections::HashMap;

/// One point of both records.
pub(super) fn compared(first: &Row, second: &Row, limits: &Limits) -> Compared {
    let mut compared = Compared {
        id: first.point.id.clone(),
        area: first.point.area.clone(),
        quantity: first.quantity(),
        first: first.typical(),
        second: second.typical(),
        change: None,
        decision: Decision::Incomparable,
        reason: incomparable(first, second),
        noisy: [first, second].iter().any(|row| row.verdict == Verdict::Noisy),
    };
    if compared.reason.is_some() {
        return compared;
    }
    compared.reason =
        machine_state(first, Position::First).or_else(|| machine_state(second, Position::Second));
    if compared.reason.is_some() {
        compared.decision = Decision::Unclear;
        return compared;
    }
    let paired = limits.paired.then(|| of_pairs(first, second, limits.level)).flatten();
    let apart = || change(&values(first), &values(second), limits.level);
    let apart = || apart().map(|change| widened(change, [first, second]));
    compared.change = paired.or_else(apart);
    if limits.paired && is_cheaper(&compared) && is_unproven(second) {
        compared.reason = Some(NoDecision::Unproven);
        compared.decision = Decision::Unclear;
        return compared;
    }
    let scale = compared.first.unwrap_or(1.0).abs();
    (compared.decision, compared.reason) = match compared.change {
        None => (Decision::Unclear, Some(NoDecision::TooFewTrials)),
        Some(Change::Factor(factor)) => decide(factor, compared.quantity, limits),
        Some(Change::Difference(by)) => decide(by.map(|by| 1.0 + by / scale), compared.quantity, limits),
    };
    compared
}

/// Below this share of the native cost an environment seems to do less.
const CHEAPER: f64 = 0.9;

/// Whether a point costs less in the environment than natively by more than that; a cost below zero does.
fn is_cheaper(compared: &Compared) -> bool {
    match compared.change {
        Some(Change::Difference(by)) => compared.quantity == Quantity::Latency && by.high < 0.0,
        _ => compared.cost().is_some_and(|cost| cost < CHEAPER),
    }
}

/// Whether some evidence that the work was done could not be counted.
fn is_unproven(row: &Row) -> bool {
    let mut witnesses = row.witnesses.iter();
    witnesses.any(|judged| judged.witness.positive && judged.unavailable.is_some())
}

/// Why two rows cannot be compared.
fn incomparable(first: &Row, second: &Row) -> Option<NoDecision> {
    let (one, other) = (&first.point, &second.point);
    if one.revision != other.revision {
        return Some(NoDecision::Revision(one.revision, other.revision));
    }
    if one.quantity != other.quantity || one.payload_bytes != other.payload_bytes {
        return Some(NoDecision::Quantity);
    }
    if one.estimator != other.estimator {
        return Some(NoDecision::Estimator);
    }
    let without = |row: &Row, position| {
        let no_number = || NoDecision::NoNumber(position, row.verdict, row.reasons.clone());
        (!has_number(row)).then(no_number)
    };
    without(first, Position::First).or_else(|| without(second, Position::Second))
}

/// What says that the value of a row is that of a state of the machine. That may be another one in the other record: then
/// a difference says nothing of the operation.
fn machine_state(row: &Row, position: Position) -> Option<NoDecision> {
    let is_state = |reason: &&Reason| {
        matches!(
            reason,
            Reason::Unsteady { .. }
                | Reason::SetAside(..)
                | Reason::OtherTasks(_)
                | Reason::States
                | Reason::Noise(_)
        )
    };
    let reason = row.reasons.iter().find(is_state)?;
    Some(NoDecision::MachineState(position, reason.clone()))
}

/// The factor between the two trials of a round: its median over the rounds, with an interval from order statistics. What
/// changes between rounds is the same for both. `None` where there are too few pairs, or a value is not above zero.
fn of_pairs(first: &Row, second: &Row, level: f64) -> Option<Change> {
    let before: HashMap<u32, f64> = first.trials.iter().map(|trial| (trial.round, trial.typical)).collect();
    let pairs = second.trials.iter().filter_map(|trial| Some((*before.get(&trial.round)?, trial.typical)));
    let logarithms: Vec<f64> = pairs
        .map(|(one, other)| (one > 0.0 && other > 0.0).then(|| (other / one).ln()))
        .collect::<Option<_>>()?;
    let sorted = Sorted::of(&logarithms);
    let (low, high) = sorted.median_interval(level)?;
    Some(Change::Factor(Range { low, value: sorted.median()?, high }.map(f64::exp)))
}

/// The trials' values in the order of time.
fn values(row: &Row) -> Vec<f64> {
    let mut trials = row.trials.clone();
    trials.sort_by_key(|trial| trial.round);
    trials.iter().map(|trial| trial.typical).collect()
}

/// How the second values lie to the first: by a factor where all are above zero.
fn change(first: &[f64], second: &[f64], level: f64) -> Option<Change> {
    if first.iter().chain(second).all(|value| *value > 0.0) {
        let logarithms = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<_>>();
        let shift = shift(&logarithms(first), &logarithms(second), level)?;
        return Some(Change::Factor(range(shift).map(f64::exp)));
    }
    Some(Change::Difference(range(shift(first, second, level)?)))
}

/// The change with an interval that holds also how far the carrying to one clock may be off, which all trials share.
fn widened(change: Change, rows: [&Row; 2]) -> Change {
    let estimates = rows.map(|row| row.estimate.as_ref());
    let errors = estimates.map(|estimate| estimate.map_or(0.0, |estimate| estimate.clock_error));
    let medians = estimates.map(|estimate| estimate.map_or(0.0, |estimate| estimate.typical.abs()));
    let by = errors[0] + errors[1];
    match change {
        Change::Factor(factor) => {
            Change::Factor(Range { low: factor.low * (-by).exp(), high: factor.high * by.exp(), ..factor })
        }
        Change::Difference(difference) => {
            let by = errors[0] * medians[0] + errors[1] * medians[1];
            Change::Difference(Range { low: difference.low - by, high: difference.high + by, ..difference })
        }
    }
}

fn range(shift: Shift) -> Range {
    Range { low: shift.low, value: shift.typical, high: shift.high }
}

/// A change is one where the whole interval is beyond the least that counts; the same is what lies in a narrow one.
fn decide(factor: Range, quantity: Quantity, limits: &Limits) -> (Decision, Option<NoDecision>) {
    let (up, down) = (1.0 + limits.least, 1.0 / (1.0 + limits.least));
    let within = (factor.high - 1.0).abs().max((1.0 - factor.low).abs());
    let decision = match (factor.low > up, factor.high < down, quantity) {
        (true, _, Quantity::Latency) | (_, true, Quantity::Bandwidth) => Decision::Slower,
        (true, _, Quantity::Bandwidth) | (_, true, Quantity::Latency) => Decision::Faster,
        (true, _, _) => Decision::Larger,
        (_, true, _) => Decision::Smaller,
        _ if within <= limits.same => Decision::Same { within },
        _ => Decision::Unclear,
    };
    let reason = (decision == Decision::Unclear).then_some(NoDecision::TooWide);
    (decision, reason)
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::panic)]
    use super::*;
    use crate::rows::failure::Unread;
    use crate::rows::row::{Estimate, Judged, TrialValue};
    use record::{PlannedPoint, PointId, Witness};

    pub(in crate::compare) fn row(quantity: Quantity, trials: &[f64], clock_error: f64) -> Row {
        let mut row = Row::new(PlannedPoint { quantity, ..PlannedPoint::new(PointId::new("a.x", "")) });
        row.verdict = Verdict::Measured;
        row.trials =
            (1..).zip(trials).map(|(round, &typical)| TrialValue { round, typical, best: typical }).collect();
        row.estimate = Some(Estimate {
            typical: stats::order::median(trials).unwrap_or_default(),
            trials: trials.len(),
            clock_error,
            ..Estimate::default()
        });
        row
    }

    /// Values around this one, so close together that their interval is narrow.
    pub(in crate::compare) fn around(value: f64) -> Vec<f64> {
        (0..20).map(|at| value + value.abs() * 1e-4 * f64::from(at % 5)).collect()
    }

    fn between(quantity: Quantity, first: f64, second: f64) -> Compared {
        let [first, second] = [first, second].map(|value| row(quantity, &around(value), 0.0));
        compared(&first, &second, &Limits::default())
    }

    #[test]
    fn up_is_slower_faster_or_larger_by_the_quantity() {
        for (quantity, up, down) in [
            (Quantity::Latency, Decision::Slower, Decision::Faster),
            (Quantity::Bandwidth, Decision::Faster, Decision::Slower),
            (Quantity::Size, Decision::Larger, Decision::Smaller),
        ] {
            assert_eq!(between(quantity, 10.0, 10.2).decision, up);
            assert_eq!(between(quantity, 10.2, 10.0).decision, down);
            let same = between(quantity, 10.0, 10.05).decision;
            assert!(matches!(same, Decision::Same { within } if within < 0.006), "{same:?}");
        }
    }

    /// Costs below zero, such as those less a control, have a difference and no factor; it counts as a share of the first.
    #[test]
    fn values_below_zero_differ_by_a_difference() {
        let up = between(Quantity::Latency, -1.0, 2.0);
        assert!(matches!(up.change, Some(Change::Difference(by)) if (by.value - 3.0).abs() < 0.01), "{up:?}");
        assert_eq!(up.decision, Decision::Slower);
        assert_eq!(between(Quantity::Latency, 2.0, -1.0).decision, Decision::Faster);
        let same = between(Quantity::Latency, -100.0, -100.5).decision;
        assert!(matches!(same, Decision::Same { within } if within < 0.01), "{same:?}");
    }

    #[test]
    fn an_uncertain_clock_widens_the_interval_at_both_ends() {
        let exact = |value| row(Quantity::Latency, &around(value), 0.0);
        for (first, second) in [(10.0, 12.0), (-10.0, 12.0)] {
            let narrow = compared(&exact(first), &exact(second), &Limits::default());
            let carried = row(Quantity::Latency, &around(second), 0.5);
            let wide = compared(&exact(first), &carried, &Limits::default());
            let ends = |compared: &Compared| match compared.change {
                Some(Change::Factor(range) | Change::Difference(range)) => range,
                None => panic!("{compared:?}"),
            };
            let (narrow, wide) = (ends(&narrow), ends(&wide));
            assert!(wide.low < narrow.low - 1e-3 && wide.high > narrow.high + 1e-3);
            assert!((wide.value - narrow.value).abs() < 1e-12);
        }
        let carried = row(Quantity::Latency, &around(12.0), 0.5);
        let unclear = compared(&exact(10.0), &carried, &Limits::default());
        assert_eq!(unclear.decision, Decision::Unclear);
        assert_eq!(unclear.reason, Some(NoDecision::TooWide));
    }

    /// An environment that seems to spare most of the work must prove that it did it.
    #[test]
    fn a_cheaper_environment_needs_its_proof() {
        let paired = Limits { paired: true, ..Limits::default() };
        let decided = |first: f64, second: f64, is_read: bool| {
            let mut second = row(Quantity::Latency, &around(second), 0.0);
            second.witnesses.push(Judged {
                witness: Witness { positive: true, ..Witness::default() },
                unavailable: (!is_read).then_some(Unread::NotReported),
                ..Judged::default()
            });
            let compared = compared(&row(Quantity::Latency, &around(first), 0.0), &second, &paired);
            (compared.decision, compared.reason)
        };
        let unproven = (Decision::Unclear, Some(NoDecision::Unproven));
        for (first, second) in [(10.0, 5.0), (10.0, -1.0)] {
            assert_eq!(decided(first, second, false), unproven);
            assert_eq!(decided(first, second, true), (Decision::Faster, None));
        }
        assert_eq!(decided(10.0, 9.5, false), (Decision::Faster, None));
        // Of two costs below zero the quotient is no factor.
        assert_eq!(decided(-2.0, -1.0, false), (Decision::Slower, None));
    }

    #[test]
    fn too_few_trials_decide_nothing() {
        let few = row(Quantity::Latency, &[1.0, 1.0], 0.0);
        let compared = compared(&few, &few, &Limits::default());
        assert_eq!(compared.decision, Decision::Unclear);
        assert_eq!(compared.reason, Some(NoDecision::TooFewTrials));
    }
}
