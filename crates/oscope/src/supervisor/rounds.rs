//! The rounds: which point is tried next, what is journaled, when it is enough.

use super::executor::{Executor, Outcome};
use super::progress::Progress;
use super::reach::within_reach;
use super::recorder::Recorder;
use crate::placement::Cpus;
use measure::Point;
use record::{
    Directory, EndReason, Line, PeerLink, Plan, PlannedPoint, PointId, Purpose, Record, Reply, Request,
    RoundEnd, Settings, Trial, TrialFailure, Trigger, TriggerRequest,
};
use report::LiveState;
use std::collections::BTreeSet;
use std::time::Instant;

/// Longest wait of one trial for a quiet core, in nanoseconds: neighbours come and go within milliseconds, and phases in
/// which they never go last longer than anybody would wait.
pub(super) const LONGEST_WAIT_NS: u64 = 200_000_000;

/// By this factor intervals become sharper than asked in time that no point can use to become narrow.
const SHARPER: f64 = 3.0;

/// Share of a run's time that may be spent waiting, and what may be spent at once at its beginning.
const WAITING: f64 = 0.4;
const FIRST_WAITS_NS: u64 = 1_000_000_000;

/// What was done before the run was taken up again.
#[derive(Debug, Default)]
pub struct Done {
    /// Complete rounds.
    rounds: u32,
    /// Nanoseconds that they took.
    elapsed_ns: u64,
    /// Points tried in the round that was not finished.
    in_flight: BTreeSet<PointId>,
    /// Points that were rehearsed.
    rehearsed: BTreeSet<PointId>,
}

impl Done {
    /// What stands in a record.
    pub fn in_record(record: &Record) -> Self {
        let rounds = record.rounds.iter().map(|end| end.round).max().unwrap_or(0);
        let trials = record
            .trials
            .iter()
            .map(|trial| (trial.round, &trial.id, trial.started_ns));
        let failures = record
            .failures
            .iter()
            .map(|failure| (failure.round, &failure.id, 0));
        let later: Vec<_> = trials
            .chain(failures)
            .filter(|(round, ..)| *round > rounds)
            .collect();
        let ends = record.rounds.iter().map(|end| end.at_ns);
        Self {
            rounds,
            elapsed_ns: ends.chain(later.iter().map(|(.., at)| *at)).max().unwrap_or(0),
            in_flight: later.iter().map(|(_, id, _)| (*id).clone()).collect(),
            rehearsed: record
                .rehearsals
                .iter()
                .map(|rehearsal| rehearsal.id.clone())
                .collect(),
        }
    }
}

/// What a supervisor is to do.
#[derive(Clone, Copy)]
pub struct Orders<'a> {
    /// The points and the settings.
    pub plan: &'a Plan,
    /// Where the actors run.
    pub cpus: &'a Cpus,
    /// How long the batches of one trial of a point may take.
    pub spend_ns: &'a dyn Fn(&PointId) -> u64,
    /// The other end, for the points that need one.
    pub peer: Option<&'a PeerLink>,
    /// Where files are measured, if any are.
    pub directory: Option<&'a Directory>,
    /// Where files on a remote file system are measured, if any are.
    pub remote_directory: Option<&'a Directory>,
}

/// Runs the rounds of a plan.
pub struct Supervisor<'a> {
    orders: Orders<'a>,
    settings: Settings,
    executor: &'a mut dyn Executor,
    recorder: &'a mut Recorder,
    progress: &'a mut dyn Progress,
    /// Trials that each point is likely to need still; none where it is closed.
    to_go: Vec<f64>,
    /// What the last trial of each point took, in nanoseconds, from asking to the answer.
    trial_ns: Vec<f64>,
    started: Instant,
    done: Done,
}

impl<'a> Supervisor<'a> {
    /// A supervisor that goes on after what is done already.
    pub fn new(
        orders: Orders<'a>,
        executor: &'a mut dyn Executor,
        recorder: &'a mut Recorder,
        progress: &'a mut dyn Progress,
        done: Done,
    ) -> Self {
        let (settings, started) = (orders.plan.settings.clone(), Instant::now());
        let trial_ns = vec![0.0; orders.plan.points.len()];
        let mut supervisor = Self {
            orders,
            settings,
            executor,
            recorder,
            progress,
            to_go: Vec::new(),
            trial_ns,
            started,
            done,
        };
        supervisor.look_again();
        supervisor
    }

