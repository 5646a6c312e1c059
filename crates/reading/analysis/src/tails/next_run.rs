//! What the next run may say of a percentile: what its own iterations leave open, and what runs differ by.

use crate::rows::earlier_runs::COVERED;
use crate::rows::next_run::reach;
use crate::tails::point_tail::PointTail;
use stats::percentile::{Percentile, PercentileInterval};

impl PointTail {
    /// The interval in which the next run on this machine finds a percentile in 95 % of the cases; `None` where it has none.
    pub fn next_run(&self, percentile: &Percentile) -> Option<PercentileInterval> {
        let mut wide = widened(percentile, self.between_runs, reach)?;
        // No percentile is below the median, and that is known better.
        let median =
            self.service.percentile(0.5).and_then(|median| widened(median, self.between_runs, reach));
        wide.low = wide.low.max(median.map_or(0, |median| median.low));
        Some(wide)
    }
}

/// The interval of what many runs on this machine would find.
pub(crate) fn of_any_run(percentile: &Percentile, between_runs: f64) -> Option<PercentileInterval> {
    widened(percentile, between_runs, f64::hypot)
}

/// The interval whose ends lie as far from the value as `by` makes of their own distance and of that of other runs.
fn widened(
    percentile: &Percentile,
    between_runs: f64,
    by: fn(f64, f64) -> f64,
) -> Option<PercentileInterval> {
    let own = percentile.interval?;
    let value = percentile.value as f64;
    let between = COVERED * between_runs * value;
    Some(PercentileInterval {
        low: (value - by(value - own.low as f64, between)).max(0.0).round() as u64,
        high: own.high.map(|high| (value + by(high as f64 - value, between)).round() as u64),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_next_run_is_further_than_this_one_alone_says() {
        let own = PercentileInterval { low: 960, high: Some(1_080) };
        let percentile = Percentile { share: 0.99, value: 1_000, interval: Some(own), effective: 9.0 };
        assert_eq!(of_any_run(&percentile, 0.0), Some(own));
        let wider = widened(&percentile, 0.05, reach).unwrap();
        assert_eq!((wider.low, wider.high), (850, Some(1_179)));
        let open = Percentile { interval: Some(PercentileInterval { high: None, ..own }), ..percentile };
        assert_eq!(of_any_run(&open, 0.05).unwrap().high, None);
        assert_eq!(of_any_run(&Percentile { interval: None, ..percentile }, 0.05), None);
    }
}
