//! The analyst takes in a run as it happens and says at any time what it comes to.

use crate::estimates::selection::Conditions;
use crate::evidence::history::History;
use crate::rows::core_use::CpuUse;
use crate::rows::row::Row;
use crate::run::analysis::{Analysis, RunNote};
use crate::samples::core_state::{QuietRatios, Stretches};
use crate::samples::summary::TrialSamples;
use crate::samples::{core_clock, plausibility};
use crate::verdicts::resolver::Resolver;
use record::{Machine, Plan, PointId, Prediction, Record, Rehearsal, Settings, Trial, TrialFailure};
use stats::order::{Sorted, median};
use std::collections::{BTreeMap, HashMap};

/// Share by which batches may seem longer than their trial: two clocks time them.
const CLOCKS_DIFFER: f64 = 0.01;
/// Rates of the time counter at the start and at the end of a run that differ more are worth a remark:
/// calibration is good to 100 parts in a million.
const CLOCK_DRIFT: f64 = 1e-4;

/// From this many times the ratio of a quiet core on a look is of a shared one, in the account of a CPU's time.
const SHARED_FROM: f64 = 1.08;

/// Takes in the facts of a run one by one; keeps a small summary of each trial, never its batches.
#[derive(Debug, Clone)]
pub struct Analyst {
    machine: Machine,
    settings: Settings,
    histories: Vec<History>,
    places: HashMap<PointId, usize>,
    rounds: u32,
    unplanned: usize,
    left_out: Vec<String>,
    last: Option<LastTrial>,
    quiet: QuietRatios,
    stretches: BTreeMap<u32, Stretches>,
    reference_hz: Option<f64>,
    waited_ns: Option<u64>,
    ended_ns: f64,
}

/// The trial before, which must have been over when the next began.
#[derive(Debug, Clone, Copy)]
struct LastTrial {
    place: usize,
    started_ns: u64,
    lasted_ns: f64,
}

impl Analyst {
    /// An analyst of a run that has not begun.
    pub fn new(plan: &Plan, machine: &Machine) -> Self {
        let places = plan
            .points
            .iter()
            .enumerate()
            .map(|(place, point)| (point.id.clone(), place));
        Self {
            machine: machine.clone(),
            settings: plan.settings.clone(),
            histories: plan.points.iter().map(History::new).collect(),
            places: places.collect(),
            rounds: 0,
            unplanned: 0,
            left_out: plan.left_out.clone(),
            last: None,
            quiet: QuietRatios::default(),
            stretches: BTreeMap::new(),
            reference_hz: None,
            waited_ns: None,
            ended_ns: 0.0,
        }
    }

    /// The same with values given at this clock of the core, in hertz, instead of the highest of the run.
    pub fn at_clock(self, reference_hz: Option<f64>) -> Self {
        Self { reference_hz, ..self }
    }

    /// An analyst who knows what a record holds, judged by this plan: the record's own, or one with other
    /// settings.
    pub fn of(record: &Record, plan: &Plan) -> Self {
        let mut analyst = Analyst::new(plan, &record.machine);
        record
            .predictions
            .iter()
            .for_each(|(id, prediction)| analyst.predict(id, prediction));
        record
            .rehearsals
            .iter()
            .for_each(|rehearsal| analyst.add_rehearsal(rehearsal));
        record
            .failures
            .iter()
            .for_each(|failure| analyst.add_failure(failure));
        record.trials.iter().for_each(|trial| analyst.add_trial(trial));
        record
            .rounds
            .iter()
            .for_each(|round| analyst.end_round(round.round));
        if let Some(ended_ns) = record.rounds.iter().map(|round| round.at_ns).max() {
            analyst.trials_ended_by(ended_ns);
        }
        analyst
    }

    /// What a point should cost; replaces what was said of it before.
    pub fn predict(&mut self, id: &PointId, prediction: &Prediction) {
        if let Some((_, history)) = self.history(id) {
            history.prediction = prediction.clone();
        }
    }

    /// What the tracer saw.
    pub fn add_rehearsal(&mut self, rehearsal: &Rehearsal) {
        if let Some((_, history)) = self.history(&rehearsal.id) {
            history.add_rehearsal(rehearsal);
        }
    }

