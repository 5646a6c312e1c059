//! What the probes of the cores say: the ratio of issue width to clock beside each sample, and what it is on a quiet core.
//!
//! A lower ratio is a wider core. A look is quiet when its ratio is at most the gate's factor times that of a quiet core;
//! a sample is quiet when the looks before and after it are, on every core that was probed.

use crate::thresholds::{MISREAD_PROBE, QUIET_FACTOR, QUIET_SHARE, QUIET_TRIALS, QUIETEST_QUANTILE};
use record::{CoreLooks, Sampling, Series, Trial};
use stats::order::Sorted;
use std::collections::BTreeMap;

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
            let mut samples = vec![UNPROBED; series.look.len()];
            for (ratios, look) in samples.iter_mut().zip(&series.look) {
                for (ratio, core) in ratios.iter_mut().zip(&looks.cores) {
                    *ratio = beside(core, *look as usize, series.sampling).unwrap_or(f32::NAN);
                }
            }
            samples
        }
        _ => beside_batches(series),
    }
}

fn beside(core: &CoreLooks, look: usize, sampling: Sampling) -> Option<f32> {
    if sampling == Sampling::Values {
        let ratios = (0..look).filter_map(|look| core.ratio(look));
        return Sorted::from_values(ratios).quantile(WHOLE_TRIAL).map(|ratio| ratio as f32);
    }
    let (before, after) = (core.ratio(look)?, core.ratio(look + 1)?);
    Some(before.max(after) as f32)
}

/// The same in records of before the trigger, which have one look after every sample in the series itself.
fn beside_batches(series: &Series) -> Vec<Ratios> {
    let ratios = own_ratios(series);
    if series.sampling == Sampling::Values {
        let whole = Sorted::from_values(&ratios).quantile(WHOLE_TRIAL);
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

/// The looks beside the samples of a trial. Those of a worker that waits are of a core that is shared: of a trial that waited
/// long they are nearly all.
fn looks_beside_samples(trial: &Trial) -> impl Iterator<Item = usize> {
    trial
        .series
        .iter()
        .flat_map(|series| series.look.iter().flat_map(|&look| looks_beside(series.sampling, look)))
}

/// The looks beside a sample, by the number that its series has of it: those around it, or all before a value.
pub(crate) fn looks_beside(sampling: Sampling, look: u32) -> std::ops::Range<usize> {
    let look = look as usize;
    match sampling {
        Sampling::Values => 0..look,
        Sampling::Triples | Sampling::Individual => look..look + 2,
    }
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
        let beside: Vec<usize> = looks_beside_samples(trial).collect();
        let new = looks.map(|core| {
            let ratios = beside.iter().filter_map(|&look| core.ratio(look));
            (core.cpu, ratios.collect())
        });
        for (cpu, ratios) in old.into_iter().chain(new) {
            let ratios: Vec<f64> = ratios;
            let quietest = Sorted::from_values(&ratios).quantile(QUIETEST_QUANTILE);
            if let Some(ratio) = quietest.filter(|ratio| ratio.is_finite() && *ratio > 0.0) {
                let trials = self.of_cpu.entry(cpu).or_default();
                trials.insert(trials.partition_point(|other| *other < ratio), ratio);
            }
        }
    }

    /// The ratio of the quiet core of this CPU; `None` where it was never probed.
    pub(crate) fn quiet_ratio(&self, cpu: Option<u32>) -> Option<f64> {
        lowest_group(self.of_cpu.get(&cpu)?)
    }

    /// All CPUs that have a number.
    pub(crate) fn all(&self) -> Vec<(u32, f64)> {
        let cpus = self.of_cpu.keys().flatten();
        cpus.filter_map(|&cpu| Some((cpu, self.quiet_ratio(Some(cpu))?))).collect()
    }

    /// Whether a sample with these ratios was quiet; `None` where no core was probed.
    pub(crate) fn is_quiet(&self, ratios: &Ratios, cpus: &[Option<u32>; CORES], factor: f64) -> Option<bool> {
        let probed = ratios.iter().zip(cpus).filter(|(ratio, _)| !ratio.is_nan());
        let known =
            probed.filter_map(|(ratio, cpu)| Some(f64::from(*ratio) <= self.quiet_ratio(*cpu)? * factor));
        known.reduce(|all, one| all && one)
    }
}

/// The ratio of a quiet core from the ratios that each of several trials saw; `None` without any.
pub fn quiet_ratio<'a>(trials: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
    let quietest = trials.filter_map(|ratios| Sorted::from_values(ratios).quantile(QUIETEST_QUANTILE));
    lowest_group(Sorted::from_values(quietest).values())
}

