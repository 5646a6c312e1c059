//! The little that is kept of a trial: a run may have ten thousand.

use crate::rows::idle_state::IdleState;
use crate::rows::row::TrialValue;
use crate::samples::core_state::CORES;
use crate::samples::plausibility::Shape;
use crate::samples::sample::{Sample, Taken};
use crate::samples::{core_clock, core_state, gate, idle_state, steady_state};
use quantity::Quantity;
use record::{Evidence, Sampling, Trial};
use stats::order::{Sorted, median};
use stats::{lattice, spread};

/// Samples of a trial that are kept, at most: workers take 64 batches or triples, and some operations give more values.
const KEPT_SAMPLES: usize = 512;

/// Quantile that stands for the best: a 20th of the samples may be smaller by a misreading.
const BEST: f64 = 0.05;

/// What is kept of a trial whose evidence held.
#[derive(Debug, Clone)]
pub(crate) struct TrialSamples {
    /// Its round.
    pub(crate) round: u32,
    /// When it began, in nanoseconds since the start of the run.
    pub(crate) started_ns: u64,
    quantity: Quantity,
    /// Its samples in order of time, or some of them evenly over time.
    pub(crate) samples: Box<[Sample]>,
    /// How many of the first samples were taken whatever the state of the cores.
    free: usize,
    batches_per_sample: f64,
    /// The CPUs of the cores whose state was probed.
    pub(crate) cpus: [Option<u32>; CORES],
    /// The core's clock in hertz.
    pub(crate) core_hz: Option<f64>,
    /// How the CPUs of its actors waited for each other; `None` where that is not known.
    pub(crate) idle: Option<IdleState>,
    /// Nanoseconds of a cache line to the CPU of the other actor and back; `None` where it was not probed.
    pub(crate) line_ns: Option<f64>,
    /// Whether its main actor was bound to a CPU.
    pub(crate) pinned: bool,
    /// Share of its time in which others had the CPU; 0 where that was not read.
    pub(crate) lost: f64,
    /// The step of its clock, where one is seen.
    pub(crate) step: Option<ClockStep>,
}

/// What the samples of one trial that count came out as.
#[derive(Debug, Clone)]
pub(crate) struct Summary<'h> {
    /// The trial.
    pub(crate) trial: &'h TrialSamples,
    /// Its round, median and best.
    pub(crate) value: TrialValue,
    /// Mean sample.
    pub(crate) mean: f64,
    /// Median absolute deviation of its samples.
    pub(crate) deviation: f64,
    /// Batches that count.
    pub(crate) batches: usize,
    /// Core clock in hertz.
    pub(crate) core_hz: Option<f64>,
    /// Trend or jump within it, as a share of its median.
    pub(crate) drift: Option<f64>,
    /// Its samples.
    pub(crate) samples: Vec<f64>,
}

impl TrialSamples {
    /// What is kept of a trial.
    pub(crate) fn new(trial: &Trial, shape: &Shape<'_>, taken: &Taken, quantity: Quantity) -> Self {
        let count = taken.samples.len();
        let kept = count.min(KEPT_SAMPLES);
        let samples = (0..kept).filter_map(|at| taken.samples.get(at * count / kept).copied());
        let free = match shape.main.free {
            0 => kept,
            free => taken.samples.iter().take_while(|sample| sample.place < free).count(),
        };
        Self {
            round: trial.round,
            started_ns: trial.started_ns,
            quantity,
            samples: samples.collect(),
            free: free.min(kept),
            batches_per_sample: taken.batches as f64 / count.max(1) as f64,
            cpus: core_state::cpus(trial),
            core_hz: trial.core_hz.filter(|hz| hz.is_finite() && *hz > 0.0),
            idle: idle_state::idle_state(trial),
            line_ns: Evidence::find(&trial.evidence, "placement.line_ns").and_then(Evidence::per_iteration),
            pinned: trial.pinned,
            lost: gate::lost(shape.main, trial),
            step: ClockStep::read(shape, trial.ns_per_tick),
        }
    }

    /// Those that were taken whatever the state of the cores.
    pub(crate) fn free(&self) -> &[Sample] {
        self.samples.get(..self.free).unwrap_or_default()
    }

    /// Batches that its samples are made of.
    pub(crate) fn batches(&self) -> usize {
        (self.batches_per_sample * self.samples.len() as f64).round() as usize
    }