    /// A trial with its batches; of points that are not planned it is only counted.
    pub fn add_trial(&mut self, trial: &Trial) {
        self.check_last(trial.started_ns);
        self.look(trial);
        self.count_waiting(trial);
        let Some((place, history)) = self.history(&trial.id) else {
            return;
        };
        let counts = history.add_trial(trial);
        let (started_ns, lasted_ns) = (trial.started_ns, plausibility::total_ns(trial));
        self.last = counts.then_some(LastTrial {
            place,
            started_ns,
            lasted_ns,
        });
    }

    /// A trial that gave nothing.
    pub fn add_failure(&mut self, failure: &TrialFailure) {
        if let Some((_, history)) = self.history(&failure.id) {
            history.add_failure(failure);
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

    fn history(&mut self, id: &PointId) -> Option<(usize, &mut History)> {
        let place = self.places.get(id).copied();
        let found = place.and_then(|place| Some((place, self.histories.get_mut(place)?)));
        if found.is_none() {
            self.unplanned += 1;
        }
        found
    }

    /// Takes the trial before back if its batches last longer than until now. Start times that do not
    /// grow, as after a resumption, say nothing.
    fn check_last(&mut self, now_ns: u64) {
        let Some(last) = self.last.take().filter(|last| now_ns > last.started_ns) else {
            return;
        };
        let wall_ns = (now_ns - last.started_ns) as f64;
        if last.lasted_ns > wall_ns * (1.0 + CLOCKS_DIFFER)
            && let Some(history) = self.histories.get_mut(last.place)
        {
            history.retract();
        }
    }

    /// Takes in what the probes of a trial's cores saw, if they can have seen it.
    fn look(&mut self, trial: &Trial) {
        if plausibility::looks(trial).is_err() {
            return;
        }
        self.quiet.add(trial);
        let Some(looks) = &trial.looks else { return };
        for core in &looks.cores {
            if let (Some(cpu), Some(quiet)) = (core.cpu, self.quiet.of(core.cpu)) {
                let stretches = self.stretches.entry(cpu).or_default();
                stretches.add(trial, &looks.at, core, quiet * SHARED_FROM);
            }
        }
    }

    fn count_waiting(&mut self, trial: &Trial) {
        let Some(waited_ns) = trial.waited_ns else { return };
        self.waited_ns = Some(self.waited_ns.unwrap_or(0).saturating_add(waited_ns));
        let ended_ns = trial.started_ns as f64 + plausibility::total_ns(trial) + waited_ns as f64;
        self.ended_ns = self.ended_ns.max(ended_ns);
    }

    /// Share of the time until the end of the last trial in which workers waited for a quiet core.
    fn waited(&self) -> Option<f64> {
        let share = self.waited_ns? as f64 / self.ended_ns;
        share.is_finite().then_some(share)
    }

    /// For every CPU that was probed, the ratio of its two probes on a quiet core: what a worker's trigger compares with.
    pub fn quiet_ratios(&self) -> Vec<(u32, f64)> {
        self.quiet.all()
    }

    /// The clock at which values are given, in hertz: the highest of the run, unless another was asked for; `None` where
    /// no trial knows its clock.
    pub fn clock(&self) -> Option<f64> {
        self.reference_hz.or_else(|| core_clock::reference(self.clocks()))
    }

    fn clocks(&self) -> impl Iterator<Item = f64> {
        let trials = self.histories.iter().flat_map(|history| &history.trials);
        trials.filter_map(TrialSamples::core_hz)
    }

    fn resolver(&self) -> Resolver<'_> {
        let conditions = Conditions {
            quiet: &self.quiet,
            trigger: self.settings.trigger,
            reference_hz: self.clock(),
        };
        Resolver::new(
            &self.machine,
            &self.settings,
            &self.histories,
            &self.places,
            conditions,
        )
    }

    /// How each CPU was used, by all looks at its core.
    fn cpus(&self, rows: &[Row]) -> Vec<CpuUse> {
        let seen = self.stretches.iter();
        let of = |(&cpu, stretches): (&u32, &Stretches)| {
            let [quiet_ns, shared_ns] = stretches.lengths_ns();
            Some(CpuUse {
                cpu,
                quiet_share: stretches.quiet_share()?,
                quiet_ns,
                shared_ns,
                slowdown: self.slowdown_on(cpu, rows),
            })
        };
        seen.filter_map(of).collect()
    }

    /// Median slow-down of the rows all of whose trials ran on this CPU alone.
    fn slowdown_on(&self, cpu: u32, rows: &[Row]) -> Option<f64> {
        let of_row = |row: &Row| {
            let history = self.histories.get(*self.places.get(&row.point.id)?)?;
            let mut trials = history.trials.iter();
            trials
                .all(|trial| *trial.cpus() == [Some(cpu), None])
                .then_some(row.core?.slowdown)?
        };
        median(&rows.iter().filter_map(of_row).collect::<Vec<f64>>())
    }

    /// The row of one point as it stands; `None` for points that are not planned.
    pub fn row(&self, id: &PointId) -> Option<Row> {
        self.resolver().row(*self.places.get(id)?)
    }

    /// All rows as they stand, in the plan's order, without remarks: quick enough to be asked for after every round.
    pub fn snapshot(&self) -> Vec<Row> {
        let resolver = self.resolver();
        (0..self.histories.len())
            .filter_map(|place| resolver.snapshot(place))
            .collect()
    }

    /// For every point, in the plan's order, how many trials more it is likely to need for an interval of this precision:
    /// none where it needs no further trial; see `verdicts::stopping`.
    pub fn trials_to_go(&self, precision: f64) -> Vec<f64> {
        let settings = Settings {
            precision,
            ..self.settings.clone()
        };
        let resolver = self.resolver();
        let places = self.histories.iter().enumerate();
        let to_go = places.map(|(place, history)| match resolver.resolved(place) {
            Some(row) if !closes(&row, history, &settings) => {
                crate::verdicts::stopping::trials_to_go(&row, &settings).max(1.0)
            }
            _ => 0.0,
        });
        to_go.collect()
    }

    /// All rows as they stand, in the plan's order.
    pub fn rows(&self) -> Vec<Row> {
        let resolver = self.resolver();
        (0..self.histories.len())
            .filter_map(|place| resolver.row(place))
            .collect()
    }

    /// All that the run says so far.
    pub fn analysis(&self) -> Analysis {
        let unplanned = (self.unplanned > 0).then_some(RunNote::Unplanned(self.unplanned));
        let left_out = self.left_out.iter().cloned().map(RunNote::LeftOut);
        let notes = left_out.chain(unplanned).collect();
        let clocks = Sorted::of(&self.clocks().collect::<Vec<f64>>());
        let quantiles = [0.05, 0.5, 0.95].map(|share| clocks.quantile(share));
        let mut analysis = Analysis::on(&self.machine, self.rows(), self.rounds, notes);
        if analysis.is_carried() {
            analysis.core_hz = self.clock();
        }
        Analysis {
            clock_range: quantiles
                .into_iter()
                .collect::<Option<Vec<f64>>>()
                .and_then(|all| all.try_into().ok()),
            highest_hz: core_clock::reference(self.clocks()),
            reference_hz: self.clock(),
            cpus: self.cpus(&analysis.rows),
            waited: self.waited(),
            ..analysis
        }
    }

    /// Whether the point needs no further trial; see `verdicts::stopping`. True for points that are not
    /// planned.
    pub fn may_close(&self, id: &PointId) -> bool {
        let Some(&place) = self.places.get(id) else {
            return true;
        };
        let (row, history) = (self.resolver().resolved(place), self.histories.get(place));
        row.zip(history)
            .is_none_or(|(row, history)| closes(&row, history, &self.settings))
    }
}

/// Whether a point needs no further trial.
fn closes(row: &Row, history: &History, settings: &Settings) -> bool {
    crate::verdicts::stopping::narrow(row, settings)
        || crate::verdicts::stopping::hopeless(row, history.attempts(), settings)
}

/// What a whole record says. Without a plan there is nothing to judge by: no rows, and a note.
pub fn analyse(record: &Record) -> Analysis {
    analyse_at(record, None)
}

/// The same with values given at this clock of the core, in hertz, instead of the highest of the run.
pub fn analyse_at(record: &Record, clock_hz: Option<f64>) -> Analysis {
    let Some(plan) = &record.plan else {
        return Analysis::of(Vec::new(), 0, vec![RunNote::NoPlan]);
    };
    let analyst = Analyst::of(record, plan).at_clock(clock_hz);
    let mut analysis = analyst.analysis();
    let drift = record.end.as_ref().and_then(|end| end.clock_drift);
    let drift = drift.filter(|drift| drift.abs() > CLOCK_DRIFT);
    analysis.notes.extend(drift.map(RunNote::ClockDrift));
    analysis
}
