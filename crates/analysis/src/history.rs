//! What is kept of a point while its trials come in: summaries, counts and causes, never batches.

use crate::estimate::LEAST_TRIALS;
use crate::evidence::{Watch, with_linearity};
use crate::gate::{self, Cause, SHARED};
use crate::sample::{self, Taken};
use crate::shape::{self, Shape};
use crate::summary::Summary;
use crate::tally::Tally;
use crate::wording::count;
use record::{
    Breach, Estimator, Gate, Origin, PlannedPoint, Prediction, Rehearsal, Trial, TrialFailure, Witness,
};
use std::borrow::Cow;

/// A point and all that happened to it.
#[derive(Debug, Clone)]
pub(crate) struct History {
    /// What was planned.
    pub(crate) point: PlannedPoint,
    /// What was predicted.
    pub(crate) prediction: Prediction,
    /// Its witnesses.
    pub(crate) watches: Vec<Watch>,
    /// The trials that count, in the order in which they came.
    pub(crate) summaries: Vec<Summary>,
    /// Batches that do not count, by cause.
    pub(crate) set_aside: Tally,
    /// Batches set aside for a cause of their own.
    pub(crate) disturbed: usize,
    /// Batches of all trials whose evidence held.
    pub(crate) batches_in_all: usize,
    /// Trials of which the gate left too little.
    pub(crate) starved: usize,
    /// Trials that count although the core was shared, because too few others do.
    pub(crate) crowded: usize,
    /// Trials whose evidence did not hold.
    pub(crate) doubted: usize,
    /// Trials that broke only witnesses that a neighbour can break, each with the counter.
    pub(crate) disturbed_trials: Vec<(String, Summary)>,
    /// Trials that went wrong, by reason.
    pub(crate) failures: Tally,
    /// Trials whose needs were not met, by reason.
    pub(crate) skips: Tally,
    /// What would meet those needs.
    pub(crate) remedy: Option<String>,
}

impl History {
    pub(crate) fn new(point: &PlannedPoint) -> Self {
        Self {
            point: point.clone(),
            prediction: Prediction::default(),
            watches: point.witnesses.iter().map(Watch::new).collect(),
            summaries: Vec::new(),
            set_aside: Tally::default(),
            disturbed: 0,
            batches_in_all: 0,
            starved: 0,
            crowded: 0,
            doubted: 0,
            disturbed_trials: Vec::new(),
            failures: Tally::default(),
            skips: Tally::default(),
            remedy: None,
        }
    }

    /// Trials that were tried, whatever came of them.
    pub(crate) fn attempts(&self) -> usize {
        let judged = self.summaries.len() + self.disturbed_trials.len() + self.starved + self.doubted;
        judged + self.failures.total() + self.skips.total()
    }

    fn watches(&mut self, origin: Origin) -> impl Iterator<Item = &mut Watch> {
        self.watches
            .iter_mut()
            .filter(move |watch| watch.witness().origin == origin)
    }

    pub(crate) fn add_rehearsal(&mut self, rehearsal: &Rehearsal) {
        self.watches(Origin::Rehearsal).for_each(|watch| {
            watch.see(&rehearsal.evidence);
        });
    }

    pub(crate) fn add_failure(&mut self, failure: &TrialFailure) {
        if failure.round == 0 {
            let reason = format!("the rehearsal gave nothing: {}", failure.reason);
            self.watches(Origin::Rehearsal)
                .for_each(|watch| watch.miss(&reason));
        } else if failure.remedy.is_some() {
            self.skips.add(&failure.reason, 1);
            self.remedy.clone_from(&failure.remedy);
        } else {
            self.failures.add(&failure.reason, 1);
        }
    }

    /// Takes in a trial; gives back whether it counts.
    pub(crate) fn add_trial(&mut self, trial: &Trial) -> bool {
        match self.judge_trial(trial) {
            Ok(summary) => {
                let counts = summary.is_some();
                self.summaries.extend(summary);
                counts
            }
            Err(reason) => {
                self.failures.add(&reason, 1);
                false
            }
        }
    }

    /// The summary of a trial that counts; `None` when it is set aside.
    fn judge_trial(&mut self, trial: &Trial) -> Result<Option<Summary>, String> {
        let shape = shape::check(trial, &self.point.estimator)?;
        let least = sample::least_samples(&self.point.estimator);
        let taken = self.take(trial, &shape, least);
        // A few batches that the gate left say nothing that a neighbour could not have caused.
        let enough = |(taken, _): &&(Taken, _)| taken.samples.len() >= least;
        let kept = taken.as_ref().ok().filter(enough);
        let broken = self.see(trial, kept.map(|(taken, _)| taken.linearity));
        let (taken, width) = taken?;
        if let Some((counter, Breach::OtherWork)) = &broken {
            self.set_aside
                .add(&evidence_of(counter), taken.batches_in_all.max(1));
            self.doubted += 1;
            return Ok(None);
        }
        self.gated(&taken);
        if taken.samples.len() >= least {
            let summary = Summary::of(trial, &shape, &taken, width);
            let Some((counter, _)) = broken else {
                return Ok(summary);
            };
            self.disturbed_trials
                .extend(summary.map(|summary| (counter, summary)));
            return Ok(None);
        }
        if taken.disturbed() == 0 {
            let had = count(taken.samples.len(), "sample", "samples");
            return Err(format!("the trial gave {had}, and needs {least}"));
        }
        self.starved += 1;
        Ok(None)
    }

