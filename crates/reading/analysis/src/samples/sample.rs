//! From the batches of a trial to its samples, in the base unit of the quantity, in order of time.

use crate::rows::failure::{Cause, Failure};
use crate::samples::cause_counts::CauseCounts;
use crate::samples::core_state::{Ratios, UNPROBED};
use crate::samples::plausibility::Shape;
use crate::samples::{core_clock, core_state, gate, linearity, plausibility};
use record::{Estimator, Evidence, Gate, PlannedPoint, Series, Trial};
use stats::{order, slope};

/// A sample of a trial, in the base unit of the quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// Its place among all samples of the trial, those set aside too.
    pub(crate) place: u32,
    /// Its value.
    pub(crate) value: f64,
    /// The value of its longest batch by itself, the cost of reading the clock taken off: a difference of two batches
    /// is small also when the shorter one was disturbed.
    pub(crate) longest: f64,
    /// The state of the cores beside it.
    pub(crate) ratios: Ratios,
    /// The clock of the main actor's core beside it, in hertz; no number where that was not seen.
    pub(crate) core_hz: f32,
}

/// What the batches of a trial came out as.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taken {
    /// The samples.
    pub(crate) samples: Vec<Sample>,
    /// Batches that count.
    pub(crate) batches: usize,
    /// Batches in all.
    pub(crate) batches_in_all: usize,
    /// Batches that do not count, by cause.
    pub(crate) set_aside: CauseCounts<Cause>,
    /// Cost per iteration in the longer batches against that in the shorter, where there are triples.
    pub(crate) linearity: Option<f64>,
}

impl Taken {
    /// The values of the samples.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.value).collect()
    }

    /// Batches set aside for a cause of their own.
    pub(crate) fn disturbed(&self) -> usize {
        let own = self.set_aside.iter().filter(|(cause, _)| **cause != Cause::Adjacent);
        own.map(|(_, batches)| batches).sum()
    }
}

/// Fewest samples of a trial that counts: three have a median, which may be off as far either way as that of more. A value
/// is a result by itself.
pub(crate) fn least_samples(estimator: &Estimator) -> usize {
    match estimator {
        Estimator::Slope | Estimator::SlopeLessControl { .. } | Estimator::Each => 3,
        Estimator::Values => 1,
    }
}

/// Fewest triples that say something of proportion.
pub(crate) const LEAST_FOR_LINEARITY: usize = 8;

/// Applies a gate and the estimator of a point to a trial.
pub(crate) fn take(
    point: &PlannedPoint,
    gate: &Gate,
    trial: &Trial,
    shape: &Shape<'_>,
) -> Result<Taken, Failure> {
    let main = Gated::new(shape.main, gate, trial);
    let control = shape.control.map(|series| Gated::new(series, gate, trial));
    let mut taken = Taken::default();
    main.count(&mut taken);
    if let Some(control) = &control {
        control.count(&mut taken);
    }
    taken.linearity = linearity::linearity(main.series, &main.causes);
    let cost = trial.clock_cost_ticks;
    taken.samples = match &point.estimator {
        Estimator::Slope => main.slopes(cost).flatten().collect(),
        Estimator::SlopeLessControl { per } => {
            less_control(&main, control.as_ref(), events_of(per, &trial.evidence)?, cost)
        }
        Estimator::Each => main.times().collect(),
        Estimator::Values => values(shape.main, trial),
    };
    if point.estimator == Estimator::Values {
        taken.batches = taken.samples.len();
        taken.batches_in_all = taken.samples.len();
    }
    plausibility::possible(&taken.values())?;
    if let Some(bytes) = point.payload_bytes {
        rates(bytes, &mut taken.samples);
        plausibility::possible(&taken.values())?;
    }
    Ok(taken)
}

fn values(series: &Series, trial: &Trial) -> Vec<Sample> {
    let ratios = core_state::beside_samples(series, trial).first().copied().unwrap_or(UNPROBED);
    let clocks = core_clock::beside_samples(series, trial);
    let core_hz = clocks.first().copied().unwrap_or(f32::NAN);
    let values = (0..).zip(&series.values);
    values.map(|(place, &value)| Sample { place, value, longest: value, ratios, core_hz }).collect()
}

/// Turns times in nanoseconds for this number of bytes into bytes per second, each by itself: the inverse of a spread is
/// not the spread of a rate. A difference of batches can be negative; its inverse would pass from one end of the
/// order to the other, so it stands beside the fastest.
fn rates(bytes: u64, samples: &mut [Sample]) {
    let shortest = samples.iter().map(|sample| sample.value).filter(|&time| time > 0.0);
    let shortest = shortest.fold(f64::INFINITY, f64::min);
    for sample in samples {
        for time in [&mut sample.value, &mut sample.longest] {
            *time = bytes as f64 * 1e9 / if *time > 0.0 { *time } else { shortest };
        }
    }
}

