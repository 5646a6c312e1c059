//! What comes in of a run, line by line: whether it belongs to this analyst's environment, and can be true.

use super::{Analyst, LastTrial};
use crate::rows::failure::Failure;
use crate::run::run_placements;
use crate::samples::plausibility;
use record::{Line, MachineChange, Plan, PointId, Prediction, Record, Rehearsal, Trial, TrialFailure};

/// The clock of a worker that does not trust the counter. An emulator or a sandbox makes it too slow to find the core's by it.
const KERNEL_CLOCK: &str = "monotonic_raw";

/// Places of a curve that are kept at most.
const MAX_CURVE: usize = 256;

impl Analyst {
    /// What a record holds of the native environment, judged by this plan: the record's own, or one with other settings.
    pub fn from_record(record: &Record, plan: &Plan) -> Self {
        Analyst::new(plan, &record.machine).with(record)
    }

    /// The same analyst, who knows what a record holds.
    #[must_use]
    pub fn with(mut self, record: &Record) -> Self {
        record.predictions.iter().for_each(|(id, prediction)| self.predict(id, prediction));
        record.rehearsals.iter().for_each(|rehearsal| self.add_rehearsal(rehearsal));
        self.add_attempts(record);
        self.disturbances.extend(record.disturbances.iter().cloned());
        record.rounds.iter().for_each(|round| self.end_round(round.round));
        if let Some(ended_ns) = record.rounds.iter().map(|round| round.at_ns).max() {
            self.trials_ended_by(ended_ns);
        }
        self
    }

    /// Takes in the trials of a record, and those that gave nothing, each in the state in which the machine was then.
    fn add_attempts(&mut self, record: &Record) {
        let (mut trials, mut failures) = (record.trials.iter().peekable(), record.failures.iter().peekable());
        for change in &record.changes {
            while let Some(failure) = failures.next_if(|failure| failure.started_ns < change.at_ns) {
                self.add_failure(failure);
            }
            while let Some(trial) = trials.next_if(|trial| trial.started_ns < change.at_ns) {
                self.add_trial(trial);
            }
            self.change(change);
        }
        failures.for_each(|failure| self.add_failure(failure));
        trials.for_each(|trial| self.add_trial(trial));
    }

    /// Facts of the machine changed: what is tried from now on is another state.
    fn change(&mut self, change: &MachineChange) {
        self.last = None;
        self.states.change(change);
    }

    /// Takes in a line of a record.
    pub fn add(&mut self, line: &Line) {
        match line {
            Line::Rehearsal(rehearsal) => self.add_rehearsal(rehearsal),
            Line::Trial(trial) => self.add_trial(trial),
            Line::Failure(failure) => self.add_failure(failure),
            Line::Round(round) => {
                self.trials_ended_by(round.at_ns);
                self.end_round(round.round);
            }
            Line::Prediction { id, prediction } => self.predict(id, prediction),
            Line::Change(change) => self.change(change),
            Line::Disturbance(disturbance) => self.disturbances.push(disturbance.clone()),
            Line::Header(_)
            | Line::Machine(_)
            | Line::Peer(_)
            | Line::Plan(_)
            | Line::Resumed { .. }
            | Line::End(_)
            | Line::Summary(_) => {}
        }
    }

    /// Whether a point is of its environment.
    fn is_here(&self, id: &PointId) -> bool {
        id.environment.as_deref() == self.environment.as_ref().map(|here| here.name.as_str())
    }

    /// Whether the worker of a trial saw something of its environment: a worker that saw itself as a native one does had
    /// escaped. Where nothing differs, nothing can be said.
    fn was_here(&self, trial: &Trial) -> bool {
        let differs = self.environment.as_ref().map_or(&[][..], |here| &here.differs);
        let mut seen = differs.iter().filter(|change| {
            let value = trial.attributes.get(&change.name);
            value.map_or("", String::as_str) != change.native
        });
        differs.is_empty() || !trial.attributes.is_empty() && seen.next().is_some()
    }

    /// What a point should cost; replaces what was said of it before.
    pub fn predict(&mut self, id: &PointId, prediction: &Prediction) {
        // What is predicted natively is made of other parts in an environment, and holds there.
        if let Some(place) = self.place(id) {
            self.states.all(place).for_each(|history| history.prediction = prediction.clone());
        }
    }

    /// What the tracer saw.
    pub fn add_rehearsal(&mut self, rehearsal: &Rehearsal) {
        if self.is_here(&rehearsal.id)
            && let Some(place) = self.place(&rehearsal.id)
        {
            self.states.all(place).for_each(|history| history.add_rehearsal(rehearsal));
        }
    }

    /// Keeps the first curve of a point, with as many places as a drawing has room for.
    fn keep_curve(&mut self, trial: &Trial) {
        let curve = trial.series.iter().find(|series| !series.places.is_empty());
        let place = self.places.get(&trial.id.within(None)).copied();
        if let (Some(series), Some(place)) = (curve, place) {
            let pairs = series.places.iter().copied().zip(series.values.iter().copied());
            if self.states.all(place).next().is_some_and(|history| history.point.pairs) {
                let kept = self.pairs.entry(place).or_default();
                return pairs.for_each(|(pair, value)| kept.entry(pair as u64).or_default().push(value));
            }
            let step = series.places.len().div_ceil(MAX_CURVE);
            self.curves.entry(place).or_insert_with(|| pairs.step_by(step).collect());
        }
    }

    /// A trial with its batches; of points that are not planned it is only counted.
    pub fn add_trial(&mut self, trial: &Trial) {
        self.check_last(trial.started_ns);
        if !self.is_here(&trial.id) {
            return;
        }
        self.look(trial);
        self.lines.extend(run_placements::line(trial));
        self.count_waiting(trial);
        self.keep_curve(trial);
        let was_here = self.was_here(trial);
        let without_clock = (self.environment.is_some() && trial.clock == KERNEL_CLOCK)
            .then(|| Trial { core_hz: None, ..trial.clone() });
        let trial = without_clock.as_ref().unwrap_or(trial);
        let Some(place) = self.place(&trial.id) else {
            return;
        };
        let is_unbound = self.is_unbound(trial);
        let Some(history) = self.states.current(place) else {
            return;
        };
        if !was_here || is_unbound {
            history.fail(if was_here { Failure::Unbound } else { Failure::Escaped });
            return;
        }
        let counts = history.add_trial(trial);
        if counts {
            self.keep_tail(trial, place);
        }
        let (started_ns, lasted_ns) = (trial.started_ns, plausibility::total_ns(trial));
        self.last = counts.then_some(LastTrial { place, started_ns, lasted_ns });
    }

    /// Whether the CPU of a trial was lost: workers of this run could be bound to it before. Where none ever was, binding is
    /// denied here, and the rows say so.
    fn is_unbound(&mut self, trial: &Trial) -> bool {
        self.was_bound |= trial.pinned;
        self.was_bound && !trial.pinned && self.environment.is_none()
    }

    /// A trial that gave nothing.
    pub fn add_failure(&mut self, failure: &TrialFailure) {
        if self.is_here(&failure.id)
            && let Some(place) = self.place(&failure.id)
        {
            self.states.add_failure(place, failure);
        }
    }

    /// Every trial so far was over at this moment, in nanoseconds since the start of the run: the last one, too, after which
    /// none begins.
    pub fn trials_ended_by(&mut self, now_ns: u64) {
        self.check_last(now_ns);
    }

    /// A round is complete.
    pub fn end_round(&mut self, round: u32) {
        self.rounds = self.rounds.max(round);
    }
}
