//! The mean over everything that oscope timed, as a program without a gate and medians would print it.

use record::{Estimator, PlannedPoint, Record, Role, Sampling, Series, Trial};

/// The mean of a point over all its batches, also those set aside, in the base unit of its quantity; `None` where its
/// value is no plain time.
pub fn of_everything(record: &Record, point: &PlannedPoint) -> Option<f64> {
    if !matches!(point.estimator, Estimator::Slope | Estimator::Each) {
        return None;
    }
    let trials = record.trials.iter().filter(|trial| trial.id == point.id);
    let (mut nanos, mut iterations) = (0.0, 0.0);
    for trial in trials {
        for series in trial.series.iter().filter(|one| one.role == Role::Main) {
            let (more_nanos, more_iterations) = total(trial, series)?;
            nanos += more_nanos;
            iterations += more_iterations;
        }
    }
    let mean = nanos / iterations;
    let value = match point.payload_bytes {
        Some(bytes) => bytes as f64 * 1e9 / mean,
        None => mean,
    };
    (value.is_finite() && value > 0.0).then_some(value)
}

/// Nanoseconds of a series and the iterations that they hold; of triples what the longest batch has more than the
/// shortest, which leaves out what reading the clock costs.
fn total(trial: &Trial, series: &Series) -> Option<(f64, f64)> {
    let n = series.n as f64;
    match series.sampling {
        Sampling::Triples => {
            let triples = series.ticks.as_chunks::<3>().0;
            let more: f64 = triples.iter().map(|[first, _, last]| (last - first) as f64).sum();
            Some((more * trial.ns_per_tick, 3.0 * n * triples.len() as f64))
        }
        Sampling::Individual => {
            let all: f64 = series.ticks.iter().map(|&ticks| ticks as f64).sum();
            Some((all * trial.ns_per_tick, n * series.ticks.len() as f64))
        }
        Sampling::Values => None,
    }
}
