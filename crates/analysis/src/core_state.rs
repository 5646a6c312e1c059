//! What the probes of the cores say: the ratio of issue width to clock beside each sample, and what it is on a quiet core.
//!
//! A lower ratio is a wider core. A look is quiet when its ratio is at most the gate's factor times that of a quiet core;
//! a sample is quiet when the looks before and after it are, on every core that was probed.

use record::{CoreLooks, Sampling, Series, Trial};
use stats::order::Sorted;
use std::collections::BTreeMap;

/// Quantile of a trial's ratios that stands for its core at its quietest: not the least one, which could be a misreading.
const QUIET_LOOKS: f64 = 0.15;

/// Quantile of the trials' quietest ratios that stands for a quiet core: a clock that changes between two probes makes
/// single trials look wider than the core can be.
const QUIET_TRIALS: f64 = 0.15;

/// Quantile of the ratios of a trial that stands for all of it, where its values are of the whole trial: what shared the
/// core for a quarter of it is in the values.
const WHOLE_TRIAL: f64 = 0.75;

/// Most cores that a sample depends on.
pub(crate) const CORES: usize = 2;

/// The least quiet ratio beside a sample for each core, the main actor's first; no number where that was not probed.
pub(crate) type Ratios = [f32; CORES];

/// Where no core was probed.
pub(crate) const UNPROBED: Ratios = [f32::NAN; CORES];

/// The ratios beside every sample of a series (triples, singles), or the one ratio of a series of values.
pub(crate) fn beside_samples(series: &Series, trial: &Trial) -> Vec<Ratios> {
    match &trial.looks {
        Some(looks) if !series.look.is_empty() => {
            let of_sample = |&look: &u32| {
                let mut ratios = UNPROBED;
                for (ratio, core) in ratios.iter_mut().zip(&looks.cores) {
                    *ratio = beside(core, look as usize, series.sampling).unwrap_or(f32::NAN);
                }
                ratios
            };
            series.look.iter().map(of_sample).collect()
        }
        _ => beside_batches(series),
    }
}

fn beside(core: &CoreLooks, look: usize, sampling: Sampling) -> Option<f32> {
    if sampling == Sampling::Values {
        let ratios: Vec<f64> = (0..look).filter_map(|look| core.ratio(look)).collect();
        return Sorted::of(&ratios)
            .quantile(WHOLE_TRIAL)
            .map(|ratio| ratio as f32);
    }
    let (before, after) = (core.ratio(look)?, core.ratio(look + 1)?);
    Some(before.max(after) as f32)
}

/// The same in records of before the trigger, which have one look after every sample in the series itself.
fn beside_batches(series: &Series) -> Vec<Ratios> {
    let ratios = own_ratios(series);
    if series.sampling == Sampling::Values {
        let whole = Sorted::of(&ratios).quantile(WHOLE_TRIAL);
        return whole.map(|ratio| [ratio as f32, f32::NAN]).into_iter().collect();
    }
    let before = ratios.first().copied().into_iter().chain(ratios.iter().copied());
    let worse = ratios.iter().zip(before).map(|(now, before)| now.max(before));
    worse.map(|ratio| [ratio as f32, f32::NAN]).collect()
}

fn own_ratios(series: &Series) -> Vec<f64> {
    let both = series.width.iter().zip(&series.probe);
    both.map(|(&width, &probe)| width as f64 / probe as f64).collect()
}

/// The CPUs of the cores that a trial probed, in the order of its ratios.
pub(crate) fn cpus(trial: &Trial) -> [Option<u32>; CORES] {
    let mut cpus = [trial.cpu, None];
    if let Some(looks) = &trial.looks {
        for (cpu, core) in cpus.iter_mut().zip(&looks.cores) {
            *cpu = core.cpu;
        }
    }
    cpus
}

/// For each CPU the ratio of a quiet core, from all trials of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuietRatios {
    /// The quietest ratio of each trial, ascending.
    of_cpu: BTreeMap<Option<u32>, Vec<f64>>,
}

impl QuietRatios {
    /// Takes in what a trial saw.
    pub(crate) fn add(&mut self, trial: &Trial) {
        let main = trial.series.first().map(own_ratios).unwrap_or_default();
        let old = (!main.is_empty()).then_some((trial.cpu, main));
        let looks = trial.looks.iter().flat_map(|looks| &looks.cores);
        let new = looks.map(|core| {
            let ratios = (0..core.width.len())
                .filter_map(|look| core.ratio(look))
                .collect();
            (core.cpu, ratios)
        });
        for (cpu, ratios) in old.into_iter().chain(new) {
            let quietest = Sorted::of(&ratios).quantile(QUIET_LOOKS);
            if let Some(ratio) = quietest.filter(|ratio| ratio.is_finite() && *ratio > 0.0) {
                let trials = self.of_cpu.entry(cpu).or_default();
                trials.insert(trials.partition_point(|other| *other < ratio), ratio);
            }
        }
    }

