//! What it would take to make the rows narrow that are not: time, where time helps.

use crate::rows::reason::Reason;
use crate::rows::row::{Row, Verdict};

/// Rounds after which a run ends by itself: more trials than that are not to be had of a point.
const MOST_TRIALS: f64 = 400.0;

/// What the points that are not measured would take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MoreTime {
    /// Points that more trials would make narrow, or have not been tried.
    pub points: usize,
    /// Seconds that their trials would take.
    pub seconds: f64,
    /// Points that more trials would not make narrow: what makes them noisy is not their number, or it would be too large.
    pub beyond: usize,
}

impl MoreTime {
    /// Adds up rows, each with the trials that it is likely to need still and the nanoseconds of one.
    pub(crate) fn of<'r>(rows: impl Iterator<Item = (&'r Row, f64, f64)>) -> Self {
        let mut all = Self::default();
        for (row, to_go, trial_ns) in rows {
            if !is_open(row) {
                continue;
            }
            let to_go = row
                .reasons
                .iter()
                .map(|reason| needed(reason, row))
                .fold(to_go, f64::max);
            if row.reasons.iter().all(is_of_number) && row.trials.len() as f64 + to_go <= MOST_TRIALS {
                all.points += 1;
                all.seconds += to_go * trial_ns * 1e-9;
            } else {
                all.beyond += 1;
            }
        }
        all
    }
}

fn is_open(row: &Row) -> bool {
    row.verdict == Verdict::Noisy || row.reasons.contains(&Reason::NotTried)
}

/// Trials more for an interval of which this is the reason: its width falls with the square root of their number.
fn needed(reason: &Reason, row: &Row) -> f64 {
    match reason {
        Reason::TooWide { half, precision } => row.trials.len() as f64 * ((half / precision).powi(2) - 1.0),
        _ => 0.0,
    }
}

fn is_of_number(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::NotTried | Reason::TooFew(..) | Reason::TooWide { .. }
    )
}
