//! Percentiles of a point in two runs.

use crate::tails::distribution::{PERCENTILES, TailDistribution};
use crate::tails::next_run::of_any_run;
use crate::tails::point_tail::PointTail;
use stats::percentile::PercentileInterval;

/// What two runs say of a percentile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailDecision {
    /// The intervals, widened by what runs differ by, do not meet, and the second is lower.
    Lower,
    /// They do not meet, and the second is higher.
    Higher,
    /// They meet.
    Undecided,
    /// One of the two has no interval.
    Unknown,
}

/// A percentile in two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailChange {
    /// Its share.
    pub share: f64,
    /// Its values in nanoseconds.
    pub ns: [u64; 2],
    /// What is decided.
    pub decision: TailDecision,
}

/// The percentiles that a point has in both of two runs: response times where both have them, else service times.
pub fn tail_changes(before: &PointTail, after: &PointTail) -> Vec<TailChange> {
    let both = before.response.as_ref().zip(after.response.as_ref());
    // Iterations of another schedule are other iterations.
    let between_runs = before.between_runs;
    let (before, after) =
        both.filter(|_| before.rate == after.rate).unwrap_or((&before.service, &after.service));
    let change = |share| {
        let of = |distribution: &TailDistribution| distribution.percentile(share).copied();
        let (before, after) = of(before).zip(of(after))?;
        let decision = decide(of_any_run(&before, between_runs), of_any_run(&after, between_runs));
        Some(TailChange { share, ns: [before.value, after.value], decision })
    };
    PERCENTILES.into_iter().filter_map(change).collect()
}

fn decide(before: Option<PercentileInterval>, after: Option<PercentileInterval>) -> TailDecision {
    let Some((before, after)) = before.zip(after) else { return TailDecision::Unknown };
    let is_below = |high: Option<u64>, low| high.is_some_and(|high| high < low);
    if is_below(before.high, after.low) {
        TailDecision::Higher
    } else if is_below(after.high, before.low) {
        TailDecision::Lower
    } else {
        TailDecision::Undecided
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::tails::point_tail::tests::trial;
    use record::{PlannedPoint, PointId};

    fn tail(slow_ns: u64, processes: usize) -> PointTail {
        let trials = vec![trial(&[(100, 970), (slow_ns, 30)], None); processes];
        PointTail::from_trials(&PlannedPoint::new(PointId::new("a.b", "")), &trials).unwrap()
    }

    #[test]
    fn percentiles_whose_intervals_do_not_meet_are_decided() {
        let decisions = |before: &PointTail, after: &PointTail| {
            tail_changes(before, after)
                .iter()
                .map(|change| (change.share, change.decision))
                .collect::<Vec<_>>()
        };
        use TailDecision::{Higher, Lower, Undecided, Unknown};
        let (slow, fast) = (tail(9_000, 10), tail(4_000, 10));
        assert_eq!(
            decisions(&fast, &slow),
            [(0.5, Undecided), (0.9, Undecided), (0.99, Higher), (0.999, Higher)]
        );
        assert_eq!(decisions(&slow, &fast)[2], (0.99, Lower));
        // Three processes have no interval.
        assert_eq!(decisions(&slow, &tail(4_000, 3))[2], (0.99, Unknown));
    }
}
