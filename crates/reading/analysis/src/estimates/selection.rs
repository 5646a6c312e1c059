//! Which samples of a point make its estimate: those of one state of the cores, never a mixture.

use crate::estimates::carry::Carried;
use crate::estimates::trial_states::{self, TrialStates};
use crate::estimates::{beside_programs, carry, epochs, idle_states, placements};
use crate::evidence::history::History;
use crate::rows::beside::BesidePrograms;
use crate::rows::core_use::{CoreState, CoreUse};
use crate::rows::epoch::EpochChange;
use crate::rows::idle_state::IdleShare;
use crate::rows::placement::PlacementShare;
use crate::samples::core_state::QuietRatios;
use crate::samples::sample::{self, Sample};
use crate::samples::summary::{Summary, TrialSamples};
use crate::thresholds::{LEAST_TRIALS, SLOWDOWN_TRIALS};
use quantity::Quantity;
use record::{Disturbance, Trigger};
use stats::order::median;

/// What holds for all points of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conditions<'a> {
    /// The ratios of quiet cores.
    pub(crate) quiet: &'a QuietRatios,
    /// Which samples count.
    pub(crate) trigger: Trigger,
    /// The clock to which trials are carried.
    pub(crate) reference_hz: Option<f64>,
    /// What disturbed the run.
    pub(crate) disturbances: &'a [Disturbance],
    /// CPUs of the machine.
    pub(crate) cpus: f64,
}

/// The trials of a point, each made of the samples of one state of the cores.
#[derive(Debug, Clone)]
pub(crate) struct Selection<'h> {
    /// All that happened to the point.
    pub(crate) history: &'h History,
    /// The trials that count.
    pub(crate) summaries: Vec<Summary<'h>>,
    /// How the cores were used meanwhile; `None` where no core was probed.
    pub(crate) core: Option<CoreUse>,
    /// How far the trials were carried to the reference clock.
    pub(crate) carried: Option<Carried>,
    /// The states of fresh processes, where they fall into several: the trials are those of the most frequent, if it is clear which that is.
    pub(crate) states: TrialStates,
    /// How the CPUs of its actors waited for each other; the trials are those of the first state.
    pub(crate) idle: Vec<IdleShare>,
    /// Where the CPUs of its actors were; the trials are those of the first placement.
    pub(crate) placements: Vec<PlacementShare>,
    /// The trials of a task that sleeps during which other programs used a CPU.
    pub(crate) beside: Option<BesidePrograms>,
    /// How late trials differ from early ones.
    pub(crate) change: Option<EpochChange>,
}

impl<'h> Selection<'h> {
    /// Selects the samples of a point.
    pub(crate) fn new(history: &'h History, conditions: Conditions<'h>) -> Self {
        let judge = Judge::new(history, conditions);
        let (mut summaries, core) = match judge.factor {
            None => (judge.all(), None),
            Some(_) => judge.by_state(),
        };
        let is_triggered = conditions.trigger == Trigger::Quiet;
        let gate = &history.point.gate;
        let sleeps = gate.cpu_share.is_none() && gate.shared_core.is_some();
        let beside = (is_triggered && sleeps)
            .then(|| {
                beside_programs::keep_undisturbed(&mut summaries, conditions.disturbances, conditions.cpus)
            })
            .flatten();
        let idle = match is_triggered {
            true => idle_states::keep_most_frequent(&mut summaries),
            false => Vec::new(),
        };
        let placements = match is_triggered {
            true => placements::keep_nearest(&mut summaries),
            false => Vec::new(),
        };
        let quantity = history.point.quantity;
        let to = conditions.reference_hz;
        let mut as_seen = summaries.clone();
        let mut carried = to.and_then(|to| carry::carry(&mut summaries, quantity, to));
        // What changed within the run is no state of processes.
        let change = epochs::change(&summaries);
        let mut states = match is_triggered && change.is_none() {
            true => trial_states::keep_most_frequent(&mut summaries, quantity),
            false => TrialStates::default(),
        };
        if states.are_apart && carried.is_some() {
            // How trials depend on the clock shows better within one state.
            as_seen.retain(|trial| summaries.iter().any(|kept| kept.value.round == trial.value.round));
            if let Some(again) = to.and_then(|to| carry::carry(&mut as_seen, quantity, to)) {
                let [before, after] = [&summaries, &as_seen].map(|all| typical(all));
                let factor = after.zip(before).map_or(1.0, |(after, before)| after / before);
                // The value is that of a state, also where that was carried again.
                states.modes.iter_mut().for_each(|mode| mode.at *= factor);
                (carried, summaries) = (Some(again), as_seen);
            }
        }
        Self { history, summaries, core, carried, states, idle, placements, beside, change }
    }
}

/// Tells quiet samples of one point from others.
struct Judge<'a> {
    history: &'a History,
    conditions: Conditions<'a>,
    factor: Option<f64>,
    least: usize,
}

impl<'a> Judge<'a> {
    fn new(history: &'a History, conditions: Conditions<'a>) -> Self {
        Self {
            history,
            conditions,
            factor: history.point.gate.shared_core,
            least: sample::least_samples(&history.point.estimator),
        }
    }