    /// The ratio of the quiet core of this CPU; `None` where it was never probed.
    pub(crate) fn of(&self, cpu: Option<u32>) -> Option<f64> {
        let trials = self.of_cpu.get(&cpu)?;
        let last = trials.len().checked_sub(1)?;
        trials.get((QUIET_TRIALS * last as f64) as usize).copied()
    }

    /// All CPUs that have a number.
    pub(crate) fn all(&self) -> Vec<(u32, f64)> {
        let cpus = self.of_cpu.keys().flatten();
        cpus.filter_map(|&cpu| Some((cpu, self.of(Some(cpu))?))).collect()
    }

    /// Whether a sample with these ratios was quiet; `None` where no core was probed.
    pub(crate) fn is_quiet(&self, ratios: &Ratios, cpus: &[Option<u32>; CORES], factor: f64) -> Option<bool> {
        let probed = ratios.iter().zip(cpus).filter(|(ratio, _)| !ratio.is_nan());
        let known = probed.filter_map(|(ratio, cpu)| Some(f64::from(*ratio) <= self.of(*cpu)? * factor));
        known.reduce(|all, one| all && one)
    }
}

/// How long cores were quiet and how long shared, from all looks of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Stretches {
    quiet_ns: f64,
    shared_ns: f64,
    ends_of_quiet: f64,
    ends_of_shared: f64,
}

impl Stretches {
    /// Takes in the looks at one core.
    pub(crate) fn add(&mut self, at: &[i64], core: &CoreLooks, ns_per_tick: f64, limit: f64) {
        let states: Vec<Option<bool>> = (0..at.len())
            .map(|look| Some(core.ratio(look)? <= limit))
            .collect();
        for (times, pair) in at.windows(2).zip(states.windows(2)) {
            let (&[begin, end], &[Some(before), Some(after)]) = (times, pair) else {
                continue;
            };
            let half = (end - begin).max(0) as f64 * ns_per_tick / 2.0;
            for is_quiet in [before, after] {
                *if is_quiet {
                    &mut self.quiet_ns
                } else {
                    &mut self.shared_ns
                } += half;
            }
            match (before, after) {
                (true, false) => self.ends_of_quiet += 1.0,
                (false, true) => self.ends_of_shared += 1.0,
                _ => {}
            }
        }
    }

    /// Share of the time that was quiet.
    pub(crate) fn quiet_share(&self) -> Option<f64> {
        let all = self.quiet_ns + self.shared_ns;
        (all > 0.0).then(|| self.quiet_ns / all)
    }

    /// Mean lengths of quiet and of shared stretches: the time in a state by the number of times that it ended, which
    /// holds although trials end in the middle of stretches.
    pub(crate) fn lengths_ns(&self) -> [Option<f64>; 2] {
        let mean = |time: f64, ends: f64| (ends > 0.0).then(|| time / ends);
        [
            mean(self.quiet_ns, self.ends_of_quiet),
            mean(self.shared_ns, self.ends_of_shared),
        ]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn core(widths: &[i64]) -> CoreLooks {
        CoreLooks {
            cpu: Some(1),
            chain: vec![1_000; widths.len()],
            width: widths.to_vec(),
        }
    }

    #[test]
    fn a_sample_has_the_worse_of_the_looks_beside_it() {
        let core = core(&[250, 400, 260]);
        assert_eq!(beside(&core, 0, Sampling::Triples), Some(0.4));
        assert_eq!(beside(&core, 1, Sampling::Triples), Some(0.4));
        assert_eq!(beside(&core, 2, Sampling::Triples), None);
        assert_eq!(beside(&core, 3, Sampling::Values), Some(0.33));
    }

    #[test]
    fn stretches_are_times_by_ends() {
        let mut stretches = Stretches::default();
        let widths = [250, 250, 250, 400, 400, 250, 250];
        let at: Vec<i64> = (0..7).map(|look| look * 100).collect();
        stretches.add(&at, &core(&widths), 1.0, 0.27);
        assert_eq!(stretches.quiet_share(), Some(400.0 / 600.0));
        assert_eq!(stretches.lengths_ns(), [Some(400.0), Some(200.0)]);
    }

    #[test]
    fn a_probe_that_failed_is_neither_quiet_nor_shared() {
        let mut stretches = Stretches::default();
        stretches.add(&[0, 100, 200], &core(&[250, 0, 250]), 1.0, 0.27);
        assert_eq!(stretches.quiet_share(), None);
    }
}
