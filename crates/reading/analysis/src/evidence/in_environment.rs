//! What counts as evidence in an environment.

use crate::evidence::witness_counts::LINEARITY;
use crate::rows::failure::Unread;
use crate::rows::reason::Reason;
use crate::rows::row::{Row, Verdict};
use crate::thresholds::CHEAPER_IN_ENVIRONMENT;
use quantity::Quantity;
use record::{Estimator, Origin, PlannedPoint, PointId};
use std::collections::HashMap;

/// A point as it is judged in an environment. What the environment itself does (a tracer that runs in between, a filter
/// under which one call costs more than another) is part of what is measured: only what proves that the work was done counts.
/// What a cost is divided by keeps its limits: a tracer adds switches of its own.
pub(crate) fn judged_within(point: &PlannedPoint) -> PlannedPoint {
    let mut judged = point.clone();
    judged.gate.cpu_share = None;
    judged.gate.involuntary = false;
    judged.bounds.retain(|bound| bound.formula.parts().is_empty());
    judged.witnesses.retain(|witness| witness.positive);
    let divisor = match &point.estimator {
        Estimator::SlopeLessControl { per } => per.as_str(),
        Estimator::Slope | Estimator::Each | Estimator::Values => "",
    };
    for witness in &mut judged.witnesses {
        if witness.origin == Origin::Trial && ![LINEARITY, divisor].contains(&witness.counter.as_str()) {
            witness.high = f64::INFINITY;
        }
    }
    judged
}

/// Takes the number of every point that costs less in an environment than natively while some proof that the work was done
/// could not be counted there: something may have answered in the place of what is measured. What costs as much or more
/// keeps its number, because many environments (a tracer, an emulator) allow no rehearsal.
pub fn skip_unproven(natively: &[Row], there: &mut [Row]) {
    let native: HashMap<&PointId, &Row> = natively.iter().map(|row| (&row.point.id, row)).collect();
    for row in there {
        let unread = unread(row);
        let is_cheaper = native.get(&row.point.id).is_some_and(|native| is_cheaper(native, row));
        if is_cheaper && !unread.is_empty() {
            *row = Row {
                verdict: Verdict::Skipped,
                reasons: vec![Reason::Unproven(unread)],
                witnesses: std::mem::take(&mut row.witnesses),
                ..Row::new(row.point.clone())
            };
        }
    }
}

/// The evidence that the work was done that could not be counted, and why.
fn unread(row: &Row) -> Vec<(String, Unread)> {
    let positive = row.witnesses.iter().filter(|judged| judged.witness.positive);
    let unread = positive.filter_map(|judged| {
        let why = judged.unavailable.clone()?;
        Some((judged.witness.counter.clone(), why))
    });
    unread.collect()
}

/// Whether a point costs less in the environment than natively, by more than that; where one of the costs is not above
/// zero, so that they have no ratio, by more than both intervals.
fn is_cheaper(native: &Row, there: &Row) -> bool {
    let (Some(before), Some(after)) = (native.range(), there.range()) else {
        return false;
    };
    let have_ratio = before.value > 0.0 && after.value > 0.0;
    match native.quantity() {
        Quantity::Latency if have_ratio => after.value < CHEAPER_IN_ENVIRONMENT * before.value,
        Quantity::Latency => after.high < before.low,
        Quantity::Bandwidth => before.value < CHEAPER_IN_ENVIRONMENT * after.value,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::{Estimate, Judged};

    fn row(quantity: Quantity, value: f64, positive: bool, unavailable: Option<Unread>) -> Row {
        let mut row = Row::new(PlannedPoint { quantity, ..PlannedPoint::new(PointId::new("a.b", "")) });
        row.verdict = Verdict::Measured;
        row.estimate = Some(Estimate {
            typical: value,
            interval: Some(stats::interval::Interval::at_level(value - 1.0, value + 1.0, 0.95)),
            ..Estimate::default()
        });
        let witness = record::Witness { counter: "calls.x".to_owned(), positive, ..Default::default() };
        row.witnesses = vec![Judged { witness, unavailable, ..Judged::default() }];
        row
    }

    /// The verdict on what costs this natively and in an environment where the evidence is not there.
    fn judged(quantity: Quantity, native: f64, there: f64) -> Verdict {
        let native = row(quantity, native, true, None);
        let mut there = [row(quantity, there, true, Some(Unread::NotReported))];
        skip_unproven(&[native], &mut there);
        let [there] = there;
        assert_eq!(there.estimate.is_some(), there.verdict.has_number());
        there.verdict
    }

    #[test]
    fn what_is_cheaper_without_proof_has_no_number() {
        use Quantity::{Bandwidth, Latency, Size};
        let (kept, skipped) = (Verdict::Measured, Verdict::Skipped);
        for (quantity, native, there, expected) in [
            (Latency, 100.0, 1.0, skipped),
            (Latency, 100.0, 89.0, skipped),
            (Latency, 100.0, 90.0, kept),
            (Latency, 100.0, 500.0, kept),
            (Bandwidth, 100.0, 112.0, skipped),
            (Bandwidth, 100.0, 111.0, kept),
            (Bandwidth, 100.0, 1.0, kept),
            (Size, 100.0, 1.0, kept),
            // Costs less that of a control have no ratio where one is below zero.
            (Latency, 2.0, -1.0, skipped),
            (Latency, 1.0, -0.5, kept),
            (Latency, -2.0, -1.0, kept),
        ] {
            assert_eq!(judged(quantity, native, there), expected, "{quantity:?} {native} {there}");
        }
    }

    #[test]
    fn only_positive_evidence_that_could_not_be_counted_takes_a_number_and_is_named() {
        for (positive, unavailable, expected) in [
            (true, Some(Unread::NotReported), Verdict::Skipped),
            (true, None, Verdict::Measured),
            (false, Some(Unread::NotReported), Verdict::Measured),
        ] {
            let native = row(Quantity::Latency, 100.0, true, None);
            let mut there = [row(Quantity::Latency, 5.0, positive, unavailable)];
            skip_unproven(std::slice::from_ref(&native), &mut there);
            assert_eq!(there[0].verdict, expected, "{positive}");
            if expected == Verdict::Skipped {
                let unread = vec![("calls.x".to_owned(), Unread::NotReported)];
                assert_eq!(there[0].reasons, [Reason::Unproven(unread)]);
            }
        }
        // A point that was not measured natively has nothing to be cheaper than.
        let mut there = [row(Quantity::Latency, 5.0, true, Some(Unread::NotReported))];
        skip_unproven(&[], &mut there);
        assert_eq!(there[0].verdict, Verdict::Measured);
    }
}