    /// Whether a sample was quiet; one without probes counts as quiet.
    fn is_quiet(&self, trial: &TrialSamples, sample: &Sample) -> bool {
        let factor = self.factor.unwrap_or(f64::INFINITY);
        self.conditions.quiet.is_quiet(&sample.ratios, &trial.cpus, factor).unwrap_or(true)
    }

    fn was_probed(&self) -> bool {
        let mut samples = self.history.trials.iter().flat_map(|trial| &trial.samples);
        samples.any(|sample| sample.ratios.iter().any(|ratio| !ratio.is_nan()))
    }

    /// Every trial with all its samples.
    fn all(&self) -> Vec<Summary<'a>> {
        self.each(|_, _| true)
    }

    fn each(&self, counts: impl Fn(&TrialSamples, &Sample) -> bool) -> Vec<Summary<'a>> {
        let trials = self.history.trials.iter();
        let summaries = trials.map(|trial| trial.summary(|_, sample| counts(trial, sample)));
        summaries.flatten().filter(|summary| summary.samples.len() >= self.least).collect()
    }

    fn by_state(&self) -> (Vec<Summary<'a>>, Option<CoreUse>) {
        if !self.was_probed() {
            return (self.all(), None);
        }
        let quiet = self.each(|trial, sample| self.is_quiet(trial, sample));
        let shared = self.each(|trial, sample| !self.is_quiet(trial, sample));
        let is_known = quiet.len().min(shared.len()) >= SLOWDOWN_TRIALS;
        let slowdown = is_known.then(|| self.slowdown(&quiet, &shared)).flatten();
        let is_quiet = quiet.len() >= LEAST_TRIALS || quiet.len() >= shared.len();
        let (summaries, state) = match self.conditions.trigger {
            Trigger::Off => (self.all(), CoreState::Mixed),
            Trigger::Sham => (self.sham(), CoreState::Mixed),
            Trigger::Quiet if is_quiet => (quiet, CoreState::Quiet),
            Trigger::Quiet => (shared, CoreState::Shared),
        };
        let core =
            CoreUse { state, quiet_share: self.quiet_share(), slowdown, untriggered: self.untriggered() };
        (summaries, Some(core))
    }

    /// What the point costs while shared divided by what it costs while quiet.
    fn slowdown(&self, quiet: &[Summary<'_>], shared: &[Summary<'_>]) -> Option<f64> {
        let (quiet, shared) = (typical(quiet)?, typical(shared)?);
        Some(match self.history.point.quantity {
            Quantity::Bandwidth => quiet / shared,
            _ => shared / quiet,
        })
    }

    /// The samples for whose places the core was quiet in another trial, half of the run away.
    fn sham(&self) -> Vec<Summary<'a>> {
        let trials = &self.history.trials;
        // Each trial with the one that is half of the run later, or earlier.
        let donors = trials.iter().cycle().skip(trials.len() / 2);
        let summaries = trials.iter().zip(donors).filter_map(|(trial, donor)| {
            trial.summary(|place, _| {
                let sample = donor.samples.get(place);
                sample.is_some_and(|sample| self.is_quiet(donor, sample))
            })
        });
        summaries.filter(|summary| summary.samples.len() >= self.least).collect()
    }

    /// Share of the samples taken whatever the state of the core that were quiet.
    fn quiet_share(&self) -> Option<f64> {
        let (mut quiet, mut all) = (0, 0);
        for trial in &self.history.trials {
            all += trial.free().len();
            quiet += trial.free().iter().filter(|sample| self.is_quiet(trial, sample)).count();
        }
        (all > 0).then(|| quiet as f64 / all as f64)
    }

    /// What the point costs without a trigger: the median over trials of the median of those samples.
    fn untriggered(&self) -> Option<f64> {
        let trials = self.history.trials.iter();
        median(trials.filter_map(|trial| median(trial.free().iter().map(|sample| sample.value))))
    }
}

