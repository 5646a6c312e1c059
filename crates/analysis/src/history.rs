//! What is kept of a point while its trials come in: samples, counts and causes, never batches.

use crate::evidence::{Watch, with_linearity};
use crate::gate::Cause;
use crate::sample::{self, LEAST_FOR_LINEARITY, Taken};
use crate::shape;
use crate::summary::TrialSamples;
use crate::tally::Tally;
use crate::wording::count;
use record::{Origin, PlannedPoint, Prediction, Rehearsal, Trial, TrialFailure};

/// A point and all that happened to it.
#[derive(Debug, Clone)]
pub(crate) struct History {
    /// What was planned.
    pub(crate) point: PlannedPoint,
    /// What was predicted.
    pub(crate) prediction: Prediction,
    /// Its witnesses.
    pub(crate) watches: Vec<Watch>,
    /// The trials whose evidence held, in the order in which they came.
    pub(crate) trials: Vec<TrialSamples>,
    /// Batches that do not count, by cause.
    pub(crate) set_aside: Tally,
    /// Batches set aside for a cause of their own.
    pub(crate) disturbed: usize,
    /// Batches of all trials whose evidence held.
    pub(crate) batches_in_all: usize,
    /// Trials of which the gate left too little.
    pub(crate) starved: usize,
    /// Trials whose evidence did not hold.
    pub(crate) doubted: usize,
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
            trials: Vec::new(),
            set_aside: Tally::default(),
            disturbed: 0,
            batches_in_all: 0,
            starved: 0,
            doubted: 0,
            failures: Tally::default(),
            skips: Tally::default(),
            remedy: None,
        }
    }

    /// Trials that were tried, whatever came of them.
    pub(crate) fn attempts(&self) -> usize {
        self.trials.len() + self.starved + self.doubted + self.failures.total() + self.skips.total()
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
            Ok(samples) => {
                let counts = samples.is_some();
                self.trials.extend(samples);
                counts
            }
            Err(reason) => {
                self.failures.add(&reason, 1);
                false
            }
        }
    }

    /// The samples of a trial that counts; `None` when it is set aside.
    fn judge_trial(&mut self, trial: &Trial) -> Result<Option<TrialSamples>, String> {
        let shape = shape::check(trial, &self.point.estimator)?;
        let least = sample::least_samples(&self.point.estimator);
        let taken = sample::take(&self.point, &self.point.gate, trial, &shape);
        // A few triples that the gate left say nothing about proportion.
        let enough = |taken: &&Taken| taken.samples.len() >= LEAST_FOR_LINEARITY;
        let linearity = taken
            .as_ref()
            .ok()
            .filter(enough)
            .and_then(|taken| taken.linearity);
        let broken = self.see(trial, linearity);
        let taken = taken?;
        if let Some(counter) = broken {
            self.set_aside
                .add(&format!("evidence: {counter}"), taken.batches_in_all.max(1));
            self.doubted += 1;
            return Ok(None);
        }
        self.gated(&taken);
        if taken.samples.len() >= least {
            return Ok(Some(TrialSamples::of(trial, &shape, &taken, self.point.quantity)));
        }
        if taken.disturbed() == 0 {
            let had = count(taken.samples.len(), "sample", "samples");
            return Err(format!("the trial gave {had}, and needs {least}"));
        }
        self.starved += 1;
        Ok(None)
    }

    /// Shows the evidence to every witness; the counter of the first that is broken.
    fn see(&mut self, trial: &Trial, linearity: Option<f64>) -> Option<String> {
        let evidence = with_linearity(&trial.evidence, linearity);
        let mut broken = None;
        for watch in self.watches(Origin::Trial) {
            if !watch.see(&evidence) && broken.is_none() {
                broken = Some(watch.witness().counter.clone());
            }
        }
        broken
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

    /// Takes the last trial that counted back: it turned out to be impossible.
    pub(crate) fn retract(&mut self, reason: &str) {
        if self.trials.pop().is_some() {
            self.failures.add(reason, 1);
        }
    }
}
