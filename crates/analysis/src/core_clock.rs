//! What a point costs at one clock of the core, although the clock changed from trial to trial.
//!
//! A core's clock follows what its neighbours leave of the package's power, over seconds: by a tenth up and down on shared
//! machines. What a point costs is proportional to some power of the clock, −1 for what only computes and 0 for what only
//! waits. That power is estimated from the point's own trials, and every trial is carried to the run's reference clock.

use crate::summary::{Sample, Summary};
use quantity::Quantity;
use record::{Sampling, Series, Trial};
use stats::order::{Sorted, median};
use stats::{slope, spread, trend};

/// Quantile of the clocks of all trials that is the reference: the highest clock that the machine reaches, but for
/// misreadings.
const REFERENCE: f64 = 0.98;

/// Clocks that differ by less say nothing: the probe itself is this good.
const LEAST_SPREAD: f64 = 0.004;

/// Fewest trials from which a power is estimated.
const LEAST_TRIALS: usize = 8;

/// A power that is known this well is used whatever it is: 0 is a power, too.
const KNOWN: f64 = 0.35;

/// A dependence on the clock is clear when chance brings it forth less often than this.
const CLEAR: f64 = 0.01;

/// Trials from which a power is estimated at most: the work grows with the square.
const MOST_TRIALS: usize = 128;

/// Level of the interval of the power.
const LEVEL: f64 = 0.95;

/// Clocks that differ from the median of a trial by more are of an interrupted probe.
const INTERRUPTED: f64 = 0.03;

/// The clock of the main actor's core beside every sample of a series, in hertz, from the chains of additions before and
/// after it; the clock of the whole trial beside a value. A neighbour makes chains longer, so that the clock of a trial is
/// that beside the samples that count.
pub(crate) fn beside_samples(series: &Series, trial: &Trial) -> Vec<f32> {
    let Some(looks) = &trial.looks else {
        return Vec::new();
    };
    let Some(core) = looks.cores.first().filter(|_| looks.additions > 0) else {
        return Vec::new();
    };
    let ns = looks.additions as f64 * 1e9 / trial.ns_per_tick;
    let of_looks = |from: usize, to: usize| {
        let chains = core.chain.get(from..to).unwrap_or_default().iter();
        let clocks: Vec<f64> = chains
            .filter(|&&chain| chain > 0)
            .map(|&chain| ns / chain as f64)
            .collect();
        usual_mean(&clocks).unwrap_or(f64::NAN) as f32
    };
    let looks = series.look.iter().map(|&look| look as usize);
    looks
        .map(|look| match series.sampling {
            Sampling::Values => of_looks(0, look),
            _ => of_looks(look, look + 2),
        })
        .collect()
}

/// The clock beside these samples of a trial, in hertz; `None` where it was not seen.
pub(crate) fn of_samples(samples: &[&Sample]) -> Option<f64> {
    let clocks = samples.iter().map(|sample| f64::from(sample.core_hz));
    usual_mean(&clocks.filter(|hz| hz.is_finite()).collect::<Vec<f64>>())
}

/// Mean over what is near the median: the step of a coarse clock averages out in a mean, not in a median.
fn usual_mean(clocks: &[f64]) -> Option<f64> {
    let middle = median(clocks)?;
    let usual = clocks
        .iter()
        .filter(|hz| (*hz / middle - 1.0).abs() < INTERRUPTED);
    spread::mean(&usual.copied().collect::<Vec<f64>>())
}

/// The highest clock of a run, in hertz.
pub(crate) fn reference(clocks: impl Iterator<Item = f64>) -> Option<f64> {
    Sorted::of(&clocks.collect::<Vec<f64>>()).quantile(REFERENCE)
}

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
