//! One trial by itself, for those who watch: all its samples, and whether its evidence holds.

use crate::evidence::history::History;
use crate::rows::failure::{Cause, Failure};
use crate::samples::{gate, plausibility, sample};
use record::{Breach, Gate, PlannedPoint, Trial};

/// What one trial shows.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleTrial {
    /// Its samples in the base unit. None is excluded for a disturbance: a watch shows what a program met.
    pub samples: Vec<f64>,
    /// Share of its time for which others had the CPU of its actors, or its batches were excluded for that.
    pub shared: f64,
    /// The clock of the core, in hertz.
    pub core_hz: Option<f64>,
}

/// Judges one trial without any other. A witness that neighbours can break, or that needs several trials, does not refuse it.
///
/// # Errors
/// When it cannot be true, or its evidence shows that other work was done.
pub fn single_trial(point: &PlannedPoint, trial: &Trial) -> Result<SingleTrial, Failure> {
    let shape = plausibility::check(trial, &point.estimator)?;
    let gated = sample::take(point, &point.gate, trial, &shape)?;
    let all = sample::take(point, &Gate::default(), trial, &shape)?;
    let least = sample::least_samples(&point.estimator);
    if all.samples.len() < least {
        return Err(Failure::TooFewSamples(all.samples.len(), least));
    }
    if let Some((counter, Breach::OtherWork)) = History::new(point).see(trial, Some(all.linearity)) {
        return Err(Failure::Reported(format!("its evidence does not hold: {counter}")));
    }
    let excluded = gated.set_aside.iter().filter(|(cause, _)| !matches!(cause, Cause::Adjacent));
    let excluded: usize = excluded.map(|(_, batches)| batches).sum();
    let share = excluded as f64 / gated.batches_in_all.max(1) as f64;
    Ok(SingleTrial {
        samples: all.values(),
        shared: gate::lost(shape.main, trial).max(share.min(1.0)),
        core_hz: trial.core_hz.filter(|hz| hz.is_finite() && *hz > 0.0),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use record::{Counted, Evidence, Role, Sampling, Series, Witness};

    fn witness(counter: &str, breach: Breach) -> Witness {
        Witness { counter: counter.to_owned(), low: 1.0, high: 1.0, breach, ..Witness::default() }
    }

    #[test]
    fn disturbed_samples_stay_and_other_work_is_refused() {
        let point = PlannedPoint {
            gate: Gate { involuntary: true, ..Gate::default() },
            witnesses: vec![witness("answers", Breach::OtherWork), witness("noise", Breach::Noise)],
            ..PlannedPoint::default()
        };
        let answers = |count| Evidence {
            counter: "answers".to_owned(),
            counted: Counted::Count { count, iterations: 1.0 },
        };
        let mut trial = crate::samples::tests::trial(6);
        let mut involuntary = vec![0; 12];
        involuntary[0] = 1;
        let ticks = [1_000, 2_000, 4_000].repeat(4);
        trial.series = vec![Series { ticks, involuntary, ..Series::new(Role::Main, Sampling::Triples, 10) }];
        trial.evidence.push(answers(1.0));
        let read = single_trial(&point, &trial).unwrap();
        assert_eq!((read.samples.as_slice(), read.shared), ([100.0; 4].as_slice(), 1.0 / 12.0));
        *trial.evidence.last_mut().unwrap() = answers(0.5);
        assert!(
            matches!(single_trial(&point, &trial), Err(Failure::Reported(why)) if why.contains("answers"))
        );
    }
}
