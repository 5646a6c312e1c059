//! The rounds: which point is tried next, what is journaled, when it is enough.

use super::laboratory::{Laboratory, Outcome};
use super::progress::Progress;
use crate::placement::Cpus;
use analysis::Analyst;
use measure::Point;
use record::{
    Directory, EndReason, Journal, JournalError, Line, PeerLink, Plan, PlannedPoint, PointId, Purpose,
    Record, Reply, Request, RoundEnd, Settings, Trial, TrialFailure, Trigger, TriggerRequest,
};
use report::LiveState;
use std::collections::BTreeSet;
use std::time::Instant;

/// Longest wait of one trial for a quiet core, in nanoseconds: neighbours come and go within milliseconds, and phases in
/// which they never go last longer than anybody would wait.
const LONGEST_WAIT_NS: u64 = 200_000_000;

/// Share of a run's time that may be spent waiting, and what may be spent at once at its beginning.
const WAITING: f64 = 0.4;
const FIRST_WAITS_NS: u64 = 1_000_000_000;

/// The journal and what the analysis makes of it, line by line.
pub struct Ledger {
    journal: Option<Journal>,
    trouble: Option<JournalError>,
    analyst: Analyst,
    first_rate: Option<f64>,
    waited_ns: u64,
}

impl Ledger {
    /// A ledger that writes to this journal.
    pub fn new(journal: Journal, analyst: Analyst) -> Self {
        Self {
            journal: Some(journal),
            trouble: None,
            analyst,
            first_rate: None,
            waited_ns: 0,
        }
    }

    /// Appends a line and takes it in. When the file cannot be written any more (a full disk), that is
    /// said once, and the run goes on in memory, so that its table is not lost.
    pub fn append(&mut self, line: &Line) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.append(line)
        {
            eprintln!(
                "oscope: {error}: the record ends here; the measurement goes on, and its table will be shown"
            );
            self.trouble = Some(error);
            self.journal = None;
        }
        match line {
            Line::Rehearsal(rehearsal) => self.analyst.add_rehearsal(rehearsal),
            Line::Trial(trial) => {
                self.first_rate.get_or_insert(trial.ns_per_tick);
                self.waited_ns += trial.waited_ns.unwrap_or(0);
                self.analyst.add_trial(trial);
            }
            Line::Failure(failure) => self.analyst.add_failure(failure),
            Line::Round(round) => self.analyst.end_round(round.round),
            Line::Prediction { id, prediction } => self.analyst.predict(id, prediction),
            Line::Header(_)
            | Line::Machine(_)
            | Line::Peer(_)
            | Line::Plan(_)
            | Line::Resumed { .. }
            | Line::End(_) => {}
        }
    }

    /// What is known so far.
    pub fn analyst(&self) -> &Analyst {
        &self.analyst
    }

    /// Nanoseconds in a tick as the first trial found it.
    pub fn first_rate(&self) -> Option<f64> {
        self.first_rate
    }

    /// Nanoseconds that workers waited for quiet cores.
    pub fn waited_ns(&self) -> u64 {
        self.waited_ns
    }

    /// Why the record is not complete, if it is not.
    pub fn trouble(&self) -> Option<&JournalError> {
        self.trouble.as_ref()
    }
}

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

/// What a supervisor is told to do.
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
    laboratory: &'a mut dyn Laboratory,
    ledger: &'a mut Ledger,
    progress: &'a mut dyn Progress,
    closed: Vec<bool>,
    started: Instant,
    done: Done,
}

impl<'a> Supervisor<'a> {
    /// A supervisor that goes on after what is done already.
    pub fn new(
        orders: Orders<'a>,
        laboratory: &'a mut dyn Laboratory,
        ledger: &'a mut Ledger,
        progress: &'a mut dyn Progress,
        done: Done,
    ) -> Self {
        let (settings, started) = (orders.plan.settings.clone(), Instant::now());
        let closed = Vec::new();
        let mut supervisor = Self {
            orders,
            settings,
            laboratory,
            ledger,
            progress,
            closed,
            started,
            done,
        };
        supervisor.look_again();
        supervisor
    }

    /// Takes in what a whole round has changed.
    fn look_again(&mut self) {
        self.closed = self.ledger.analyst().closed();
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
            let open = self.open();
            if open.is_empty() {
                return EndReason::Narrow;
            }
            if let Some(reason) = self.round(round, open) {
                return reason;
            }
            self.ledger.append(&Line::Round(RoundEnd {
                round,
                at_ns: self.elapsed_ns(),
            }));
            self.look_again();
            self.show(round, None, true);
        }
        EndReason::Rounds
    }

    /// The points that need another trial, by their place in the plan.
    fn open(&self) -> Vec<usize> {
        let tried = self.orders.plan.points.iter().zip(&self.closed).enumerate();
        let open = tried.filter(|(_, (point, closed))| point.skip.is_none() && !**closed);
        open.map(|(index, _)| index).collect()
    }

    /// One trial of every open point in shuffled order; gives why the run ends, if it ends in this round.
    fn round(&mut self, round: u32, mut open: Vec<usize>) -> Option<EndReason> {
        let mut order = fastrand::Rng::with_seed(mixed(self.settings.seed, u64::from(round)));
        order.shuffle(&mut open);
        for index in open {
            let Some(point) = self.orders.plan.points.get(index) else {
                continue;
            };
            if self.laboratory.interrupted() {
                return Some(EndReason::Interrupted);
            }
            // The first round is always finished: a table with holes is no table.
            if round > 1 && self.budget_is_spent() {
                return Some(EndReason::Budget);
            }
            self.show(round, Some(&point.id), false);
            if self.attempt(round, index, point).is_none() {
                return Some(EndReason::Interrupted);
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

    /// What the next worker is told of quiet cores, and how long it may wait for one.
    fn trigger(&self) -> TriggerRequest {
        let left = FIRST_WAITS_NS + (WAITING * self.elapsed_ns() as f64) as u64;
        let left = left.saturating_sub(self.ledger.waited_ns());
        TriggerRequest {
            timeout_ns: (self.settings.trigger == Trigger::Quiet).then(|| left.min(LONGEST_WAIT_NS)),
            quiet: self.ledger.analyst().quiet_ratios(),
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
        let lines = match self.laboratory.perform(request) {
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
        lines.iter().for_each(|line| self.ledger.append(line));
        Some(())
    }

    fn show(&mut self, round: u32, current: Option<&PointId>, round_is_over: bool) {
        if !self.progress.wants(round_is_over) {
            return;
        }
        // Predictions and bounds tie points to each other, so that one trial can change several rows.
        let rows = self.ledger.analyst().glance();
        let tried = self
            .orders
            .plan
            .points
            .iter()
            .zip(&self.closed)
            .filter(|(point, _)| point.skip.is_none());
        let closed = tried.clone().filter(|(_, closed)| **closed).count();
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

/// A seed from two numbers (SplitMix64's finaliser).
fn mixed(seed: u64, with: u64) -> u64 {
    let mut word = seed ^ with.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
