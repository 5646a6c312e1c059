//! Wrong ways to read right batches. Each makes one number of every trial, as if its process had been the whole
//! experiment, so that the wrong result has an interval over processes as the right one has.

use crate::answers::contrast::seen;
use crate::rows::levels::LEVEL;
use crate::rows::row::{Row, TrialValue};
use crate::samples::{plausibility, sample};
use quantity::Quantity;
use record::{Gate, Range, Record};
use stats::order::{Sorted, median};
use stats::spread;

/// The batches of a point, as a record holds them.
#[derive(Debug, Clone)]
pub struct PointSamples<'r> {
    /// What the analysis says of the point.
    pub(super) row: &'r Row,
    /// Its trials.
    pub(super) trials: Vec<ProcessSamples>,
}

/// The samples of one trial.
#[derive(Debug, Clone, Default)]
pub(super) struct ProcessSamples {
    /// Those that count.
    pub(super) kept: Vec<f64>,
    /// All of them.
    pub(super) all: Vec<f64>,
    /// Ticks of its counter in a second, and the core's clock, where both are known.
    pub(super) rates: Option<(f64, f64)>,
}

/// A wrong result and what it should be.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticPair {
    /// What is compared, where it is not the result itself: `deviation`.
    pub(super) of: &'static str,
    /// The wrong one.
    pub(super) wrong: Range,
    /// The right one.
    pub(super) right: Range,
    /// The kind of both.
    pub(super) quantity: Quantity,
    /// Wrong divided by right within each process, where both are made of the same batches: what processes have in
    /// common is no error of a reading.
    pub(super) factor: Option<Range>,
}