/// The median of the lowest of these ascending ratios that agree.
fn lowest_group(trials: &[f64]) -> Option<f64> {
    let count = (QUIET_SHARE * trials.len() as f64) as usize;
    let count = count.max(QUIET_TRIALS).min(trials.len());
    let from = trials.windows(count.max(1)).position(|window| {
        window.first().zip(window.last()).is_some_and(|(low, high)| *high <= QUIET_FACTOR * low)
    });
    let from = from.unwrap_or(0);
    let low = trials.get(from)?;
    let to = trials.partition_point(|ratio| *ratio <= QUIET_FACTOR * low);
    trials.get(from + (to - from) / 2).copied()
}

/// Seconds of a run that are distinguished: those of a day.
const MOST_SECONDS: usize = 86_400;

/// How long cores were quiet and how long shared, from all looks of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Stretches {
    /// Quiet and shared time in each second of the run, as far as trials saw it.
    by_second: Vec<[f64; 2]>,
    quiet_ns: f64,
    shared_ns: f64,
    ends_of_quiet: f64,
    ends_of_shared: f64,
    /// Time between trials, by the state in which the next one found the core: within trials alone there is more sharing
    /// than there is, because a trial lasts as long as it waits.
    between_quiet_ns: f64,
    between_shared_ns: f64,
    /// When the last look was, since the start of the run.
    last_ns: Option<f64>,
}

impl Stretches {
    /// Takes in a trial's looks at one core, which are quiet up to this ratio.
    pub(crate) fn add(&mut self, trial: &Trial, at: &[i64], core: &CoreLooks, limit: f64) {
        let ns_per_tick = trial.ns_per_tick;
        let states: Vec<Option<bool>> = (0..at.len())
            .map(|look| {
                let ratio = core.ratio(look)?;
                (ratio >= MISREAD_PROBE * limit).then_some(ratio <= limit)
            })
            .collect();
        let since_start_ns: Vec<f64> =
            at.iter().map(|at| trial.started_ns as f64 + *at as f64 * ns_per_tick).collect();
        if let (Some(last), Some(first), Some(&Some(is_quiet))) =
            (self.last_ns, since_start_ns.first(), states.first())
        {
            *if is_quiet { &mut self.between_quiet_ns } else { &mut self.between_shared_ns } +=
                (first - last).max(0.0);
        }
        self.last_ns = since_start_ns.last().copied().or(self.last_ns);
        for ((ticks, times), pair) in at.windows(2).zip(since_start_ns.windows(2)).zip(states.windows(2)) {
            let (&[begin, end], &[begin_ns, end_ns], &[Some(before), Some(after)]) = (ticks, times, pair)
            else {
                continue;
            };
            let half = (end - begin).max(0) as f64 * ns_per_tick / 2.0;
            for (at_ns, is_quiet) in [(begin_ns, before), (end_ns, after)] {
                *if is_quiet { &mut self.quiet_ns } else { &mut self.shared_ns } += half;
                self.count(at_ns, is_quiet, half);
            }
            match (before, after) {
                (true, false) => self.ends_of_quiet += 1.0,
                (false, true) => self.ends_of_shared += 1.0,
                _ => {}
            }
        }
    }

    fn count(&mut self, since_start_ns: f64, is_quiet: bool, lasted_ns: f64) {
        let second = ((since_start_ns * 1e-9).max(0.0) as usize).min(MOST_SECONDS - 1);
        if self.by_second.len() <= second {
            self.by_second.resize(second + 1, [0.0; 2]);
        }
        if let Some([quiet, shared]) = self.by_second.get_mut(second) {
            *if is_quiet { quiet } else { shared } += lasted_ns;
        }
    }

