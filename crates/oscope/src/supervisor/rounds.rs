//! The rounds: which point is tried next, what is journaled, when it is enough.

use super::allocation::Allocation;
use super::completed_work::CompletedWork;
use super::executor::{Executor, Outcome};
use super::monitor::Monitor;
use super::progress::{Progress, Wanted};
use super::recorder::{LONGEST_WAIT_NS, Recorder};
use super::time_left::TimeLeft;
use crate::placement::Cpus;
use analysis::Analyst;
use measure::Point;
use record::{
    Directory, EndReason, Line, PeerLink, Plan, PlannedPoint, PointId, Purpose, Rehearsal, Reply, Request,
    RoundEnd, Settings, TailRequest, Trial, TrialFailure, Trigger, TriggerRequest,
};
use report::LiveState;
use std::time::Instant;

/// Share of the budget after which points that were narrow early are tried again.
const LATE: f64 = 0.85;

/// Share of a run's time that may be spent waiting, and what may be spent at once at its beginning.
const WAITING: f64 = 0.4;
const FIRST_WAITS_NS: u64 = 1_000_000_000;

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

impl Orders<'_> {
    /// The request for a trial of a point. A worker that is in an environment has files by their names.
    pub fn request(
        &self,
        point: &PlannedPoint,
        is_in_environment: bool,
        seed: u64,
        trigger: TriggerRequest,
    ) -> Request {
        let [directory, remote_directory] = [self.directory, self.remote_directory].map(|named| {
            let named = named?;
            Some(if is_in_environment { named.by_name() } else { named.clone() })
        });
        let placement = Point::parse(&point.id.point).and_then(|parsed| parsed.placement());
        Request {
            protocol: measure::worker::PROTOCOL,
            purpose: Purpose::Trial,
            id: point.id.clone(),
            cpu: self.plan.settings.cpu,
            peer_cpu: placement.and_then(|placement| self.cpus.peer(placement)),
            seed,
            spend_ns: (self.spend_ns)(&point.id),
            trigger,
            with_attributes: is_in_environment,
            tail: None,
            peer: self.peer.cloned(),
            directory,
            remote_directory,
        }
    }
}

/// Runs the rounds of a plan.
pub struct Supervisor<'a> {
    orders: Orders<'a>,
    settings: Settings,
    executor: &'a mut dyn Executor,
    recorder: &'a mut Recorder,
    progress: &'a mut Progress,
    monitor: &'a mut dyn Monitor,
    allocation: Allocation,
    started: Instant,
    done: CompletedWork,
}

impl<'a> Supervisor<'a> {
    /// A supervisor that goes on after what is done already.
    pub fn new(
        orders: Orders<'a>,
        executor: &'a mut dyn Executor,
        recorder: &'a mut Recorder,
        progress: &'a mut Progress,
        monitor: &'a mut dyn Monitor,
        done: CompletedWork,
    ) -> Self {
        let (settings, started) = (orders.plan.settings.clone(), Instant::now());
        let allocation = Allocation::new(orders.plan.points.len());
        let mut supervisor =
            Self { orders, settings, executor, recorder, progress, monitor, allocation, started, done };
        supervisor.look_again(supervisor.allocation.all());
        supervisor
    }

    /// Looks at what these points need now, each where it needs most.
    fn look_again(&mut self, places: Vec<usize>) {
        let mut needs = self.recorder.analyst.needs(&places);
        for analyst in &self.recorder.environments {
            let there = analyst.needs(&places);
            needs.iter_mut().zip(there).for_each(|(most, there)| *most = most.and(there));
        }
        self.allocation.update(&places, needs);
    }