/// Makes a wrong result of batches; `None` where there are too few.
pub type WrongStatistic = fn(&[PointSamples<'_>]) -> Option<StatisticPair>;

/// Nothing is set aside.
const OPEN: Gate = Gate { cpu_share: None, involuntary: false, shared_core: None };

impl<'r> PointSamples<'r> {
    /// The batches of a row in a record.
    pub(super) fn of(row: &'r Row, record: &Record) -> Self {
        let trials = record.trials.iter().filter(|trial| trial.id == row.point.id);
        let trials = trials.filter_map(|trial| {
            let shape = plausibility::check(trial, &row.point.estimator).ok()?;
            let taken = |gate: &Gate| sample::take(&row.point, gate, trial, &shape).ok();
            let counter = trial.clock != "monotonic_raw";
            Some(ProcessSamples {
                kept: taken(&row.point.gate)?.values(),
                all: taken(&OPEN)?.values(),
                rates: trial.core_hz.filter(|_| counter).map(|core| (1e9 / trial.ns_per_tick, core)),
            })
        });
        Self { row, trials: trials.collect() }
    }

    /// The right result.
    fn right(&self) -> Option<Range> {
        let estimate = self.row.estimate.as_ref()?;
        Some(estimate.range().unwrap_or_else(|| seen(self.row, estimate.typical)))
    }

    /// The wrong result beside the right one: one number of each trial.
    fn instead(&self, of: fn(&ProcessSamples) -> Option<f64>) -> Option<StatisticPair> {
        let within = |trial: &ProcessSamples| Some(of(trial)? / median(&trial.kept)?);
        Some(StatisticPair {
            of: "",
            wrong: over(self.trials.iter().filter_map(of))?,
            right: self.right()?,
            quantity: self.row.quantity(),
            factor: over(self.trials.iter().filter_map(within)),
        })
    }

    /// A spread beside another.
    fn spreads(&self, of: &'static str, wrong: Range, right: Range) -> StatisticPair {
        StatisticPair { of, wrong, right, quantity: self.row.quantity(), factor: None }
    }

    fn medians(&self) -> Vec<f64> {
        self.row.trials.iter().map(|trial: &TrialValue| trial.typical).collect()
    }
}

/// The median over trials with its interval, or all that was seen where they are too few for one.
fn over(values: impl Iterator<Item = f64>) -> Option<Range> {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let sorted = Sorted::of(&values);
    let ends = (*sorted.values().first()?, *sorted.values().last()?);
    let (low, high) = sorted.median_interval(LEVEL).unwrap_or(ends);
    Some(Range { low, value: sorted.median()?, high })
}

/// From the least to the largest: of values that are not independent.
fn ends(values: impl Iterator<Item = f64>) -> Option<Range> {
    let values: Vec<f64> = values.collect();
    let fold = |of: fn(f64, f64) -> f64| values.iter().copied().reduce(of);
    Some(Range { low: fold(f64::min)?, value: median(&values)?, high: fold(f64::max)? })
}

fn exactly(value: f64) -> Range {
    Range { low: value, value, high: value }
}

/// A deviation over trials with its interval: each trial left out in turn. It is wide with few trials, as it must be.
fn deviation_of(values: &[f64]) -> Option<Range> {
    let whole = spread::deviation(values)?;
    let without = (0..values.len()).filter_map(|out| {
        let rest = values.iter().enumerate().filter(|(at, _)| *at != out);
        spread::deviation(&rest.map(|(_, value)| *value).collect::<Vec<f64>>())
    });
    let (low, high) = without.fold((whole, whole), |(low, high), one| (low.min(one), high.max(one)));
    Some(Range { low, value: whole, high })
}

/// The mean of every sample, whatever happened during it.
pub(super) fn mean_of_all(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    of.first()?.instead(|trial| spread::mean(&trial.all))
}

/// The shortest sample of a process.
pub(super) fn shortest(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    of.first()?.instead(|trial| Sorted::of(&trial.all).values().first().copied())
}

/// The first sample of a process.
pub(super) fn first(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    of.first()?.instead(|trial| trial.all.first().copied())
}

/// Runs that are tried before the best is chosen.
const RUNS: usize = 5;

/// The lowest result of each five processes in a row, beside the typical one of all.
pub(super) fn best_run(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let medians = point.medians();
    let best = |five: &[f64]| five.iter().copied().fold(f64::INFINITY, f64::min);
    Some(StatisticPair {
        of: "",
        wrong: ends(medians.windows(RUNS).map(best))?,
        right: exactly(point.right()?.value),
        quantity: point.row.quantity(),
        factor: None,
    })
}

/// The mean over two states that are equally frequent, beside the state that is nearer.
pub(super) fn mean_of_two_states(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let (one, other) = (of.first()?, of.get(1)?);
    let (a, b) = (one.right()?, other.right()?);
    let far = |from: &Range, value: f64| (value / from.value).ln().abs();
    let middle = f64::midpoint(a.value, b.value);
    let nearer = if far(&a, middle) < far(&b, middle) { a } else { b };
    Some(StatisticPair {
        of: "mean of both beside the nearer of the two",
        wrong: Range { low: f64::midpoint(a.low, b.low), value: middle, high: f64::midpoint(a.high, b.high) },
        right: nearer,
        quantity: one.row.quantity(),
        factor: None,
    })
}

/// Samples of one result.
const FEW: usize = 4;

/// How much the mean of a few samples moves from process to process, beside the median of all.
pub(super) fn four_samples(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let few = |trial: &ProcessSamples| spread::mean(trial.all.get(..FEW)?);
    let means: Vec<f64> = point.trials.iter().filter_map(few).collect();
    let medians: Vec<f64> = point.trials.iter().filter_map(|trial| median(&trial.all)).collect();
    let (wrong, right) = (deviation_of(&means)?, deviation_of(&medians)?);
    Some(point.spreads("deviation from run to run", wrong, right))
}

/// Standard errors in half an interval of 95 % of a normal distribution.
const NORMAL: f64 = 1.96;

/// The error that one process claims for itself, beside that which processes have.
pub(super) fn one_process(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let claimed = |trial: &ProcessSamples| {
        let count = trial.kept.len() as f64;
        Some(NORMAL * spread::deviation(&trial.kept)? / count.sqrt())
    };
    let wrong = over(point.trials.iter().filter_map(claimed))?;
    let right = deviation_of(&point.medians())?;
    let scaled = Range { low: NORMAL * right.low, value: NORMAL * right.value, high: NORMAL * right.high };
    Some(point.spreads("half of the interval", wrong, scaled))
}

/// The deviation of the processes' means, beside that of the samples.
pub(super) fn deviation_of_means(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let means: Vec<f64> = point.trials.iter().filter_map(|trial| spread::mean(&trial.all)).collect();
    let right = over(point.trials.iter().filter_map(|trial| spread::deviation(&trial.all)))?;
    Some(point.spreads("deviation", deviation_of(&means)?, right))
}

/// Step of a clock of 24 MHz, in nanoseconds.
const STEP: f64 = 1e3 / 24.0;
/// By so much of a step the start of each reading lies later than that of the last: the golden section visits all
/// phases evenly, without chance.
const PHASE: f64 = 0.618_033_988_749_895;

/// The deviation of samples that a coarse clock would have read, beside their own.
pub(super) fn coarse_deviation(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let coarse = |trial: &ProcessSamples| {
        let begins = (0u32..).map(|at| (f64::from(at) * PHASE).fract());
        let read = trial.kept.iter().zip(begins);
        let read: Vec<f64> = read.map(|(time, begin)| (begin + time / STEP).floor() * STEP).collect();
        spread::deviation(&read)
    };
    let wrong = over(point.trials.iter().filter_map(coarse))?;
    let right = over(point.trials.iter().filter_map(|trial| spread::deviation(&trial.kept)))?;
    Some(point.spreads("deviation", wrong, right))
}

/// Samples above this many medians are dropped.
const CUT: f64 = 2.0;

/// The mean of what is left when long samples are dropped, beside the mean of all.
pub(super) fn cut(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let short = |trial: &ProcessSamples| {
        let limit = CUT * median(&trial.all)?;
        let left = trial.all.iter().copied().filter(|&value| value <= limit);
        spread::mean(&left.collect::<Vec<f64>>())
    };
    let within = |trial: &ProcessSamples| Some(short(trial)? / spread::mean(&trial.all)?);
    Some(StatisticPair {
        of: "mean",
        wrong: over(point.trials.iter().filter_map(short))?,
        right: over(point.trials.iter().filter_map(|trial| spread::mean(&trial.all)))?,
        quantity: point.row.quantity(),
        factor: over(point.trials.iter().filter_map(within)),
    })
}

/// Ticks of the counter in a cycle of the core, of which there is one.
pub(super) fn ticks_as_cycles(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let each = of.first()?.trials.iter().filter_map(|trial| trial.rates);
    Some(StatisticPair {
        of: "cycles counted for each of the core",
        wrong: over(each.map(|(ticks, core)| ticks / core))?,
        right: exactly(1.0),
        quantity: Quantity::Count,
        factor: None,
    })
}

/// 2³⁰ and 10⁹.
const BINARY: f64 = 1_073_741_824.0 / 1e9;

/// A rate in binary units called decimal.
pub(super) fn binary_units(of: &[PointSamples<'_>]) -> Option<StatisticPair> {
    let point = of.first()?;
    let value = point.row.estimate.as_ref()?.typical;
    Some(StatisticPair {
        of: "",
        wrong: exactly(value / BINARY),
        right: exactly(value),
        quantity: point.row.quantity(),
        factor: None,
    })
}