/// How often the counter that a control is divided by was counted in an iteration.
fn events_of(per: &str, evidence: &[Evidence]) -> Result<f64, Failure> {
    let events = Evidence::find(evidence, per).and_then(Evidence::per_iteration);
    let events = events.filter(|&events| events.is_finite() && events > 0.0);
    events.ok_or_else(|| Failure::Uncounted(per.to_owned()))
}

/// Slopes of the main series less those of the control, per event counted.
fn less_control(
    main: &Gated<'_>,
    control: Option<&Gated<'_>>,
    events: f64,
    clock_cost_ticks: f64,
) -> Vec<Sample> {
    let controls: Vec<Option<Sample>> =
        control.into_iter().flat_map(|control| control.slopes(clock_cost_ticks)).collect();
    let typical = order::median(controls.iter().flatten().map(|sample| sample.longest)).unwrap_or_default();
    let pairs = main.slopes(clock_cost_ticks).zip(controls);
    let differences = pairs.filter_map(|(main, control)| {
        let (main, control) = (main?, control?);
        let mut ratios = main.ratios;
        for (worse, other) in ratios.iter_mut().zip(control.ratios) {
            *worse = worse.max(other);
        }
        Some(Sample {
            value: (main.value - control.value) / events,
            longest: (main.longest - typical) / events,
            ratios,
            core_hz: (main.core_hz + control.core_hz) / 2.0,
            ..main
        })
    });
    differences.collect()
}

/// A series with what its gate says.
struct Gated<'a> {
    series: &'a Series,
    causes: Vec<Option<Cause>>,
    ratios: Vec<Ratios>,
    clocks: Vec<f32>,
    ns_per_tick: f64,
}

impl<'a> Gated<'a> {
    fn new(series: &'a Series, gate: &Gate, trial: &Trial) -> Self {
        Self {
            series,
            causes: gate::causes(series, gate, trial),
            ratios: core_state::beside_samples(series, trial),
            clocks: core_clock::beside_samples(series, trial),
            ns_per_tick: trial.ns_per_tick,
        }
    }

    fn count(&self, taken: &mut Taken) {
        taken.batches_in_all += self.causes.len();
        taken.batches += self.causes.iter().filter(|cause| cause.is_none()).count();
        let (own, adjacent): (Vec<&Cause>, Vec<&Cause>) =
            self.causes.iter().flatten().partition(|cause| **cause != Cause::Adjacent);
        for cause in own.into_iter().chain(adjacent) {
            taken.set_aside.add(cause.clone(), 1);
        }
    }

    /// The batches of each triple in ticks; `None` for triples set aside.
    fn triples(&self) -> impl Iterator<Item = Option<[f64; 3]>> {
        self.series.ticks.chunks_exact(3).zip(self.causes.chunks_exact(3)).map(|(ticks, causes)| {
            let &[once, twice, four] = ticks else { return None };
            causes.iter().all(Option::is_none).then_some([once as f64, twice as f64, four as f64])
        })
    }

    /// The sample of this place, in nanoseconds, with the state of the cores beside it.
    fn sample(&self, place: u32, value: f64, longest: f64) -> Sample {
        let ratios = self.ratios.get(place as usize).copied().unwrap_or(UNPROBED);
        let core_hz = self.clocks.get(place as usize).copied().unwrap_or(f32::NAN);
        Sample { place, value, longest, ratios, core_hz }
    }

    /// Nanoseconds per iteration from each triple; `None` for triples set aside.
    fn slopes(&self, clock_cost_ticks: f64) -> impl Iterator<Item = Option<Sample>> {
        let n = self.series.n as f64;
        (0..).zip(self.triples()).map(move |(place, triple)| {
            let [once, _, four] = triple?;
            let value = slope::triple_slope(once, four, n) * self.ns_per_tick;
            let longest = (four - clock_cost_ticks) / (4.0 * n) * self.ns_per_tick;
            Some(self.sample(place, value, longest))
        })
    }

    /// Nanoseconds per iteration of every batch that counts.
    fn times(&self) -> impl Iterator<Item = Sample> {
        let batches = (0..).zip(&self.series.ticks).zip(&self.causes);
        let kept = batches.filter(|(_, cause)| cause.is_none());
        kept.map(|((place, &ticks), _)| {
            let value = ticks as f64 * self.ns_per_tick / self.series.n as f64;
            self.sample(place, value, value)
        })
    }
}