    /// The batches of a trial and the core's width beside them. A trial of which sharing the core left too
    /// little is taken whole, as one on a shared core: whether it counts depends on the others.
    fn take(&self, trial: &Trial, shape: &Shape<'_>, least: usize) -> Result<(Taken, Option<f64>), String> {
        let gate = &self.point.gate;
        let taken = sample::take(&self.point, gate, trial, shape)?;
        if self.point.estimator == Estimator::Values {
            // One value is of the whole trial: what shared the core for a quarter of it is in the value.
            return Ok((taken, gate::worst_width(shape.main)));
        }
        if taken.samples.len() >= least || taken.beside_others() == 0 {
            return Ok((taken, gate::best_width(shape.main)));
        }
        let open = Gate {
            shared_core: None,
            ..*gate
        };
        let whole = sample::take(&self.point, &open, trial, shape)?;
        Ok((whole, gate::worst_width(shape.main)))
    }

    /// Shows the evidence to every witness, that of a trial of which the gate left too little (`None`) only to those
    /// that no neighbour can break; the first that is broken, one that speaks against the work before others.
    fn see(&mut self, trial: &Trial, kept: Option<Option<f64>>) -> Option<(String, Breach)> {
        let evidence = with_linearity(&trial.evidence, kept.flatten());
        let mut broken: Option<(String, Breach)> = None;
        for watch in self.watches(Origin::Trial) {
            let Witness { counter, breach, .. } = watch.witness().clone();
            let is_seen = kept.is_some() || breach == Breach::OtherWork;
            if !is_seen || watch.see(&evidence) {
                continue;
            }
            let first = broken
                .as_ref()
                .is_none_or(|(_, known)| *known != Breach::OtherWork);
            if broken.is_none() || first && breach == Breach::OtherWork {
                broken = Some((counter, breach));
            }
        }
        broken
    }

    /// This history as it is judged: `best` is the core's width at its best in the whole run.
    pub(crate) fn judged(&self, best: Option<f64>) -> Cow<'_, Self> {
        match self.with_disturbed_trials() {
            None => self.on_a_quiet_core(best),
            Some(all) => Cow::Owned(all.on_a_quiet_core(best).into_owned()),
        }
    }

    /// This history with the trials that broke a witness which a neighbour can break. They are set aside where
    /// enough others are left for an interval, or few are broken; otherwise all count, and the row says so.
    fn with_disturbed_trials(&self) -> Option<Self> {
        if self.disturbed_trials.is_empty() {
            return None;
        }
        let mut all = self.clone();
        let disturbed = std::mem::take(&mut all.disturbed_trials);
        let is_noisy = self.watches.iter().any(|watch| watch.noise().is_some());
        if self.summaries.is_empty() || is_noisy && self.summaries.len() < LEAST_TRIALS {
            all.summaries
                .extend(disturbed.into_iter().map(|(_, summary)| summary));
            all.summaries.sort_by_key(|summary| summary.value.round);
        } else {
            for (counter, summary) in disturbed {
                all.set_aside.add(&evidence_of(&counter), summary.batches.max(1));
                all.doubted += 1;
            }
        }
        Some(all)
    }

    fn gated(&mut self, taken: &Taken) {
        for (cause, batches) in Cause::ALL.iter().zip(taken.set_aside) {
            if batches > 0 {
                self.set_aside.add(&cause.words(&self.point.gate), batches);
            }
        }
        self.disturbed += taken.disturbed();
        self.batches_in_all += taken.batches_in_all;
    }

    /// This history without the trials during which the core was shared all the time: compared with
    /// `best`, the core's width at its best in the whole run. Where too few are left for an interval, all
    /// count, and are known to be crowded: a number with a mark says more than none.
    pub(crate) fn on_a_quiet_core(&self, best: Option<f64>) -> Cow<'_, Self> {
        let (Some(factor), Some(best)) = (self.point.gate.shared_core, best) else {
            return Cow::Borrowed(self);
        };
        let shared = |summary: &Summary| summary.width.is_some_and(|width| width > best * factor);
        let crowded = self.summaries.iter().filter(|summary| shared(summary)).count();
        if crowded == 0 {
            return Cow::Borrowed(self);
        }
        let mut quiet = self.clone();
        if self.summaries.len() - crowded < LEAST_TRIALS {
            quiet.crowded = crowded;
            return Cow::Owned(quiet);
        }
        let (aside, kept) = std::mem::take(&mut quiet.summaries).into_iter().partition(shared);
        quiet.summaries = kept;
        quiet.starved += Vec::len(&aside);
        quiet
            .set_aside
            .add(SHARED, aside.iter().map(|summary| summary.batches).sum());
        Cow::Owned(quiet)
    }

    /// Takes the last trial that counted back: it turned out to be impossible.
    pub(crate) fn retract(&mut self, reason: &str) {
        if self.summaries.pop().is_some() {
            self.failures.add(reason, 1);
        }
    }
}

/// Why the batches of a trial do not count that broke this witness.
fn evidence_of(counter: &str) -> String {
    format!("evidence: {counter}")
}
