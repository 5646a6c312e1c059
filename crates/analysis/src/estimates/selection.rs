//! Which samples of a point make its estimate: those of one state of the cores, never a mixture.

use crate::estimates::carry::Carried;
use crate::estimates::trial_states::{self, TrialStates};
use crate::estimates::{carry, idle_states};
use crate::evidence::history::History;
use crate::rows::core_use::{CoreState, CoreUse};
use crate::rows::idle_state::IdleShare;
use crate::rows::levels::LEAST_TRIALS;
use crate::samples::core_state::QuietRatios;
use crate::samples::sample::{self, Sample};
use crate::samples::summary::{Summary, TrialSamples};
use quantity::Quantity;
use record::Trigger;
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
    /// The states of fresh processes, where they fall into several: the trials are those of the cheapest, if they are apart.
    pub(crate) states: TrialStates,
    /// How the CPUs of its actors waited for each other; the trials are those of the first state.
    pub(crate) idle: Vec<IdleShare>,
}

impl<'h> Selection<'h> {
    /// Selects the samples of a point.
    pub(crate) fn of(history: &'h History, conditions: Conditions<'h>) -> Self {
        let judge = Judge::of(history, conditions);
        let (mut summaries, core) = match judge.factor {
            None => (judge.all(), None),
            Some(_) => judge.by_state(),
        };
        let is_triggered = conditions.trigger == Trigger::Quiet;
        let idle = match is_triggered {
            true => idle_states::keep_most_frequent(&mut summaries),
            false => Vec::new(),
        };
        let quantity = history.point.quantity;
        let to = conditions.reference_hz;
        let mut as_seen = summaries.clone();
        let mut carried = to.and_then(|to| carry::carry(&mut summaries, quantity, to));
        let states = match is_triggered {
            true => trial_states::keep_cheapest(&mut summaries, quantity),
            false => TrialStates::default(),
        };
        if states.are_apart && carried.is_some() {
            // How trials depend on the clock shows better within one state.
            let is_kept = |trial: &Summary<'_>| {
                let mut kept = summaries.iter();
                kept.any(|summary| summary.value.round == trial.value.round)
            };
            as_seen.retain(is_kept);
            if let Some(again) = to.and_then(|to| carry::carry(&mut as_seen, quantity, to)) {
                (carried, summaries) = (Some(again), as_seen);
            }
        }
        Self { history, summaries, core, carried, states, idle }
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
    fn of(history: &'a History, conditions: Conditions<'a>) -> Self {
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
        let is_known = quiet.len().min(shared.len()) >= LEAST_SHARED;
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
        let donor = |at: usize| trials.get((at + trials.len() / 2) % trials.len());
        let of = |(at, trial): (usize, &'a TrialSamples)| {
            let donor = donor(at)?;
            trial.summary(|place, _| {
                let sample = donor.samples.get(place);
                sample.is_some_and(|sample| self.is_quiet(donor, sample))
            })
        };
        let summaries = trials.iter().enumerate().filter_map(of);
        summaries.filter(|summary| summary.samples.len() >= self.least).collect()
    }

    /// Share of the samples taken whatever the state of the core that were quiet.
    fn quiet_share(&self) -> Option<f64> {
        let free =
            || self.history.trials.iter().flat_map(|trial| trial.free().iter().map(move |one| (trial, one)));
        let quiet = free().filter(|(trial, sample)| self.is_quiet(trial, sample)).count();
        let all = free().count();
        (all > 0).then(|| quiet as f64 / all as f64)
    }

    /// What the point costs without a trigger: the median over trials of the median of those samples.
    fn untriggered(&self) -> Option<f64> {
        let trials = self.history.trials.iter();
        median(trials.filter_map(|trial| median(trial.free().iter().map(|sample| sample.value))))
    }
}

/// Trials of each state from which a slow-down is computed, at least.
const LEAST_SHARED: usize = 3;

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
        Conditions { quiet, trigger, reference_hz: Some(3e9) }
    }

    #[test]
    fn a_slowdown_is_above_one_where_a_time_is_longer_or_a_bandwidth_smaller() {
        for (quantity, shared, slowdown) in [(Quantity::Latency, 16.0, 2.0), (Quantity::Bandwidth, 4.0, 2.0)]
        {
            let of = |at: u32| trial(at, &[if at < 3 { (8.0, true) } else { (shared, false) }; 3]);
            let history = history(quantity, (0..6).map(of).collect());
            let ratios = quiet_at(0.25);
            let core = Selection::of(&history, conditions(&ratios, Trigger::Quiet)).core;
            assert_eq!(core.and_then(|core| core.slowdown), Some(slowdown), "{quantity:?}");
        }
    }
}