    fn elapsed_ns(&self) -> u64 {
        self.done.elapsed_ns + u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Runs rounds until every point is narrow enough, the budget is spent, or the user has had enough.
    /// Gives why it ended and when, in nanoseconds since the run began.
    pub fn run(&mut self) -> (EndReason, u64) {
        let reason = self.rounds();
        self.watch(true);
        self.progress.finish();
        (reason, self.elapsed_ns())
    }

    fn rounds(&mut self) -> EndReason {
        for round in self.done.rounds + 1..=self.settings.most_rounds {
            if self.allocation.open().is_empty() {
                self.look_again(self.allocation.all());
            }
            let late = self.late_points();
            if self.allocation.open().is_empty() && late.is_empty() {
                return EndReason::Narrow;
            }
            if round > 1 && self.is_budget_spent() {
                return EndReason::Budget;
            }
            let tried = match self.round(round, late) {
                Ok(tried) => tried,
                Err(reason) => return reason,
            };
            self.recorder.append(&Line::Round(RoundEnd { round, at_ns: self.elapsed_ns() }));
            let stale = self.allocation.stale(tried, self.elapsed_ns());
            self.look_again(stale);
        }
        EndReason::Rounds
    }

    /// Journals what changed of the machine and what disturbed the run since the last reading.
    fn watch(&mut self, is_last: bool) {
        let halted = self.executor.take_halted();
        let lines = self.monitor.read(self.elapsed_ns(), halted, is_last);
        lines.iter().for_each(|line| self.recorder.append(line));
    }

    fn is_budget_spent(&self) -> bool {
        self.elapsed_ns() as f64 * 1e-9 >= self.settings.budget_s
    }

    /// The points that are tried in a round: all that are open in the first, then those of which the least number of rounds
    /// fits into the time that is left; once that is over, or where it fits for none, those that gain most by it.
    fn worthwhile(&self, round: u32) -> Vec<usize> {
        if round == 1 {
            return self.allocation.open();
        }
        let left_ns = self.settings.budget_s * 1e9 - self.elapsed_ns() as f64;
        let rounds_left = (self.settings.least_rounds + 1).saturating_sub(round);
        let fitting = self.allocation.for_least(rounds_left, left_ns);
        if rounds_left > 0 && !fitting.is_empty() { fitting } else { self.allocation.for_rest(left_ns) }
    }

    /// Whether the user gave the number of rounds.
    fn is_fixed(&self) -> bool {
        self.settings.least_rounds == self.settings.most_rounds
    }

    /// The points to try again because they were narrow early: what a host shares out may have changed since. Near the end of
    /// the budget, or where nothing else is left to try.
    fn late_points(&mut self) -> Vec<usize> {
        let is_late = self.elapsed_ns() as f64 * 1e-9 >= LATE * self.settings.budget_s;
        match !self.is_fixed() && (is_late || self.allocation.open().is_empty()) {
            true => self.allocation.late(self.elapsed_ns()),
            false => Vec::new(),
        }
    }

    /// One trial of every worthwhile point, of these late ones, and of others where they are few, in shuffled order; gives these points, or why the run
    /// ends in this round.
    fn round(&mut self, round: u32, late: Vec<usize>) -> Result<Vec<usize>, EndReason> {
        let mut open = match self.allocation.open().is_empty() {
            true => Vec::new(),
            false => self.worthwhile(round),
        };
        // A late point may become sharper in this round anyway.
        let late: Vec<usize> = late.into_iter().filter(|late| !open.contains(late)).collect();
        open.extend(late);
        if !self.is_fixed() && self.settings.tail.is_none() {
            open.extend(self.allocation.company(&open));
        }
        let mut order = fastrand::Rng::with_seed(derive_seed(self.settings.seed, u64::from(round)));
        order.shuffle(&mut open);
        for (tried, &index) in open.iter().enumerate() {
            let Some(point) = self.orders.plan.points.get(index) else {
                continue;
            };
            if self.executor.interrupted() {
                return Err(EndReason::Interrupted);
            }
            // The first round is always finished: a table with holes is no table.
            if round > 1 && self.is_budget_spent() {
                return Err(EndReason::Budget);
            }
            self.watch(false);
            self.show(round, &open, tried);
            let before_ns = self.elapsed_ns();
            // One environment right after the other, so that what changes meanwhile is the same for all.
            let mut places = self.places(index);
            order.shuffle(&mut places);
            for place in places {
                if self.attempt(round, index, point, place).is_none() {
                    return Err(EndReason::Interrupted);
                }
            }
            let after_ns = self.elapsed_ns();
            self.allocation.took(index, after_ns.saturating_sub(before_ns) as f64, after_ns);
        }
        self.done.in_flight.clear();
        self.executor.end_round();
        Ok(open)
    }

    /// Where a point is tried in a round: natively (`None`), and in each environment in which it is not in vain.
    fn places(&self, index: usize) -> Vec<Option<usize>> {
        let there = self.recorder.environments.iter().enumerate();
        let there = there.filter(|(_, analyst)| !analyst.never_succeeds(index));
        std::iter::once(None).chain(there.map(|(place, _)| Some(place))).collect()
    }

    /// One trial of a point, natively or in an environment, after its rehearsal there if there was none yet; `None` when
    /// the user did not wait for the end of it.
    fn attempt(
        &mut self,
        round: u32,
        index: usize,
        point: &PlannedPoint,
        place: Option<usize>,
    ) -> Option<()> {
        let analyst = match place {
            Some(place) => self.recorder.environments.get(place)?,
            None => &self.recorder.analyst,
        };
        let environment = analyst.environment().map(|there| there.name.clone());
        let trigger = self.trigger(analyst);
        let id = point.id.within(environment.as_deref());
        let environment = environment.as_deref();
        let seed = derive_seed(derive_seed(self.settings.seed, u64::from(round)), index as u64);
        let mut request = self.orders.request(point, environment.is_some(), seed, trigger);
        request.purpose = Purpose::Rehearsal;
        if !self.done.rehearsed.contains(&id) {
            self.ask(0, environment, &request)?;
            self.done.rehearsed.insert(id.clone());
        }
        request.purpose = Purpose::Trial;
        if let Some(tail) = self.settings.tail {
            // Alternating, so that a tail that the readings made would be seen.
            request.tail = Some(TailRequest { rate: tail.rate, looks: round.is_multiple_of(2) });
            request.spend_ns = tail.spend_ns;
        }
        // Another point may have been measured together with this one.
        if self.done.in_flight.remove(&id) {
            return Some(());
        }
        self.ask(round, environment, &request)
    }

    /// What the next worker knows of quiet cores, and how long it may wait for one.
    fn trigger(&self, analyst: &Analyst) -> TriggerRequest {
        let left = FIRST_WAITS_NS + (WAITING * self.elapsed_ns() as f64) as u64;
        let left = left.saturating_sub(self.recorder.waited_ns);
        TriggerRequest {
            timeout_ns: (self.settings.trigger == Trigger::Quiet).then(|| left.min(LONGEST_WAIT_NS)),
            quiet: analyst.quiet_ratios(),
        }
    }

    /// Asks a worker, and journals what comes of it; nothing when it was abandoned.
    fn ask(&mut self, round: u32, environment: Option<&str>, request: &Request) -> Option<()> {
        let started_ns = self.elapsed_ns();
        let failure = |id: &PointId, reason: String, remedy: Option<String>| {
            Line::Failure(TrialFailure { round, id: id.within(environment), started_ns, reason, remedy })
        };
        let in_round = |mut trial: Box<Trial>| {
            (trial.round, trial.started_ns) = (round, started_ns);
            trial.id = trial.id.within(environment);
            Line::Trial(trial)
        };
        let lines = match self.executor.perform(environment, request) {
            Outcome::Abandoned => return None,
            Outcome::Reply(Reply::Trial(trial)) => vec![in_round(trial)],
            Outcome::Reply(Reply::Together { trials, absent }) => {
                let ids = trials.iter().map(|trial| &trial.id).chain(absent.iter().map(|(id, _)| id));
                let others = ids.filter(|id| **id != request.id).map(|id| id.within(environment));
                self.done.in_flight.extend(others);
                let absent =
                    absent.into_iter().map(|(id, skip)| failure(&id, skip.reason, Some(skip.remedy)));
                trials.into_iter().map(Box::new).map(in_round).chain(absent).collect()
            }
            Outcome::Reply(Reply::Rehearsal(rehearsal)) => {
                vec![Line::Rehearsal(Rehearsal { id: rehearsal.id.within(environment), ..rehearsal })]
            }
            Outcome::Reply(Reply::Attributes(_)) => {
                vec![failure(&request.id, "the worker measured nothing".to_owned(), None)]
            }
            Outcome::Reply(Reply::Skipped(skip)) => {
                vec![failure(&request.id, skip.reason, Some(skip.remedy))]
            }
            Outcome::Reply(Reply::Failed { reason }) | Outcome::Broken(reason) => {
                vec![failure(&request.id, reason, None)]
            }
        };
        lines.iter().for_each(|line| self.recorder.append(line));
        Some(())
    }

    /// Shows how far the run has come, before the next trial of a round: the first `tried` of its points have had theirs.
    fn show(&mut self, round: u32, order: &[usize], tried: usize) {
        let wanted = self.progress.wants(Instant::now());
        if wanted == Wanted::Nothing {
            return;
        }
        let analyst = &self.recorder.analyst;
        // Predictions and bounds tie points to each other, so that one trial can change several rows.
        let rows = match wanted {
            Wanted::Rows => analyst.rows(),
            Wanted::Nothing | Wanted::Counts => Vec::new(),
        };
        let points = &self.orders.plan.points;
        let total = points.iter().filter(|point| point.skip.is_none()).count();
        let to_go = self.allocation.to_close();
        let time_left = TimeLeft {
            to_go: &to_go,
            trial_ns: &self.allocation.trial_ns,
            round,
            most_rounds: self.settings.most_rounds,
            order,
            tried,
            budget_ns: self.settings.budget_s * 1e9 - self.elapsed_ns() as f64,
        };
        let current = order.get(tried).and_then(|&index| points.get(index));
        let state = LiveState {
            round,
            tried,
            in_round: order.len(),
            elapsed_s: self.elapsed_ns() as f64 * 1e-9,
            left_s: time_left.nanoseconds().map(|left| left * 1e-9),
            measured: self.allocation.measured(),
            total,
            waited: analyst.waited(),
            quiet_share: analyst.least_quiet_share(),
            current: current.map(|point| &point.id),
            rows: &rows,
        };
        self.progress.show(&state);
    }
}

/// The seed of a stream of random numbers, derived from another seed.
fn derive_seed(seed: u64, stream: u64) -> u64 {
    sys::random::mix(seed ^ stream.wrapping_mul(sys::random::STEP))
}
