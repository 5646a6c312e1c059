//! From the batches of a trial to its samples, in the base unit of the quantity, in order of time.

use crate::gate::{self, Cause};
use crate::linearity;
use crate::shape::{self, Shape};
use quantity::Quantity;
use record::{Estimator, Evidence, Gate, PlannedPoint, Series, Trial};
use stats::order::Sorted;
use stats::slope;

/// What the batches of a trial came out as.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taken {
    /// The samples.
    pub(crate) samples: Vec<f64>,
    /// Batches that count.
    pub(crate) batches: usize,
    /// Batches in all.
    pub(crate) batches_in_all: usize,
    /// Batches that do not count, by cause, in the order of [`Cause::ALL`].
    pub(crate) set_aside: [usize; Cause::ALL.len()],
    /// What the operation costs at its best in this trial: see [`best`].
    pub(crate) best: Option<f64>,
    /// Cost per iteration in the longer batches against that in the shorter, where there are triples.
    pub(crate) linearity: Option<f64>,
}

impl Taken {
    /// Batches set aside because the core was shared.
    pub(crate) fn beside_others(&self) -> usize {
        let counts = Cause::ALL.iter().zip(self.set_aside);
        counts
            .filter(|(cause, _)| **cause == Cause::Shared)
            .map(|(_, n)| n)
            .sum()
    }

    /// Batches set aside for a cause of their own.
    pub(crate) fn disturbed(&self) -> usize {
        Cause::ALL
            .iter()
            .zip(self.set_aside)
            .filter(|(cause, _)| **cause != Cause::Beside)
            .map(|(_, n)| n)
            .sum()
    }
}

/// Fewest samples of a trial that counts: fewer batches say too little of their median, while an
/// operation timed alone may be too long for many, and a value is a result by itself.
pub(crate) fn least_samples(estimator: &Estimator) -> usize {
    match estimator {
        Estimator::Slope | Estimator::SlopeLessControl { .. } => 8,
        Estimator::Each => 3,
        Estimator::Values => 1,
    }
}

/// Applies a gate and the estimator of a point to a trial.
///
/// # Errors
/// Why the trial can have no value, in a sentence.
pub(crate) fn take(
    point: &PlannedPoint,
    gate: &Gate,
    trial: &Trial,
    shape: &Shape<'_>,
) -> Result<Taken, String> {
    let main = Gated::of(shape.main, gate, trial);
    let control = shape.control.map(|series| Gated::of(series, gate, trial));
    let mut taken = Taken::default();
    main.count(&mut taken);
    if let Some(control) = &control {
        control.count(&mut taken);
    }
    taken.linearity = linearity::of(main.series, &main.causes);
    taken.samples = match &point.estimator {
        Estimator::Slope => main.slopes().flatten().collect(),
        Estimator::SlopeLessControl { per } => less_control(&main, control.as_ref(), per, &trial.evidence)?,
        Estimator::Each => main.times().collect(),
        Estimator::Values => shape.main.values.clone(),
    };
    taken.best = best(point, trial, &main, control.as_ref(), &taken.samples);
    if point.estimator == Estimator::Values {
        taken.batches = taken.samples.len();
        taken.batches_in_all = taken.samples.len();
    }
    shape::possible(&taken.samples)?;
    if let Some(bytes) = point.payload_bytes {
        rates(bytes, &mut taken.samples);
        taken.best = taken.best.map(|time| bytes as f64 * 1e9 / time);
        shape::possible(&taken.samples)?;
    }
    Ok(taken)
}

/// Turns times in nanoseconds for so many bytes into bytes per second, each by itself: the inverse of a spread is
/// not the spread of a rate. A difference of batches can be negative; its inverse would pass from one end of the
/// order to the other, so it stands beside the fastest.
fn rates(bytes: u64, samples: &mut [f64]) {
    let shortest = samples.iter().copied().filter(|&time| time > 0.0);
    let shortest = shortest.fold(f64::INFINITY, f64::min);
    for time in samples {
        let taken = if *time > 0.0 { *time } else { shortest };
        *time = bytes as f64 * 1e9 / taken;
    }
}

/// Quantile that stands for the best: a 20th of the samples may be luckier, by a misreading say.
const BEST: f64 = 0.05;

