//! What it would take to make the rows narrow that are not: time, where time helps.

use crate::rows::reason::Reason;
use crate::rows::row::{Row, Verdict};
use stats::order::median;
use stats::spread;

/// Points that a round has at least, where as many are narrow: what runs before a trial is then as mixed at the end of a run as
/// at its beginning. Choice: a quarter of the headline.
pub const LEAST_OF_A_ROUND: usize = 12;

/// More trials than this are not proposed for a point: a run ends by itself after this number of rounds.
const MOST_TRIALS: f64 = 400.0;

/// What the points that are not measured would take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MoreTime {
    /// Points that more trials would make narrow, or have not been tried.
    pub points: usize,
    /// Seconds that their trials would take.
    pub seconds: f64,
    /// Trials that the point takes which needs most of them: this number of further rounds makes all narrow.
    pub trials: f64,
    /// Points that more trials would not make narrow: what makes them noisy is not their number, or it would be too large.
    pub beyond: usize,
}

impl MoreTime {
    /// Adds up rows, each with the trials that it is likely to need still and the nanoseconds of one, at this precision, and marks
    /// those that more trials would not make narrow. Few points are tried with others.
    pub(crate) fn estimate(
        rows: &mut [Row],
        costs: impl Iterator<Item = (f64, f64)> + Clone,
        precision: f64,
    ) -> Self {
        let usual = median(rows.iter().filter_map(spread)).unwrap_or_default();
        let mut all = Self::default();
        let usual_ns = median(costs.clone().map(|(_, trial_ns)| trial_ns)).unwrap_or_default();
        let narrow = rows.iter().filter(|row| row.verdict == Verdict::Measured).count();
        for (row, (to_go, trial_ns)) in rows.iter_mut().zip(costs) {
            if !is_open(row) {
                continue;
            }
            let to_go =
                row.reasons.iter().map(|reason| needed(reason, row, usual, precision)).fold(to_go, f64::max);
            if row.reasons.iter().all(is_of_number) && row.trials.len() as f64 + to_go <= MOST_TRIALS {
                all.points += 1;
                all.seconds += to_go * trial_ns * 1e-9;
                all.trials = all.trials.max(to_go);
            } else {
                all.beyond += 1;
                row.is_beyond_more_time = true;
            }
        }
        let company = LEAST_OF_A_ROUND.saturating_sub(all.points).min(narrow);
        all.seconds += all.trials * company as f64 * usual_ns * 1e-9;
        all
    }
}

fn is_open(row: &Row) -> bool {
    row.verdict == Verdict::Noisy || row.reasons.contains(&Reason::NotTried)
}

/// Trials from which their spread says something.
const LEAST_OF_SPREAD: usize = 3;
/// Half the width of the interval of a median at the level at which points close (99 %), for one trial, in standard
/// deviations: 2.576 times the square root of π / 2, by which a median varies more than a mean.
const HALF_OF_ONE: f64 = 3.23;

