//! Whether a trial can be true at all: a worker that lies or is broken is recognised before any number
//! is made of what it says.

use crate::rows::failure::Impossible;
use crate::samples::core_state::CORES;
use record::{Estimator, Role, Sampling, Series, Trial};

/// No operation takes, moves or counts this much: 30 years in nanoseconds, 10^18 bytes per second.
pub(crate) const ABSURD: f64 = 1e18;

/// Iterations of a batch: a second of the cheapest instruction is a hundred times less.
const MOST_ITERATIONS: f64 = 1e12;

/// The series that an estimator needs, all columns of fitting length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape<'a> {
    /// The operation.
    pub(crate) main: &'a Series,
    /// What is subtracted from it, where the estimator asks for it.
    pub(crate) control: Option<&'a Series>,
}

/// Finds the series of a trial and checks that they can be true.
pub(crate) fn check<'a>(trial: &'a Trial, estimator: &Estimator) -> Result<Shape<'a>, Impossible> {
    if !(trial.ns_per_tick.is_finite() && trial.ns_per_tick > 0.0) {
        return Err(Impossible::Tick(Impossible::number(trial.ns_per_tick)));
    }
    if !trial.cpu_cost_ns.is_finite() {
        return Err(Impossible::CpuCost);
    }
    trial.series.iter().try_for_each(columns)?;
    looks(trial)?;
    if let Some(series) = trial.series.iter().find(|series| series.n as f64 > MOST_ITERATIONS) {
        return Err(Impossible::Iterations(series.n));
    }
    if total_ns(trial) > ABSURD {
        return Err(Impossible::Duration);
    }
    let (sampling, paired) = match estimator {
        Estimator::Slope => (Sampling::Triples, false),
        Estimator::SlopeLessControl { .. } => (Sampling::Triples, true),
        Estimator::Each => (Sampling::Individual, false),
        Estimator::Values => (Sampling::Values, false),
    };
    let main = only(trial, Role::Main, sampling)?;
    let control = if paired { Some(only(trial, Role::Control, sampling)?) } else { None };
    Ok(Shape { main, control })
}

/// Time of all batches of a trial, in nanoseconds.
pub(crate) fn total_ns(trial: &Trial) -> f64 {
    let ticks = trial.series.iter().flat_map(|series| &series.ticks);
    ticks.map(|&ticks| ticks as f64).sum::<f64>() * trial.ns_per_tick
}

/// The one series of this role, read in this way.
fn only(trial: &Trial, role: Role, sampling: Sampling) -> Result<&Series, Impossible> {
    let mut all = trial.series.iter().filter(|series| series.role == role);
    match (all.next(), all.next()) {
        (None, _) => Err(Impossible::NoSeries(role)),
        (_, Some(_)) => Err(Impossible::SeriesTwice(role)),
        (Some(series), None) if series.sampling == sampling => Ok(series),
        _ => Err(Impossible::Sampling(role)),
    }
}

fn columns(series: &Series) -> Result<(), Impossible> {
    let batches = series.ticks.len();
    let probes = match series.sampling {
        Sampling::Triples => batches / 3,
        Sampling::Individual => batches,
        // Values have no batches: the core is looked at now and then.
        Sampling::Values => series.width.len(),
    };
    let lengths = [
        (series.cpu_ns.len(), batches),
        (series.involuntary.len(), batches),
        (series.voluntary.len(), batches),
        (series.probe.len(), probes),
        (series.width.len(), probes),
    ];
    if series.n < 1 {
        Err(Impossible::NoIterations)
    } else if series.ticks.iter().any(|&ticks| ticks < 0) {
        Err(Impossible::ClockBackwards)
    } else if lengths.iter().any(|&(length, expected)| length != 0 && length != expected) {
        Err(Impossible::Columns)
    } else if series.sampling == Sampling::Triples && !batches.is_multiple_of(3) {
        Err(Impossible::Triples)
    } else {
        Ok(())
    }
}

/// Checks that the looks of a trial can be true, and that its samples refer to looks that are there.
pub(crate) fn looks(trial: &Trial) -> Result<(), Impossible> {
    let Some(looks) = &trial.looks else {
        return Ok(());
    };
    let count = looks.at.len();
    let last_ns = looks.at.last().map_or(0.0, |&at| at as f64 * trial.ns_per_tick);
    if looks.cores.len() > CORES {
        Err(Impossible::Cores(looks.cores.len()))
    } else if looks
        .cores
        .iter()
        .any(|core| [&core.chain, &core.width].iter().any(|column| column.len() != count))
    {
        Err(Impossible::CoreColumns)
    } else if !looks.at.is_sorted() || looks.at.first().is_some_and(|&at| at < 0) || last_ns > ABSURD {
        Err(Impossible::CoreOrder)
    } else if !trial.series.iter().all(|series| refers_to(series, count)) {
        Err(Impossible::CoreReferences)
    } else {
        Ok(())
    }
}

/// Whether every sample of a series refers to looks below this count: one before and one after it; for values, those before.
fn refers_to(series: &Series, looks: usize) -> bool {
    let (samples, last) = match series.sampling {
        Sampling::Triples => (series.ticks.len() / 3, 2),
        Sampling::Individual => (series.ticks.len(), 2),
        Sampling::Values => (1, 0),
    };
    series.look.is_empty()
        || series.look.len() == samples
            && series.look.is_sorted()
            && series.look.iter().all(|&look| look as usize + last <= looks)
}

/// Refuses samples that no operation can have.
pub(crate) fn possible(samples: &[f64]) -> Result<(), Impossible> {
    match samples.iter().find(|sample| sample.is_nan() || sample.abs() > ABSURD) {
        None => Ok(()),
        Some(sample) => Err(Impossible::Sample(Impossible::number(*sample))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tests::trial;
    use record::{CoreLooks, Looks};

    #[test]
    fn a_thousand_million_seconds_are_the_longest_time() {
        for (ticks, expected) in
            [(1_000_000_000_000_000_000, Ok(())), (1_000_000_000_000_000_128, Err(Impossible::Duration))]
        {
            let series = Series { ticks: vec![ticks], ..Series::new(Role::Main, Sampling::Individual, 1) };
            let trial = Trial { series: vec![series], ..trial(0) };
            assert_eq!(check(&trial, &Estimator::Each).map(|_| ()), expected);
        }
        assert_eq!(possible(&[1e18, -1e18]), Ok(()));
        assert!(possible(&[-1.1e18]).is_err());
    }

    #[test]
    fn looks_are_in_ticks_and_no_later_than_the_longest_time() {
        for (last, expected) in
            [(1_000_000_000_000_000, Ok(())), (1_000_000_000_000_001, Err(Impossible::CoreOrder))]
        {
            let core = CoreLooks { cpu: None, chain: vec![1; 2], width: vec![1; 2] };
            let seen = Looks { at: vec![0, last], additions: 300, cores: vec![core] };
            let trial = Trial { looks: Some(seen), ns_per_tick: 1_000.0, ..trial(0) };
            assert_eq!(looks(&trial), expected);
        }
    }
}
