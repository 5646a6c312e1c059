//! What is kept of a point while its trials come in: samples, counts and causes, never batches.

use crate::evidence::witness_counts::{LINEARITY, WitnessCounts, read};
use crate::rows::failure::{Cause, Failure, Impossible, Unread};
use crate::samples::cause_counts::CauseCounts;
use crate::samples::sample::{LEAST_FOR_LINEARITY, Taken};
use crate::samples::summary::TrialSamples;
use crate::samples::{plausibility, sample};
use crate::thresholds::LEAST_TRIALS;
use record::{Breach, Origin, PlannedPoint, Prediction, Rehearsal, Trial, TrialFailure, Witness};
use std::borrow::Cow;

/// A point and all that happened to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// What was planned.
    pub(crate) point: PlannedPoint,
    /// What was predicted.
    pub(crate) prediction: Prediction,
    /// Its witnesses.
    pub(crate) watches: Vec<WitnessCounts>,
    /// The trials whose evidence held, in the order in which they came.
    pub(crate) trials: Vec<TrialSamples>,
    /// Batches that do not count, by cause.
    pub(crate) set_aside: CauseCounts<Cause>,
    /// Batches set aside for a cause of their own.
    pub(crate) disturbed: usize,
    /// Batches of all trials whose evidence held.
    pub(crate) batches_in_all: usize,
    /// Trials of which the gate left too little.
    pub(crate) starved: usize,
    /// Trials whose evidence did not hold.
    pub(crate) doubted: usize,
    /// Trials that broke only witnesses that a neighbour can break, each with the counter.
    pub(crate) disturbed_trials: Vec<(String, TrialSamples)>,
    /// Trials that went wrong, by reason.
    pub(crate) failures: CauseCounts<Failure>,
    /// Trials whose needs were not met, by reason.
    pub(crate) skips: CauseCounts<String>,
    /// What would meet those needs.
    pub(crate) remedy: Option<String>,
}

impl History {
    pub(crate) fn new(point: &PlannedPoint) -> Self {
        Self {
            point: point.clone(),
            watches: point.witnesses.iter().map(WitnessCounts::new).collect(),
            ..Self::default()
        }
    }

    /// Trials that were tried, whatever came of them.
    pub(crate) fn attempts(&self) -> usize {
        let judged = self.trials.len() + self.disturbed_trials.len() + self.starved + self.doubted;
        judged + self.failures.total() + self.skips.total()
    }

    fn watches(&mut self, origin: Origin) -> impl Iterator<Item = &mut WitnessCounts> {
        self.watches.iter_mut().filter(move |watch| watch.witness.origin == origin)
    }

    pub(crate) fn add_rehearsal(&mut self, rehearsal: &Rehearsal) {
        self.watches(Origin::Rehearsal).for_each(|watch| {
            watch.see(read(&watch.witness.counter, &rehearsal.evidence));
        });
    }

    pub(crate) fn add_failure(&mut self, failure: &TrialFailure) {
        if failure.round == 0 {
            let why = Unread::RehearsalFailed(failure.reason.clone());
            self.watches(Origin::Rehearsal).for_each(|watch| watch.miss(why.clone()));
        } else if failure.remedy.is_some() {
            self.skips.add(failure.reason.clone(), 1);
            self.remedy.clone_from(&failure.remedy);
        } else {
            self.failures.add(Failure::Reported(failure.reason.clone()), 1);
        }
    }

    /// Takes in a trial; returns whether it counts.
    pub(crate) fn add_trial(&mut self, trial: &Trial) -> bool {
        match self.judge_trial(trial) {
            Ok(samples) => {
                let counts = samples.is_some();
                self.trials.extend(samples);
                counts
            }
            Err(failure) => {
                self.failures.add(failure, 1);
                false
            }
        }
    }

    /// The samples of a trial that counts; `None` when it is set aside.
    fn judge_trial(&mut self, trial: &Trial) -> Result<Option<TrialSamples>, Failure> {
        let shape = plausibility::check(trial, &self.point.estimator)?;
        let least = sample::least_samples(&self.point.estimator);
        let taken = sample::take(&self.point, &self.point.gate, trial, &shape);
        // A few batches that the gate left say nothing that a neighbour could not have caused.
        let kept = taken.as_ref().ok().filter(|taken| taken.samples.len() >= least);
        let proportion =
            |taken: &Taken| taken.linearity.filter(|_| taken.samples.len() >= LEAST_FOR_LINEARITY);
        let broken = self.see(trial, kept.map(proportion));
        let taken = taken?;
        if let Some((counter, Breach::OtherWork)) = &broken {
            self.set_aside.add(Cause::Witness(counter.clone()), taken.batches_in_all.max(1));
            self.doubted += 1;
            return Ok(None);
        }
        self.gated(&taken);
        if taken.samples.len() >= least {
            let samples = TrialSamples::new(trial, &shape, &taken, self.point.quantity);
            let Some((counter, _)) = broken else {
                return Ok(Some(samples));
            };
            self.disturbed_trials.push((counter, samples));
            return Ok(None);
        }
        if taken.disturbed() == 0 {
            return Err(Failure::TooFewSamples(taken.samples.len(), least));
        }
        self.starved += 1;
        Ok(None)
    }

