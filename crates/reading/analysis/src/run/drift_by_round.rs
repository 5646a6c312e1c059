//! How the run went: in each round, how far the trials lay from what their points came out as in the end.

use crate::rows::row::{Row, TrialValue};
use quantity::Quantity;
use stats::order::{Sorted, median};

/// Rounds with fewer trials than this say nothing of the machine: only of the points still open.
const LEAST_TRIALS: usize = 5;

/// The trials of one round against the typical values of their points, as costs: above 1 is slower.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundDrift {
    /// Which, from 1.
    pub round: u32,
    /// Median of trial / typical.
    pub middle: f64,
    /// First and third quartile.
    pub quartiles: (f64, f64),
    /// Trials that count in it.
    pub trials: usize,
}

/// All rounds that have trials enough.
pub(crate) fn drift_by_round(rows: &[Row]) -> Vec<RoundDrift> {
    let last = rows.iter().flat_map(|row| &row.trials).map(|trial| trial.round);
    let last = last.max().unwrap_or(0);
    (1..=last).filter_map(|round| of_round(round, rows)).collect()
}

fn of_round(round: u32, rows: &[Row]) -> Option<RoundDrift> {
    let right = rows.iter().filter(|row| row.point.flaw.is_none());
    let costs = right.filter_map(|row| cost(row, row.trials.iter().find(|trial| trial.round == round)?));
    let sorted = Sorted::from_values(costs);
    let trials = Some(sorted.values().len()).filter(|trials| *trials >= LEAST_TRIALS)?;
    Some(RoundDrift {
        round,
        middle: sorted.median()?,
        quartiles: (sorted.quantile(0.25)?, sorted.quantile(0.75)?),
        trials,
    })
}

/// What a trial cost as a multiple of the typical cost of its point; sizes and counts cost nothing.
fn cost(row: &Row, trial: &TrialValue) -> Option<f64> {
    let typical = row.typical()?;
    let factor = match row.quantity() {
        Quantity::Latency => trial.typical / typical,
        Quantity::Bandwidth => typical / trial.typical,
        _ => return None,
    };
    (typical > 0.0 && factor.is_finite() && factor > 0.0).then_some(factor)
}

/// The median core clock over all rows that probed it, in hertz.
pub(crate) fn core_hz(rows: &[Row]) -> Option<f64> {
    median(rows.iter().filter_map(|row| row.estimate.as_ref()?.core_hz))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::Estimate;
    use record::{PlannedPoint, PointId};

    /// A row whose trial in round 1 took this, and which came out as that.
    fn row(quantity: Quantity, trial: f64, typical: f64) -> Row {
        let planned = PlannedPoint { quantity, ..PlannedPoint::new(PointId::new("a.x", "")) };
        Row {
            estimate: Some(Estimate { typical, core_hz: Some(trial), ..Estimate::default() }),
            trials: vec![TrialValue { round: 1, typical: trial, best: trial }],
            ..Row::new(planned)
        }
    }

    #[test]
    fn a_cost_is_a_factor_above_zero() {
        for (quantity, trial, typical, expected) in [
            (Quantity::Latency, 6.0, 4.0, Some(1.5)),
            (Quantity::Bandwidth, 4.0, 6.0, Some(1.5)),
            (Quantity::Size, 4.0, 6.0, None),
            (Quantity::Latency, 0.0, 4.0, None),
            (Quantity::Latency, -6.0, 4.0, None),
            (Quantity::Latency, -6.0, -4.0, None),
            (Quantity::Latency, 6.0, 0.0, None),
            (Quantity::Bandwidth, 0.0, 6.0, None),
            (Quantity::Bandwidth, -4.0, -6.0, None),
            (Quantity::Latency, f64::INFINITY, 4.0, None),
        ] {
            let row = row(quantity, trial, typical);
            let found = row.trials.first().and_then(|trial| cost(&row, trial));
            assert_eq!(found, expected, "{quantity:?} {trial} {typical}");
        }
    }

    #[test]
    fn a_round_of_five_trials_has_its_quartiles() {
        let mut rows: Vec<Row> =
            [3.0, 1.0, 2.0, 5.0, 4.0].map(|trial| row(Quantity::Latency, trial, 1.0)).into();
        assert_eq!(core_hz(&rows), Some(3.0));
        let expected = RoundDrift { round: 1, middle: 3.0, quartiles: (2.0, 4.0), trials: 5 };
        assert_eq!(drift_by_round(&rows), [expected]);
        // A flawed method and a second round of one trial say nothing.
        let mut wrong = row(Quantity::Latency, 9.0, 1.0);
        wrong.point.flaw = Some("wrong".to_owned());
        wrong.trials.push(TrialValue { round: 2, typical: 1.0, best: 1.0 });
        rows.push(wrong);
        assert_eq!(drift_by_round(&rows), [expected]);
        rows.remove(0);
        assert_eq!(drift_by_round(&rows), []);
    }
}
