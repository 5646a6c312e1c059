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
    /// How far the carrying may be off, as a share of the value.
    pub(crate) error: f64,
}

/// Carries trials to a clock; `None` where they do not depend on it or it did not change.
pub(crate) fn carry(summaries: &mut [Summary], quantity: Quantity, to_hz: f64) -> Option<Carried> {
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
    let clocks = Sorted::of(&pairs.iter().map(|pair| pair.0).collect::<Vec<f64>>());
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
    let distance = (to_hz.ln() - clocks.median()?).abs();
    Some(Carried {
        share,
        error: distance * power.error.min(1.0),
    })
}

/// Whether the values depend on the clock as they must, by more than chance.
fn is_clear(pairs: &[(f64, f64)], falling: bool) -> bool {
    let values: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    trend::mann_kendall(&values).is_some_and(|trend| trend.p < CLEAR && (trend.score < 0) == falling)
}

fn logarithms(summary: &Summary) -> Option<(f64, f64)> {
    let (hz, value) = (summary.core_hz?, summary.value.typical);
    (hz > 0.0 && value > 0.0).then(|| (hz.ln(), value.ln()))
}
