//! The clock of the main actor's core beside samples, and the highest of a run.

use crate::samples::core_state::looks_beside;
use record::{Series, Trial};
use stats::order::{Sorted, median};
use stats::spread;

/// Quantile of the clocks of all trials that is the reference: the highest clock that the machine keeps for a tenth of the
/// run. One that it has for a moment is far from most trials, so that carrying them there is off by more.
const REFERENCE: f64 = 0.9;

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
    let mut of_samples = Vec::with_capacity(series.look.len());
    for &look in &series.look {
        let chains = core.chain.get(looks_beside(series.sampling, look)).unwrap_or_default().iter();
        let clocks: Vec<f64> = chains.filter(|&&chain| chain > 0).map(|&chain| ns / chain as f64).collect();
        of_samples.push(usual_mean(&clocks).unwrap_or(f64::NAN) as f32);
    }
    of_samples
}

/// The clock of a trial from those beside its samples, in hertz; `None` where none was seen.
pub(crate) fn of_samples(clocks: impl Iterator<Item = f32>) -> Option<f64> {
    let seen = clocks.map(f64::from).filter(|hz| hz.is_finite());
    usual_mean(&seen.collect::<Vec<f64>>())
}

/// Mean over what is near the median: the step of a coarse clock averages out in a mean, not in a median.
fn usual_mean(clocks: &[f64]) -> Option<f64> {
    let middle = median(clocks)?;
    let usual = clocks.iter().filter(|hz| (*hz / middle - 1.0).abs() < INTERRUPTED);
    spread::mean(usual)
}

/// The highest clock of a run, in hertz.
pub fn reference(clocks: impl Iterator<Item = f64>) -> Option<f64> {
    Sorted::from_values(clocks).quantile(REFERENCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tests::trial;
    use record::{CoreLooks, Looks, Role, Sampling};

    #[test]
    fn samples_without_a_clock_do_not_count() {
        assert_eq!(of_samples([2e9, f32::NAN, 2e9].into_iter()), Some(2e9));
        assert_eq!(of_samples([f32::NAN].into_iter()), None);
    }

    #[test]
    fn chains_of_no_additions_show_no_clock() {
        let core = CoreLooks { cpu: None, chain: vec![100; 2], width: vec![100; 2] };
        let looks = Looks { at: vec![0, 1], additions: 0, cores: vec![core] };
        let mut series = Series::new(Role::Main, Sampling::Individual, 1);
        series.look = vec![0];
        assert!(beside_samples(&series, &Trial { looks: Some(looks), ..trial(0) }).is_empty());
    }
}
