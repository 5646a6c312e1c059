//! The little that is kept of a trial: a run may have ten thousand.

use crate::{TrialValue, gate, sample::Taken, shape::Shape, steady};
use record::{Sampling, Trial};
use stats::order::Sorted;
use stats::{lattice, spread};

/// Samples of a trial that are kept for the modes.
const KEPT_SAMPLES: usize = 64;

/// What one trial that counts came out as.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    /// Its round, median and best.
    pub(crate) value: TrialValue,
    /// Mean sample.
    pub(crate) mean: f64,
    /// Median absolute deviation of its samples.
    pub(crate) deviation: f64,
    /// Number of samples.
    pub(crate) samples: usize,
    /// Batches that count.
    pub(crate) batches: usize,
    /// Core clock in hertz.
    pub(crate) core_hz: Option<f64>,
    /// Whether its main actor was bound to a CPU.
    pub(crate) pinned: bool,
    /// The core's width beside the batches that count; lower is wider.
    pub(crate) width: Option<f64>,
    /// The core's width at its best in it, whether those batches count or not.
    pub(crate) best_width: Option<f64>,
    /// Share of its time in which others had the CPU; 0 where that was not read.
    pub(crate) lost: f64,
    /// Trend or jump within it, as a share of its median.
    pub(crate) drift: Option<f64>,
    /// Step of its clock, as a share of its median shortest batch.
    pub(crate) clock_step: Option<f64>,
    /// Step of its samples that follows from the step of its clock, in the base unit; 0 if none is seen.
    pub(crate) resolution: f64,
    /// Some of its samples, evenly over time.
    pub(crate) some: Box<[f32]>,
}

impl Summary {
    /// Summarises the samples of a trial; `None` without samples.
    pub(crate) fn of(trial: &Trial, shape: &Shape<'_>, taken: &Taken, width: Option<f64>) -> Option<Self> {
        let sorted = Sorted::of(&taken.samples);
        let value = TrialValue {
            round: trial.round,
            typical: sorted.median()?,
            best: taken.best?,
        };
        let step = ClockStep::of(shape, trial.ns_per_tick);
        Some(Self {
            value,
            mean: spread::mean(&taken.samples)?,
            deviation: spread::median_deviation(&taken.samples)?,
            samples: taken.samples.len(),
            batches: taken.batches,
            core_hz: trial.core_hz.filter(|hz| hz.is_finite() && *hz > 0.0),
            pinned: trial.pinned,
            width,
            lost: gate::lost(shape.main, trial),
            best_width: gate::best_width(shape.main),
            drift: steady::drift(&taken.samples),
            clock_step: step.map(|step| step.share),
            resolution: step.map_or(0.0, |step| step.in_samples),
            some: evenly(&taken.samples),
        })
    }
}

fn evenly(samples: &[f64]) -> Box<[f32]> {
    let kept = samples.len().min(KEPT_SAMPLES);
    (0..kept)
        .filter_map(|at| samples.get(at * samples.len() / kept))
        .map(|&sample| sample as f32)
        .collect()
}

/// The step of the trial's clock.
#[derive(Clone, Copy)]
struct ClockStep {
    share: f64,
    in_samples: f64,
}

impl ClockStep {
    fn of(shape: &Shape<'_>, ns_per_tick: f64) -> Option<Self> {
        // Batches of one length only: those of n and 2n are multiples of each other by themselves.
        let (every, iterations) = match shape.main.sampling {
            Sampling::Triples => (3, 3.0 * shape.main.n as f64),
            Sampling::Singles => (1, shape.main.n as f64),
            Sampling::Values => return None,
        };
        let ticks: Vec<i64> = shape.main.ticks.iter().copied().step_by(every).collect();
        let quantum = lattice::quantum(&ticks)?;
        let median = Sorted::of(&ticks.iter().map(|&ticks| ticks as f64).collect::<Vec<_>>()).median()?;
        (median > 0.0).then(|| Self {
            share: quantum / median,
            in_samples: quantum * ns_per_tick / iterations,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_thousand_trials_take_a_small_part_of_the_memory_allowed() {
        let one = size_of::<Summary>() + KEPT_SAMPLES * size_of::<f32>();
        assert!(10_000 * one < 8 << 20, "{one} bytes");
    }

    #[test]
    fn samples_are_kept_evenly_over_time() {
        let kept = evenly(&(0..6_400).map(f64::from).collect::<Vec<_>>());
        assert_eq!(
            (kept.len(), kept.first(), kept.get(1)),
            (KEPT_SAMPLES, Some(&0.0), Some(&100.0))
        );
        assert_eq!(*evenly(&[1.0, 2.0]), [1.0, 2.0]);
    }
}