    /// Seconds of the run until the last look.
    pub(crate) fn seconds(&self) -> usize {
        self.by_second.len()
    }

    /// Share of what was seen in these seconds that was quiet; `None` where nothing was.
    pub(crate) fn quiet_share_in(&self, seconds: std::ops::Range<usize>) -> Option<f64> {
        let here = self.by_second.iter().take(seconds.end).skip(seconds.start);
        let [quiet, shared] = here.fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        (quiet + shared > 0.0).then(|| quiet / (quiet + shared))
    }

    /// Share of the time that was quiet.
    pub(crate) fn quiet_share(&self) -> Option<f64> {
        let quiet = self.quiet_ns + self.between_quiet_ns;
        let all = quiet + self.shared_ns + self.between_shared_ns;
        (all > 0.0).then(|| quiet / all)
    }

    /// Mean lengths of quiet and of shared stretches: the time in a state by the number of times that it ended, which
    /// holds although trials end in the middle of stretches.
    pub(crate) fn lengths_ns(&self) -> [Option<f64>; 2] {
        [(self.quiet_ns, self.ends_of_quiet), (self.shared_ns, self.ends_of_shared)]
            .map(|(time, ends)| (ends > 0.0).then(|| time / ends))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::samples::tests::trial;
    use record::Looks;

    /// The ratio of the quiet core of CPU 1.
    pub(crate) fn quiet_at(ratio: f64) -> QuietRatios {
        quiet_ratios(&[ratio])
    }

    /// The quietest ratio on CPU 1 in each trial of a run.
    fn quiet_ratios(of_trials: &[f64]) -> QuietRatios {
        QuietRatios { of_cpu: BTreeMap::from([(Some(1), of_trials.to_vec())]) }
    }

    fn core(widths: &[i64]) -> CoreLooks {
        CoreLooks { cpu: Some(1), chain: vec![1_000; widths.len()], width: widths.to_vec() }
    }

    #[test]
    fn seconds_of_a_run_are_distinguished() {
        let mut stretches = Stretches::default();
        for (at_s, is_quiet) in [(0.2, true), (0.7, true), (2.5, false), (2.9, true), (1e9, false)] {
            stretches.count(at_s * 1e9, is_quiet, 1e6);
        }
        assert_eq!(stretches.quiet_share_in(0..1), Some(1.0));
        assert_eq!(stretches.quiet_share_in(1..2), None, "nothing was seen");
        assert_eq!(stretches.quiet_share_in(1..3), Some(0.5));
        assert_eq!(stretches.seconds(), MOST_SECONDS);
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
        stretches.add(&trial(0), &at, &core(&widths), 0.27);
        assert_eq!(stretches.quiet_share(), Some(400.0 / 600.0));
        assert_eq!(stretches.lengths_ns(), [Some(400.0), Some(200.0)]);
    }

    #[test]
    fn time_between_trials_is_of_the_state_that_the_next_one_finds() {
        let mut stretches = Stretches::default();
        stretches.add(&trial(0), &[0, 100], &core(&[400, 400]), 0.27);
        stretches.add(&trial(1_000), &[0, 100], &core(&[250, 250]), 0.27);
        assert_eq!(stretches.quiet_share(), Some(1_000.0 / 1_100.0));
        assert_eq!(stretches.lengths_ns(), [None, None]);
    }

    #[test]
    fn a_quiet_core_is_the_lowest_ratio_that_several_trials_have() {
        let few = [0.16, 0.2, 0.23, 0.25, 0.25, 0.25, 0.255, 0.255, 0.4, 0.4, 0.4, 0.4, 0.41, 0.41];
        let many = [&[0.2, 0.21, 0.22][..], &[0.25; 6], &[0.4; 91]].concat();
        for (ratios, expected) in
            [(&[][..], None), (&[0.25, 0.4], Some(0.25)), (&few, Some(0.25)), (&many, Some(0.25))]
        {
            assert_eq!(quiet_ratios(ratios).quiet_ratio(Some(1)), expected, "{ratios:?}");
        }
    }

    #[test]
    fn a_trial_that_waited_long_shows_the_ratio_of_the_looks_beside_its_samples() {
        let mut widths = vec![400; 1_000];
        widths[980..].fill(250);
        let looks = Looks { at: (0..1_000).collect(), additions: 0, cores: vec![core(&widths)] };
        let mut series = Series::new(record::Role::Main, Sampling::Triples, 1);
        series.look = vec![0, 1, 2, 3];
        series.look.extend(982..998);
        let mut quiet = QuietRatios::default();
        quiet.add(&Trial { looks: Some(looks), series: vec![series], ..trial(0) });
        assert_eq!(quiet.quiet_ratio(Some(1)), Some(0.25));
    }

    #[test]
    fn a_probe_that_failed_is_neither_quiet_nor_shared() {
        let mut stretches = Stretches::default();
        stretches.add(&trial(0), &[0, 100, 200], &core(&[250, 0, 250]), 0.27);
        stretches.add(&trial(200), &[0, 100, 200], &core(&[250, 150, 250]), 0.27);
        assert_eq!(stretches.quiet_share(), None);
    }

    /// A series of a record of before the trigger: its looks are in itself.
    fn with_own_looks(width: i64, probe: i64) -> Trial {
        let series = Series {
            width: vec![width],
            probe: vec![probe],
            ..Series::new(record::Role::Main, Sampling::Individual, 1)
        };
        Trial { series: vec![series], ..trial(0) }
    }

    #[test]
    fn a_series_that_refers_to_no_look_has_the_ratios_of_its_own() {
        let looks = Looks { at: vec![0], additions: 300, cores: vec![core(&[400])] };
        let trial = Trial { looks: Some(looks), ..with_own_looks(250, 1_000) };
        let ratios = beside_samples(&trial.series[0], &trial);
        assert_eq!(ratios.iter().map(|[main, _]| *main).collect::<Vec<_>>(), [0.25]);
    }

    #[test]
    fn a_probe_that_took_no_time_has_no_ratio() {
        for (width, probe, expected) in [(250, 1_000, Some(0.25)), (0, 1_000, None), (250, 0, None)] {
            let mut quiet = QuietRatios::default();
            quiet.add(&with_own_looks(width, probe));
            assert_eq!(quiet.quiet_ratio(Some(1)), expected, "{width} {probe}");
        }
    }

    #[test]
    fn of_many_trials_a_twentieth_must_be_alike() {
        for (quiet, expected) in [(5, 0.4), (6, 0.25)] {
            let mut ratios = vec![0.25; quiet];
            ratios.resize(120, 0.4);
            assert_eq!(quiet_ratios(&ratios).quiet_ratio(Some(1)), Some(expected));
        }
    }

    #[test]
    fn a_sample_is_quiet_where_all_its_cores_are() {
        let of_cpu = BTreeMap::from([(Some(1), vec![0.25]), (Some(2), vec![0.25])]);
        let quiet = QuietRatios { of_cpu };
        for (ratios, expected) in [
            ([0.25, 0.25], Some(true)),
            ([0.25, 0.4], Some(false)),
            ([0.4, 0.25], Some(false)),
            ([0.25, f32::NAN], Some(true)),
            (UNPROBED, None),
        ] {
            assert_eq!(quiet.is_quiet(&ratios, &[Some(1), Some(2)], 1.08), expected, "{ratios:?}");
        }
    }

    #[test]
    fn times_of_looks_are_ticks_since_the_start_of_their_trial() {
        let mut stretches = Stretches::default();
        for (started_ns, width) in [(0, 400), (1_000, 250)] {
            let trial = Trial { ns_per_tick: 2.0, ..trial(started_ns) };
            stretches.add(&trial, &[0, 100], &core(&[width, width]), 0.27);
        }
        // 200 shared, 800 between them, and 200 quiet.
        assert_eq!(stretches.quiet_share(), Some(1_000.0 / 1_200.0));
    }
}