    /// Takes in what a whole round has changed.
    fn look_again(&mut self) {
        self.to_go = self.recorder.analyst().trials_to_go(self.settings.precision);
    }

    fn elapsed_ns(&self) -> u64 {
        self.done.elapsed_ns + u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn budget_is_spent(&self) -> bool {
        self.elapsed_ns() as f64 * 1e-9 >= self.settings.budget_s
    }

    /// Runs rounds until every point is narrow enough, the budget is spent, or the user has had enough.
    /// Gives why it ended and when, in nanoseconds since the run began.
    pub fn run(&mut self) -> (EndReason, u64) {
        let reason = self.rounds();
        self.progress.finish();
        (reason, self.elapsed_ns())
    }

    fn rounds(&mut self) -> EndReason {
        for round in self.done.rounds + 1..=self.settings.most_rounds {
            let open = self.open(&self.to_go);
            if open.is_empty() {
                return EndReason::Narrow;
            }
            if let Some(reason) = self.round(round, open) {
                return reason;
            }
            self.recorder.append(&Line::Round(RoundEnd {
                round,
                at_ns: self.elapsed_ns(),
            }));
            self.look_again();
            self.show(round, None, true);
        }
        EndReason::Rounds
    }

    /// The points that need another trial, by their place in the plan.
    fn open(&self, to_go: &[f64]) -> Vec<usize> {
        let tried = self.orders.plan.points.iter().zip(to_go).enumerate();
        let open = tried.filter(|(_, (point, to_go))| point.skip.is_none() && **to_go > 0.0);
        open.map(|(index, _)| index).collect()
    }

    /// Of the open points those that are tried in a round: after the first, those of which the least number of rounds fits
    /// into the time that is left; once that is over, those that can become narrow in it. Where none can, the time goes to
    /// all whose interval could be sharper.
    fn worthwhile(&self, round: u32, open: Vec<usize>) -> Vec<usize> {
        let left_ns = self.settings.budget_s * 1e9 - self.elapsed_ns() as f64;
        let of = |all: &[f64], index: usize| all.get(index).copied().unwrap_or_default();
        if round <= self.settings.least_rounds {
            let rounds = f64::from(self.settings.least_rounds - round + 1);
            return match round {
                1 => open,
                _ => within_reach(open, left_ns, |index| rounds * of(&self.trial_ns, index)),
            };
        }
        let need = |index| of(&self.to_go, index) * of(&self.trial_ns, index);
        let narrow = within_reach(open, left_ns, need);
        if !narrow.is_empty() {
            return narrow;
        }
        let sharper = self
            .recorder
            .analyst()
            .trials_to_go(self.settings.precision / SHARPER);
        self.open(&sharper)
    }

    /// One trial of every open point in shuffled order; gives why the run ends, if it ends in this round.
    fn round(&mut self, round: u32, open: Vec<usize>) -> Option<EndReason> {
        let mut open = self.worthwhile(round, open);
        let mut order = fastrand::Rng::with_seed(mixed(self.settings.seed, u64::from(round)));
        order.shuffle(&mut open);
        for index in open {
            let Some(point) = self.orders.plan.points.get(index) else {
                continue;
            };
            if self.executor.interrupted() {
                return Some(EndReason::Interrupted);
            }
            // The first round is always finished: a table with holes is no table.
            if round > 1 && self.budget_is_spent() {
                return Some(EndReason::Budget);
            }
            self.show(round, Some(&point.id), false);
            let before_ns = self.elapsed_ns();
            if self.attempt(round, index, point).is_none() {
                return Some(EndReason::Interrupted);
            }
            let after_ns = self.elapsed_ns();
            if let Some(took) = self.trial_ns.get_mut(index) {
                *took = after_ns.saturating_sub(before_ns) as f64;
            }
        }
        self.done.in_flight.clear();
        None
    }

    /// One trial of a point, after its rehearsal if there was none yet; `None` when the user did not wait
    /// for the end of it.
    fn attempt(&mut self, round: u32, index: usize, point: &PlannedPoint) -> Option<()> {
        let placement = Point::parse(&point.id.point).and_then(|parsed| parsed.placement());
        let mut request = Request {
            protocol: measure::worker::PROTOCOL,
            purpose: Purpose::Rehearsal,
            id: point.id.clone(),
            cpu: self.settings.cpu,
            peer_cpu: placement.and_then(|placement| self.orders.cpus.peer(placement)),
            seed: mixed(mixed(self.settings.seed, u64::from(round)), index as u64),
            spend_ns: (self.orders.spend_ns)(&point.id),
            trigger: self.trigger(),
            peer: self.orders.peer.cloned(),
            directory: self.orders.directory.cloned(),
            remote_directory: self.orders.remote_directory.cloned(),
        };
        if !self.done.rehearsed.contains(&point.id) {
            self.ask(0, &request)?;
            self.done.rehearsed.insert(point.id.clone());
        }
        request.purpose = Purpose::Trial;
        // Another point may have been measured together with this one.
        if self.done.in_flight.remove(&point.id) {
            return Some(());
        }
        self.ask(round, &request)
    }

    /// What the next worker knows of quiet cores, and how long it may wait for one.
    fn trigger(&self) -> TriggerRequest {
        let left = FIRST_WAITS_NS + (WAITING * self.elapsed_ns() as f64) as u64;
        let left = left.saturating_sub(self.recorder.waited_ns());
        TriggerRequest {
            timeout_ns: (self.settings.trigger == Trigger::Quiet).then(|| left.min(LONGEST_WAIT_NS)),
            quiet: self.recorder.analyst().quiet_ratios(),
        }
    }

    /// Asks a worker, and journals what comes of it; nothing when it was abandoned.
    fn ask(&mut self, round: u32, request: &Request) -> Option<()> {
        let started_ns = self.elapsed_ns();
        let failed = |id: &PointId, reason: String, remedy: Option<String>| {
            Line::Failure(TrialFailure {
                round,
                id: id.clone(),
                reason,
                remedy,
            })
        };
        let at = |mut trial: Box<Trial>| {
            (trial.round, trial.started_ns) = (round, started_ns);
            Line::Trial(trial)
        };
        let lines = match self.executor.perform(request) {
            Outcome::Abandoned => return None,
            Outcome::Reply(Reply::Trial(trial)) => vec![at(trial)],
            Outcome::Reply(Reply::Together { trials, absent }) => {
                let ids = trials
                    .iter()
                    .map(|trial| &trial.id)
                    .chain(absent.iter().map(|(id, _)| id));
                let others = ids.filter(|id| **id != request.id).cloned();
                self.done.in_flight.extend(others);
                let absent = absent
                    .into_iter()
                    .map(|(id, skip)| failed(&id, skip.reason, Some(skip.remedy)));
                trials.into_iter().map(Box::new).map(at).chain(absent).collect()
            }
            Outcome::Reply(Reply::Rehearsal(rehearsal)) => vec![Line::Rehearsal(rehearsal)],
            Outcome::Reply(Reply::Skipped(skip)) => vec![failed(&request.id, skip.reason, Some(skip.remedy))],
            Outcome::Reply(Reply::Failed { reason }) | Outcome::Broken(reason) => {
                vec![failed(&request.id, reason, None)]
            }
        };
        lines.iter().for_each(|line| self.recorder.append(line));
        Some(())
    }

    fn show(&mut self, round: u32, current: Option<&PointId>, round_is_over: bool) {
        if !self.progress.wants(round_is_over) {
            return;
        }
        // Predictions and bounds tie points to each other, so that one trial can change several rows.
        let rows = self.recorder.analyst().snapshot();
        let tried = self
            .orders
            .plan
            .points
            .iter()
            .zip(&self.to_go)
            .filter(|(point, _)| point.skip.is_none());
        let closed = tried.clone().filter(|(_, to_go)| **to_go <= 0.0).count();
        let state = LiveState {
            round,
            elapsed_s: self.elapsed_ns() as f64 * 1e-9,
            budget_s: self.settings.budget_s,
            closed,
            total: tried.count(),
            current,
            rows: &rows,
        };
        self.progress.show(&state, round_is_over);
    }
}

/// A seed from two numbers.
fn mixed(seed: u64, with: u64) -> u64 {
    sys::random::mix(seed ^ with.wrapping_mul(sys::random::STEP))
}