    /// Summarises some of the samples; `None` without any.
    pub(crate) fn summary(&self, counts: impl Fn(usize, &Sample) -> bool) -> Option<Summary<'_>> {
        let chosen = self.samples.iter().enumerate();
        let chosen: Vec<&Sample> =
            chosen.filter(|(at, sample)| counts(*at, sample)).map(|(_, sample)| sample).collect();
        let samples: Vec<f64> = chosen.iter().map(|sample| sample.value).collect();
        let longest = Sorted::from_values(chosen.iter().map(|sample| sample.longest));
        let typical = median(&samples)?;
        let best = match self.quantity {
            Quantity::Bandwidth => 1.0 - BEST,
            _ => BEST,
        };
        Some(Summary {
            trial: self,
            value: TrialValue {
                round: self.round,
                typical,
                // The longest batches scatter least, but hold what a batch costs by itself: they say how far below the
                // median the best lies, and not where.
                best: typical + longest.quantile(best)? - longest.median()?,
            },
            mean: spread::mean(&samples)?,
            deviation: spread::median_deviation(&samples)?,
            batches: (self.batches_per_sample * samples.len() as f64).round() as usize,
            core_hz: core_clock::of_samples(chosen.iter().map(|sample| sample.core_hz)).or(self.core_hz),
            drift: steady_state::drift(&samples),
            samples,
        })
    }
}

impl Summary<'_> {
    /// Step of its samples that follows from the step of its clock, in the base unit; 0 if none is seen.
    pub(crate) fn resolution(&self) -> f64 {
        self.trial.step.map_or(0.0, |step| step.in_samples)
    }

    /// Multiplies all its values.
    pub(crate) fn scale(&mut self, factor: f64) {
        let all = [&mut self.value.typical, &mut self.value.best, &mut self.mean, &mut self.deviation];
        all.into_iter().chain(&mut self.samples).for_each(|value| *value *= factor);
    }
}

/// The step of the trial's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClockStep {
    /// As a share of the trial's median shortest batch.
    pub(crate) share: f64,
    /// As the step of samples, in the base unit.
    in_samples: f64,
}

impl ClockStep {
    fn read(shape: &Shape<'_>, ns_per_tick: f64) -> Option<Self> {
        // Batches of one length only: those of n and 2n are multiples of each other by themselves.
        let (every, iterations) = match shape.main.sampling {
            Sampling::Triples => (3, 3.0 * shape.main.n as f64),
            Sampling::Individual => (1, shape.main.n as f64),
            Sampling::Values => return None,
        };
        let ticks: Vec<i64> = shape.main.ticks.iter().copied().step_by(every).collect();
        let quantum = lattice::quantum(&ticks)?;
        let median = median(ticks.iter().map(|&ticks| ticks as f64))?;
        (median > 0.0)
            .then(|| Self { share: quantum / median, in_samples: quantum * ns_per_tick / iterations })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What is kept of a trial that has these samples, all of them taken without a trigger on a core that was not probed.
    pub(crate) fn kept(round: u32, values: &[f64]) -> TrialSamples {
        let ratios = core_state::UNPROBED;
        let samples = (0..).zip(values).map(|(place, &value)| Sample {
            place,
            value,
            longest: value,
            ratios,
            core_hz: f32::NAN,
        });
        TrialSamples {
            round,
            started_ns: 0,
            quantity: Quantity::Latency,
            samples: samples.collect(),
            free: values.len(),
            batches_per_sample: 3.0,
            cpus: [Some(1), None],
            core_hz: None,
            idle: None,
            line_ns: None,
            pinned: true,
            lost: 0.0,
            step: None,
        }
    }

    /// The same with a clock whose step is this share of a batch.
    pub(crate) fn kept_with_step(share: Option<f64>, values: &[f64]) -> TrialSamples {
        let step = share.map(|share| ClockStep { share, in_samples: 0.0 });
        TrialSamples { step, ..kept(1, values) }
    }

    #[test]
    fn ten_thousand_trials_of_20_samples_take_a_small_part_of_the_memory_allowed() {
        let one = size_of::<TrialSamples>() + 20 * size_of::<Sample>();
        assert!(10_000 * one < 8 << 20, "{one} bytes");
    }
}