/// The best of a trial. Of batches in triples the longest count, the cost of reading the clock taken off:
/// a difference of two batches is small also when the shorter one was disturbed.
fn best(
    point: &PlannedPoint,
    trial: &Trial,
    main: &Gated<'_>,
    control: Option<&Gated<'_>>,
    samples: &[f64],
) -> Option<f64> {
    let longest = |gated: &Gated<'_>| Sorted::of(&gated.longest(trial.clock_cost_ticks).collect::<Vec<_>>());
    match &point.estimator {
        Estimator::Slope => longest(main).quantile(BEST),
        Estimator::SlopeLessControl { per } => {
            let less = longest(main).quantile(BEST)? - longest(control?).median()?;
            Some(less / events_of(per, &trial.evidence).ok()?)
        }
        Estimator::Each | Estimator::Values => {
            let from_above = point.quantity == Quantity::Bandwidth && point.payload_bytes.is_none();
            Sorted::of(samples).quantile(if from_above { 1.0 - BEST } else { BEST })
        }
    }
}

/// How often the counter that a control is divided by was counted in an iteration.
fn events_of(per: &str, evidence: &[Evidence]) -> Result<f64, String> {
    let counted = evidence.iter().find(|evidence| evidence.counter == per);
    let events = counted
        .and_then(Evidence::per_iteration)
        .filter(|&events| events.is_finite() && events > 0.0);
    events.ok_or_else(|| format!("{per} were not counted, so the cost of one is unknown"))
}

/// Slopes of the main series less those of the control, per event counted.
fn less_control(
    main: &Gated<'_>,
    control: Option<&Gated<'_>>,
    per: &str,
    evidence: &[Evidence],
) -> Result<Vec<f64>, String> {
    let events = events_of(per, evidence)?;
    let pairs = main.slopes().zip(control.into_iter().flat_map(Gated::slopes));
    Ok(pairs
        .filter_map(|(main, control)| Some((main? - control?) / events))
        .collect())
}

/// A series with what its gate says.
struct Gated<'a> {
    series: &'a Series,
    causes: Vec<Option<Cause>>,
    ns_per_tick: f64,
}

impl<'a> Gated<'a> {
    fn of(series: &'a Series, gate: &Gate, trial: &Trial) -> Self {
        Self {
            series,
            causes: gate::causes(series, gate, trial),
            ns_per_tick: trial.ns_per_tick,
        }
    }

    fn count(&self, taken: &mut Taken) {
        taken.batches_in_all += self.causes.len();
        taken.batches += self.causes.iter().filter(|cause| cause.is_none()).count();
        for (cause, count) in Cause::ALL.iter().zip(&mut taken.set_aside) {
            *count += self
                .causes
                .iter()
                .filter(|of_batch| **of_batch == Some(*cause))
                .count();
        }
    }

    /// The batches of each triple in ticks; `None` for triples set aside.
    fn triples(&self) -> impl Iterator<Item = Option<[f64; 3]>> {
        self.series
            .ticks
            .chunks_exact(3)
            .zip(self.causes.chunks_exact(3))
            .map(|(ticks, causes)| {
                let &[once, twice, four] = ticks else { return None };
                causes
                    .iter()
                    .all(Option::is_none)
                    .then_some([once as f64, twice as f64, four as f64])
            })
    }

    /// Nanoseconds per iteration from each triple; `None` for triples set aside.
    fn slopes(&self) -> impl Iterator<Item = Option<f64>> {
        let n = self.series.n as f64;
        self.triples().map(move |triple| {
            triple.map(|[once, _, four]| slope::of_triple(once, four, n) * self.ns_per_tick)
        })
    }

    /// Nanoseconds per iteration of the longest batch of each triple that counts.
    fn longest(&self, clock_cost_ticks: f64) -> impl Iterator<Item = f64> {
        let iterations = 4.0 * self.series.n as f64;
        let whole = self.triples().flatten();
        whole.map(move |[_, _, four]| (four - clock_cost_ticks) / iterations * self.ns_per_tick)
    }

    /// Nanoseconds per iteration of every batch that counts.
    fn times(&self) -> impl Iterator<Item = f64> {
        let kept = self
            .series
            .ticks
            .iter()
            .zip(&self.causes)
            .filter(|(_, cause)| cause.is_none());
        kept.map(|(&ticks, _)| ticks as f64 * self.ns_per_tick / self.series.n as f64)
    }
}
