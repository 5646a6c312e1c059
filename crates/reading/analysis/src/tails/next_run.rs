//! What the next run may say of a percentile: what its own iterations leave open, and what runs differ by.

use crate::rows::earlier_runs::COVERED;
use crate::tails::point_tail::PointTail;
use stats::percentile::{Percentile, PercentileInterval};
use std::f64::consts::SQRT_2;

impl PointTail {
    /// The interval in which the next run on this machine finds a percentile in 95 % of the cases; `None` where it has none.
    pub fn next_run(&self, percentile: &Percentile) -> Option<PercentileInterval> {
        // Both runs have both components.
        interval(percentile, self.between_runs, SQRT_2)
    }
}

/// The interval of what many runs on this machine would find.
pub(crate) fn of_any_run(percentile: &Percentile, between_runs: f64) -> Option<PercentileInterval> {
    interval(percentile, between_runs, 1.0)
}

fn interval(percentile: &Percentile, between_runs: f64, times: f64) -> Option<PercentileInterval> {
    let own = percentile.interval?;
    let value = percentile.value as f64;
    let reach = |to: f64| times * to.hypot(COVERED * between_runs * value);
    Some(PercentileInterval {
        low: (value - reach(value - own.low as f64)).max(0.0).round() as u64,
        high: own.high.map(|high| (value + reach(high as f64 - value)).round() as u64),
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
        assert_eq!(interval(&percentile, 0.0, 1.0), Some(own));
        let wider = interval(&percentile, 0.05, SQRT_2).unwrap();
        assert_eq!((wider.low, wider.high), (850, Some(1_179)));
        let open = Percentile { interval: Some(PercentileInterval { high: None, ..own }), ..percentile };
        assert_eq!(interval(&open, 0.05, 1.0).unwrap().high, None);
        assert_eq!(interval(&Percentile { interval: None, ..percentile }, 0.05, 1.0), None);
    }
}