    /// Shows the evidence to every witness, that of a trial of which the gate left too little (`None`) only to those
    /// that no neighbour can break; the first that is broken, one that speaks against the work before others.
    pub(crate) fn see(&mut self, trial: &Trial, kept: Option<Option<f64>>) -> Option<(String, Breach)> {
        let mut broken: Option<(String, Breach)> = None;
        for watch in self.watches(Origin::Trial) {
            let Witness { counter, breach, .. } = watch.witness.clone();
            let is_seen = kept.is_some() || breach == Breach::OtherWork;
            // Linearity is what the triples of the trial show, whatever it claims.
            let count = match counter.as_str() {
                LINEARITY => kept.flatten().ok_or(Unread::NoTriples),
                _ => read(&counter, &trial.evidence),
            };
            if !is_seen || watch.see(count) {
                continue;
            }
            let first = broken.as_ref().is_none_or(|(_, known)| *known != Breach::OtherWork);
            if broken.is_none() || first && breach == Breach::OtherWork {
                broken = Some((counter, breach));
            }
        }
        broken
    }

    /// This history with the trials that broke a witness which a neighbour can break. They are set aside where
    /// enough others are left for an interval, or few are broken; otherwise all count, and the row says so.
    pub(crate) fn judged(&self) -> Cow<'_, Self> {
        if self.disturbed_trials.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut all = self.clone();
        let disturbed = std::mem::take(&mut all.disturbed_trials);
        let is_noisy = self.watches.iter().any(|watch| watch.noise().is_some());
        if self.trials.is_empty() || is_noisy && self.trials.len() < LEAST_TRIALS {
            all.trials.extend(disturbed.into_iter().map(|(_, trial)| trial));
            all.trials.sort_by_key(|trial| trial.round);
        } else {
            for (counter, trial) in disturbed {
                all.set_aside.add(Cause::Witness(counter), trial.batches().max(1));
                all.doubted += 1;
            }
        }
        Cow::Owned(all)
    }

    /// A trial that cannot count, whatever it measured.
    pub(crate) fn fail(&mut self, why: Failure) {
        self.failures.add(why, 1);
    }

    /// The same point in another state of the machine, before its first trial.
    pub(crate) fn untried(&self) -> Self {
        let watches = self.watches.iter().map(|watch| match watch.witness.origin {
            Origin::Rehearsal => watch.clone(),
            Origin::Trial => WitnessCounts::new(&watch.witness),
        });
        Self {
            point: self.point.clone(),
            prediction: self.prediction.clone(),
            watches: watches.collect(),
            ..Self::default()
        }
    }

    /// Leaves out the trials that began at this time or later: the machine changed meanwhile.
    pub(crate) fn forget_since(&mut self, started_ns: u64) {
        let late = self.trials.extract_if(.., |trial| trial.started_ns >= started_ns);
        let mut batches: usize = late.map(|trial| trial.batches()).sum();
        let late = self.disturbed_trials.extract_if(.., |(_, trial)| trial.started_ns >= started_ns);
        batches += late.map(|(_, trial)| trial.batches()).sum::<usize>();
        self.set_aside.add(Cause::MachineChanged, batches);
    }

    /// Leaves out a failure, which came while the machine changed.
    pub(crate) fn forget_failure(&mut self, failure: &TrialFailure) {
        if failure.remedy.is_some() {
            self.skips.remove(&failure.reason);
        } else {
            self.failures.remove(&Failure::Reported(failure.reason.clone()));
        }
    }

    fn gated(&mut self, taken: &Taken) {
        for (cause, batches) in taken.set_aside.iter() {
            self.set_aside.add(cause.clone(), batches);
        }
        self.disturbed += taken.disturbed();
        self.batches_in_all += taken.batches_in_all;
    }

    /// Takes the last trial that counted back: its batches last longer than it did.
    pub(crate) fn retract(&mut self) {
        if self.trials.pop().is_some() {
            self.failures.add(Impossible::LongerThanTrial.into(), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tests::{kept_of_values, trial_of_values};
    use record::{Counted, Estimator, Evidence, PointId};

    /// A witness that nothing was counted.
    fn nothing(counter: &str, breach: Breach) -> Witness {
        Witness { counter: counter.to_owned(), breach, ..Witness::default() }
    }

    /// A history of a point with these witnesses.
    fn history(witnesses: Vec<Witness>) -> History {
        let estimator = Estimator::Values;
        History::new(&PlannedPoint { estimator, witnesses, ..PlannedPoint::new(PointId::new("a.b", "")) })
    }

    /// A trial of one value in which each of these was counted once per iteration.
    fn trial(counters: &[&str]) -> Trial {
        let evidence = counters.iter().map(|counter| Evidence {
            counter: (*counter).to_owned(),
            counted: Counted::Count { count: 2.0, iterations: 2.0 },
        });
        Trial { evidence: evidence.collect(), ..trial_of_values(1, &[5.0]) }
    }

    #[test]
    fn attempts_are_all_trials_whatever_came_of_them() {
        let kept = kept_of_values(1, &[1.0]);
        let mut history = History {
            trials: vec![kept.clone()],
            disturbed_trials: vec![(String::new(), kept); 2],
            starved: 4,
            doubted: 8,
            ..History::default()
        };
        history.failures.add(Failure::Escaped, 16);
        history.skips.add(String::new(), 32);
        assert_eq!(history.attempts(), 63);
    }

    #[test]
    fn a_trial_of_other_work_is_set_aside_and_a_disturbed_one_is_kept_for_later() {
        for (breach, kept, disturbed, doubted) in
            [(Breach::OtherWork, 0, 0, 2), (Breach::IfConsistent, 0, 2, 0), (Breach::Noise, 0, 2, 0)]
        {
            let mut history = history(vec![nothing("switches", breach)]);
            assert!(!history.add_trial(&trial(&["switches"])) && !history.add_trial(&trial(&["switches"])));
            let found = (history.trials.len(), history.disturbed_trials.len(), history.doubted);
            assert_eq!(found, (kept, disturbed, doubted), "{breach:?}");
        }
        let mut history = history(vec![nothing("switches", Breach::OtherWork)]);
        assert!(history.add_trial(&trial(&[])));
        assert_eq!((history.trials.len(), history.doubted), (1, 0));
    }

    #[test]
    fn the_first_broken_witness_counts_but_one_of_other_work_comes_before_others() {
        use Breach::{IfConsistent, Noise, OtherWork};
        let counters = ["first", "second", "third"];
        for (breaches, kept, expected) in [
            (&[Noise][..], Some(None), Some(("first", Noise))),
            (&[Noise, IfConsistent], Some(None), Some(("first", Noise))),
            (&[Noise, OtherWork, OtherWork], Some(None), Some(("second", OtherWork))),
            (&[OtherWork, Noise, OtherWork], Some(None), Some(("first", OtherWork))),
            (&[], Some(None), None),
            // Of a trial of which the gate left too little, those that a neighbour can break say nothing.
            (&[Noise, IfConsistent], None, None),
            (&[Noise, IfConsistent, OtherWork], None, Some(("third", OtherWork))),
        ] {
            let witnesses = counters.iter().zip(breaches).map(|(counter, breach)| nothing(counter, *breach));
            let broken = history(witnesses.collect()).see(&trial(&counters), kept);
            let expected = expected.map(|(counter, breach)| (counter.to_owned(), breach));
            assert_eq!(broken, expected, "{breaches:?} {kept:?}");
        }
    }

    #[test]
    fn disturbed_trials_count_where_no_others_are_there_or_too_few_of_a_noisy_point() {
        for (quiet, is_noisy, rounds, set_aside) in [
            (0, false, &[1, 9][..], false),
            (0, true, &[1, 9], false),
            (1, false, &[3], true),
            (5, false, &[3, 4, 5, 6, 7], true),
            (5, true, &[1, 3, 4, 5, 6, 7, 9], false),
            (6, true, &[3, 4, 5, 6, 7, 8], true),
            (7, true, &[3, 4, 5, 6, 7, 8, 9], true),
        ] {
            let mut history = history(vec![nothing("switches", Breach::Noise)]);
            // Broken in two of two trials, or in none.
            for _ in 0..2 {
                history.watches.iter_mut().for_each(|watch| {
                    watch.see(Ok(f64::from(u8::from(is_noisy))));
                });
            }
            history.trials = (0..quiet).map(|at| kept_of_values(3 + at, &[1.0])).collect();
            let disturbed = [9, 1].map(|round| ("switches".to_owned(), kept_of_values(round, &[2.0; 4])));
            history.disturbed_trials = disturbed.to_vec();
            let judged = history.judged();
            let found: Vec<u32> = judged.trials.iter().map(|trial| trial.round).collect();
            assert_eq!(found, rounds, "{quiet} {is_noisy}");
            let expected = if set_aside { (2, 8) } else { (0, 0) };
            assert_eq!((judged.doubted, judged.set_aside.total()), expected, "{quiet} {is_noisy}");
            assert!(judged.disturbed_trials.is_empty());
        }
    }
}