/// The standard deviation of a row's trials, as a share of their mean; `None` where there are too few.
fn spread(row: &Row) -> Option<f64> {
    let values: Vec<f64> = row.trials.iter().map(|trial| trial.typical).collect();
    let count = values.len();
    if count < LEAST_OF_SPREAD {
        return None;
    }
    let mean = spread::mean(&values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    // The variance of few is too small more often than too large: its median by Wilson and Hilferty (PNAS 17, 1931).
    let freedom = (count - 1) as f64;
    let variance = squares / freedom / (1.0 - 2.0 / (9.0 * freedom)).powi(3);
    let share = variance.sqrt() / mean.abs();
    share.is_finite().then_some(share)
}

/// Trials more for an interval of which this is the reason: its width falls with the square root of their number. Where
/// there is no interval yet, the spread of the trials says how wide it will be, or the usual one of the run.
fn needed(reason: &Reason, row: &Row, usual: f64, precision: f64) -> f64 {
    let trials = row.trials.len() as f64;
    match reason {
        Reason::TooWide { half, precision } => trials * ((half / precision).powi(2) - 1.0),
        Reason::TooFew(..) | Reason::NotTried => {
            (HALF_OF_ONE * spread(row).unwrap_or(usual) / precision).powi(2) - trials
        }
        _ => 0.0,
    }
}

fn is_of_number(reason: &Reason) -> bool {
    matches!(reason, Reason::NotTried | Reason::TooFew(..) | Reason::TooWide { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::TrialValue;
    use record::{PlannedPoint, PointId};

    fn row(trials: &[f64]) -> Row {
        let mut row = Row::new(PlannedPoint::new(PointId::new("a.x", "")));
        row.verdict = Verdict::Noisy;
        row.trials =
            (1..).zip(trials).map(|(round, &typical)| TrialValue { round, typical, best: typical }).collect();
        row
    }

    #[test]
    fn spread_is_a_share_and_that_of_few_is_corrected() {
        assert_eq!(spread(&row(&[10.0, 12.0])), None);
        // Deviation 2 of a mean of 10; with two degrees of freedom by 1 / (8 / 9)³ more variance.
        let three = spread(&row(&[8.0, 10.0, 12.0])).unwrap_or_default();
        assert!((three - 0.2 * (9.0_f64 / 8.0).powf(1.5)).abs() < 1e-12, "{three}");
        let below_zero = spread(&row(&[-8.0, -10.0, -12.0])).unwrap_or_default();
        assert!((below_zero - three).abs() < 1e-12);
        assert_eq!(spread(&row(&[-1.0, 0.0, 1.0])), None, "no share of nothing");
    }

    #[test]
    fn trials_grow_with_the_square_of_the_precision() {
        let four = row(&[10.0, 10.0, 10.0, 10.0]);
        let wide = Reason::TooWide { half: 0.06, precision: 0.03 };
        assert!((needed(&wide, &four, 0.0, 0.03) - 12.0).abs() < 1e-9);
        let untried = needed(&Reason::NotTried, &row(&[]), 0.02, 0.01);
        assert!((untried - (2.0 * HALF_OF_ONE).powi(2)).abs() < 1e-9);
        assert!(needed(&Reason::States, &four, 0.5, 0.01).abs() < 1e-9);
    }

    #[test]
    fn only_what_more_trials_would_make_narrow_takes_time() {
        let [wide, far_too_wide] = [0.06, 3.0].map(|half| Reason::TooWide { half, precision: 0.03 });
        let rows = [
            (Verdict::Noisy, vec![wide.clone()]),
            (Verdict::Noisy, vec![wide, Reason::States]),
            (Verdict::Noisy, vec![far_too_wide]),
            (Verdict::Measured, vec![]),
        ]
        .map(|(verdict, reasons)| Row { verdict, reasons, ..row(&[10.0; 4]) });
        let mut rows = rows;
        let more = MoreTime::estimate(&mut rows, [(2.0, 5e8); 4].into_iter(), 0.03);
        assert_eq!(rows.map(|row| row.is_beyond_more_time), [false, true, true, false]);
        assert_eq!((more.points, more.beyond), (1, 2));
        // Each of its twelve trials is one of a round that has the one narrow point, too.
        assert!((more.seconds - 12.0).abs() < 1e-9, "{more:?}");
        assert!((more.trials - 12.0).abs() < 1e-9, "{more:?}");
    }

    #[test]
    fn time_adds_up_over_points_of_at_most_four_hundred_trials() {
        let few = Reason::TooFew(4, 6);
        let rows = [
            (Verdict::Noisy, &few, 4, 2.0, 5e8),
            (Verdict::Skipped, &Reason::NotTried, 0, 6.0, 1e9),
            (Verdict::Noisy, &few, 4, 396.0, 1e9),
            (Verdict::Noisy, &few, 4, 397.0, 1e9),
            (Verdict::Noisy, &Reason::States, 4, 1.0, 1e9),
            (Verdict::Failed, &few, 4, 1.0, 1e9),
        ]
        .map(|(verdict, reason, trials, to_go, ns)| {
            let row = Row { verdict, reasons: vec![reason.clone()], ..row(&vec![10.0; trials]) };
            (row, (to_go, ns))
        });
        let (mut rows, costs): (Vec<Row>, Vec<(f64, f64)>) = rows.into_iter().unzip();
        let more = MoreTime::estimate(&mut rows, costs.into_iter(), 0.03);
        assert_eq!((more.points, more.beyond), (3, 2));
        assert!((more.seconds - 403.0).abs() < 1e-9, "{more:?}");
        assert!((more.trials - 396.0).abs() < 1e-9, "the most that one point needs: {more:?}");
    }

    /// Where a row has too few trials for a spread, it has the usual one of the run.
    #[test]
    fn the_usual_spread_stands_for_one_that_is_not_known() {
        let spread_of_three = 0.2 * (9.0_f64 / 8.0).powf(1.5);
        let measured = Row { verdict: Verdict::Measured, ..row(&[8.0, 10.0, 12.0]) };
        let open = Row { reasons: vec![Reason::TooFew(2, 6)], ..row(&[10.0, 10.0]) };
        let more = MoreTime::estimate(&mut [measured, open], [(1.0, 1e9); 2].into_iter(), 0.2);
        let trials = (3.23 * spread_of_three / 0.2).powi(2) - 2.0;
        assert_eq!((more.points, more.beyond), (1, 0));
        assert!((more.seconds - 2.0 * trials).abs() < 1e-9, "with the narrow one: {more:?} {trials}");
    }
}