fn typical(summaries: &[Summary<'_>]) -> Option<f64> {
    median(summaries.iter().map(|summary| summary.value.typical))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::core_state::tests::quiet_at;
    use crate::samples::summary::tests::kept;
    use record::{Gate, PlannedPoint, PointId};

    /// A trial with these samples, each with whether its core was quiet.
    fn trial(round: u32, samples: &[(f64, bool)]) -> TrialSamples {
        let values: Vec<f64> = samples.iter().map(|(value, _)| *value).collect();
        let mut trial = kept(round, &values);
        for (sample, (_, is_quiet)) in trial.samples.iter_mut().zip(samples) {
            sample.ratios[0] = if *is_quiet { 0.25 } else { 0.4 };
        }
        trial
    }

    /// A point that is gated by the state of its core.
    fn history(quantity: Quantity, trials: Vec<TrialSamples>) -> History {
        let gate = Gate { shared_core: Some(1.08), ..Gate::default() };
        let id = PointId::new("a.x", "");
        let point = PlannedPoint { gate, quantity, ..PlannedPoint::new(id) };
        History { trials, ..History::new(&point) }
    }

    fn conditions(quiet: &QuietRatios, trigger: Trigger) -> Conditions<'_> {
        Conditions { quiet, trigger, reference_hz: Some(3e9), disturbances: &[], cpus: 2.0 }
    }

    /// Of five trials the third begins half of the run after the first. Trial n is quiet at places n to n + 2, the last one
    /// at two places only.
    #[test]
    fn a_sham_takes_the_places_at_which_the_trial_half_of_the_run_away_was_quiet() {
        let trials = (0..5).map(|number| {
            let quiet = number..(number + 3).min(6);
            let samples = (0..8).map(|place| ((10 * number + place) as f64, quiet.contains(&place)));
            trial(number as u32, &samples.collect::<Vec<_>>())
        });
        let history = history(Quantity::Latency, trials.collect());
        let quiet = quiet_at(0.25);
        let selection = Selection::new(&history, conditions(&quiet, Trigger::Sham));
        let samples: Vec<&[f64]> =
            selection.summaries.iter().map(|summary| summary.samples.as_slice()).collect();
        let expected: [&[f64]; 4] =
            [&[2.0, 3.0, 4.0], &[13.0, 14.0, 15.0], &[30.0, 31.0, 32.0], &[41.0, 42.0, 43.0]];
        assert_eq!(samples, expected);
        assert_eq!(selection.core.map(|core| core.state), Some(CoreState::Mixed));
    }

    #[test]
    fn quiet_trials_count_where_they_have_an_interval_or_are_no_fewer_than_shared_ones() {
        for (quiet, shared, state, slowdown) in [
            (6, 8, CoreState::Quiet, Some(1.5)),
            (3, 3, CoreState::Quiet, Some(1.5)),
            (5, 6, CoreState::Shared, Some(1.5)),
            (2, 3, CoreState::Shared, None),
            (3, 2, CoreState::Quiet, None),
        ] {
            let trials = (0..quiet + shared)
                .map(|at| trial(at as u32, &[if at < quiet { (10.0, true) } else { (15.0, false) }; 3]));
            let history = history(Quantity::Latency, trials.collect());
            let ratios = quiet_at(0.25);
            let selection = Selection::new(&history, conditions(&ratios, Trigger::Quiet));
            let expected = if state == CoreState::Quiet { quiet } else { shared };
            let found = selection.core.map(|core| (core.state, core.slowdown));
            assert_eq!(found, Some((state, slowdown)), "{quiet} {shared}");
            assert_eq!(selection.summaries.len(), expected, "{quiet} {shared}");
        }
    }

    #[test]
    fn a_slowdown_is_above_one_where_a_time_is_longer_or_a_bandwidth_smaller() {
        for (quantity, shared, slowdown) in [(Quantity::Latency, 16.0, 2.0), (Quantity::Bandwidth, 4.0, 2.0)]
        {
            let trials = (0..6).map(|at| trial(at, &[if at < 3 { (8.0, true) } else { (shared, false) }; 3]));
            let history = history(quantity, trials.collect());
            let ratios = quiet_at(0.25);
            let core = Selection::new(&history, conditions(&ratios, Trigger::Quiet)).core;
            assert_eq!(core.and_then(|core| core.slowdown), Some(slowdown), "{quantity:?}");
        }
    }

    #[test]
    fn nothing_is_said_of_cores_that_were_not_probed() {
        let history = history(Quantity::Latency, vec![kept(1, &[10.0; 3])]);
        let ratios = quiet_at(0.25);
        let selection = Selection::new(&history, conditions(&ratios, Trigger::Quiet));
        assert_eq!((selection.summaries.len(), selection.core), (1, None));
        let untried = History::default();
        assert_eq!(Judge::new(&untried, conditions(&ratios, Trigger::Quiet)).quiet_share(), None);
    }

    /// Both states cost in proportion to the time of a cycle: 100 and 150 at 3 GHz.
    #[test]
    fn trials_of_the_most_frequent_state_are_carried_by_what_they_say_alone() {
        let trials = (0..20).map(|at| {
            let hz = 3e9 * (1.0 - 0.002 * f64::from(at * 7 % 20));
            let value = if at < 16 { 100.0 } else { 150.0 } * 3e9 / hz;
            let mut trial = kept(at, &[value; 3]);
            trial.core_hz = Some(hz);
            trial
        });
        let history = history(Quantity::Latency, trials.collect());
        let ratios = QuietRatios::default();
        let selection = Selection::new(&history, conditions(&ratios, Trigger::Quiet));
        let rounds: Vec<u32> = selection.summaries.iter().map(|summary| summary.value.round).collect();
        assert!(selection.states.are_apart && rounds == (0..16).collect::<Vec<_>>(), "{rounds:?}");
        for summary in &selection.summaries {
            assert!((summary.value.typical - 100.0).abs() < 1e-9, "{summary:?}");
        }
        assert!(selection.carried.is_some_and(|carried| (carried.share - 1.0).abs() < 1e-9));
        // The state has the value that the row has.
        let most = selection.states.modes.iter().find(|mode| mode.share > 0.5).unwrap();
        assert!((most.at - 100.0).abs() < 1e-9, "{most:?}");
    }
}
