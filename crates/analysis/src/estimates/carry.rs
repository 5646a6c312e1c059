//! What a point costs at one clock of the core, although the clock changed from trial to trial.
//!
//! A core's clock follows what its neighbours leave of the package's power, over seconds: by a tenth up and down on shared
//! machines. What a point costs is proportional to some power of the clock, −1 for what only computes and 0 for what only
//! waits. That power is estimated from the point's own trials, and every trial is carried to the run's reference clock.

use crate::samples::summary::Summary;
use quantity::Quantity;
use stats::order::Sorted;
use stats::{slope, trend};

/// Clocks that differ by less say nothing: the probe itself is this good.
const LEAST_SPREAD: f64 = 0.004;

/// Fewest trials from which a power is estimated.
const LEAST_TRIALS: usize = 8;

/// A dependence on the clock is clear when chance brings it forth less often than this.
const CLEAR: f64 = 0.01;

/// Trials from which a power is estimated at most: the work grows with the square.
const MOST_TRIALS: usize = 128;

/// Level of the interval of the power.
const LEVEL: f64 = 0.95;

/// A power that is known this well is used whatever it is: 0 is a power, too.
const KNOWN: f64 = 0.35;

/// How far a point's trials were carried to the reference clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Carried {
    /// Share of the cost that scales with the clock: the power with its sign turned.
    pub(crate) share: f64,
    /// How far below and above the value the truth may be because of the carrying, as shares of the value.
    pub(crate) error: [f64; 2],
}

impl Carried {
    /// An interval of a value with what the carrying adds to it. Both errors are independent of each other.
    pub(crate) fn widen(&self, value: f64, (low, high): (f64, f64)) -> (f64, f64) {
        let [below, above] = self.error.map(|error| error * value.abs());
        (value - (value - low).hypot(below), value + (high - value).hypot(above))
    }

    /// The larger error.
    pub(crate) fn largest(&self) -> f64 {
        let [below, above] = self.error;
        below.max(above)
    }
}

/// Carries trials to a clock; `None` where they do not depend on it or it did not change.
pub(crate) fn carry(summaries: &mut [Summary<'_>], quantity: Quantity, to_hz: f64) -> Option<Carried> {
    let falling = match quantity {
        Quantity::Latency => true,
        Quantity::Bandwidth | Quantity::Frequency => false,
        _ => return None,
    };
    let mut pairs: Vec<(f64, f64)> = summaries.iter().filter_map(logarithms).collect();
    if pairs.len() < LEAST_TRIALS || pairs.len() < summaries.len() {
        return None;
    }
    let step = pairs.len().div_ceil(MOST_TRIALS);
    pairs = pairs.into_iter().step_by(step).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let clocks = Sorted::of(pairs.iter().map(|pair| pair.0));
    if clocks.quantile(0.9)? - clocks.quantile(0.1)? < LEAST_SPREAD {
        return None;
    }
    let sign = if falling { -1.0 } else { 1.0 };
    let power = slope::of_pairs(&pairs, LEVEL)?;
    if power.error > KNOWN && !is_clear(&pairs, falling) {
        return None;
    }
    let share = (sign * power.value).clamp(0.0, 1.0);
    for summary in summaries.iter_mut() {
        if let Some(hz) = summary.core_hz {
            summary.scale((to_hz / hz).powf(sign * share));
        }
    }
    let by = sign * (to_hz.ln() - clocks.median()?);
    let off = shares(sign * power.value, power.error).map(|bound| by * (bound - share));
    Some(Carried {
        share,
        error: [-off.into_iter().fold(0.0, f64::min), off.into_iter().fold(0.0, f64::max)],
    })
}

/// The least and the largest share of the cost that may follow the clock. None follows it more than in proportion, and none
/// the other way, whatever the trials say; where most of what they say is beyond that, half of the error is left.
fn shares(value: f64, error: f64) -> [f64; 2] {
    let middle = value.clamp(-error / 2.0, 1.0 + error / 2.0);
    [middle - error, middle + error].map(|share| share.clamp(0.0, 1.0))
}

/// Whether the values depend on the clock as they must, by more than chance.
fn is_clear(pairs: &[(f64, f64)], falling: bool) -> bool {
    let values: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    trend::mann_kendall(&values).is_some_and(|trend| trend.p < CLEAR && (trend.score < 0) == falling)
}

fn logarithms(summary: &Summary<'_>) -> Option<(f64, f64)> {
    let (hz, value) = (summary.core_hz?, summary.value.typical);
    (hz > 0.0 && value > 0.0).then(|| (hz.ln(), value.ln()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_share_is_beyond_none_or_all() {
        assert_eq!(shares(0.5, 0.25), [0.25, 0.75]);
        assert_eq!(shares(0.875, 0.25), [0.625, 1.0]);
        assert_eq!(shares(9.0, 0.5), [0.75, 1.0]);
        assert_eq!(shares(-9.0, 0.5), [0.0, 0.25]);
        assert_eq!(shares(0.5, f64::INFINITY), [0.0, 1.0]);
    }

    #[test]
    fn carrying_widens_each_end_by_what_it_may_be_off_there() {
        let carried = Carried { share: 1.0, error: [0.0, 0.04] };
        let (low, high) = carried.widen(100.0, (98.0, 103.0));
        assert!((low - 98.0).abs() < 1e-9 && (high - 105.0).abs() < 1e-9, "{low} {high}");
    }
}
