//! The analyst takes in a run as it happens and says at any time what it comes to.

mod intake;
mod machine_states;

use crate::estimates::selection::Conditions;
use crate::evidence::history::History;
use crate::evidence::in_environment::judged_within;
use crate::rows::core_use::{CpuUse, QuietSpan};
use crate::rows::earlier_runs::{BetweenRuns, EarlierRuns};
use crate::rows::row::Row;
use crate::run::analysis::{Analysis, RunNote};
use crate::run::disturbances;
use crate::run::more_time::MoreTime;
use crate::run::pairs::{self, PairValues};
use crate::run::{plots, run_placements};
use crate::samples::core_state::{QuietRatios, Stretches};
use crate::samples::{core_clock, plausibility};
use crate::tails;
use crate::tails::cause::tick_ns;
use crate::tails::distribution::{TailTrial, tail_of_values};
use crate::tails::point_tail::PointTail;
use crate::thresholds::{BEYOND_TRIAL, COUNTER_DRIFT, LEAST_TRIALS, SHARED_FACTOR};
use crate::verdicts::resolver::{Resolver, RunEvidence};
use crate::verdicts::stopping::{self, Needs};
use machine_states::MachineStates;
use record::{Disturbance, Environment, Machine, Plan, PointId, Record, Role, Settings, Trial};
use stats::order::{Sorted, median};
use std::collections::{BTreeMap, HashMap};

/// Parts of a run, at most, of each of which the quiet is known.
const MOST_SPANS: usize = 60;

/// Takes in the facts of a run one by one; keeps a small summary of each trial, never its batches.
#[derive(Debug, Clone, Default)]
pub struct Analyst {
    /// The environment of which it takes in the results; `None` for the native ones.
    environment: Option<Environment>,
    machine: Machine,
    settings: Settings,
    states: MachineStates,
    places: HashMap<PointId, usize>,
    rounds: u32,
    unplanned: usize,
    left_out: Vec<String>,
    last: Option<LastTrial>,
    /// Whether a worker was bound to the CPU that was asked for.
    was_bound: bool,
    disturbances: Vec<Disturbance>,
    /// When the trial before began, and when its looks were.
    looked: Option<(u64, Vec<i64>)>,
    quiet: QuietRatios,
    stretches: BTreeMap<u32, Stretches>,
    /// When each trial of two CPUs began, and the time of a cache line between them.
    lines: Vec<(u64, f64)>,
    reference_hz: Option<f64>,
    waited_ns: Option<u64>,
    ended_ns: f64,
    /// From the start of the last trial of each point to that of the next one, in nanoseconds.
    trial_ns: Vec<f64>,
    /// The deviation between earlier runs of each point, where they are enough; empty without earlier runs.
    between_runs: Vec<Option<BetweenRuns>>,
    /// The trials of points of which every iteration was timed, by the place of the point in the plan.
    tails: BTreeMap<usize, Vec<TailTrial>>,
    /// The first curve that trials of each point kept, by the place of the point in the plan.
    curves: BTreeMap<usize, Vec<(f64, f64)>>,
    /// The values of pairs of CPUs that trials of each point kept, by the place of the point in the plan.
    pairs: BTreeMap<usize, PairValues>,
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
        let places = plan.points.iter().enumerate().map(|(place, point)| (point.id.clone(), place));
        Self {
            machine: machine.clone(),
            settings: plan.settings.clone(),
            states: MachineStates::new(plan.points.iter().map(History::new).collect()),
            places: places.collect(),
            left_out: plan.left_out.clone(),
            trial_ns: vec![0.0; plan.points.len()],
            ..Self::default()
        }
    }

    /// An analyst of what is measured in this environment, who has seen no trial.
    pub fn within(self, environment: &Environment) -> Self {
        let histories = self.histories().iter().map(|history| History {
            prediction: history.prediction.clone(),
            ..History::new(&judged_within(&history.point))
        });
        let states = MachineStates::new(histories.collect());
        Self { environment: Some(environment.clone()), states, between_runs: Vec::new(), ..self }
    }

    /// The same on a machine of which these earlier runs are known: they widen or narrow the interval of the next run, and
    /// move no value.
    #[must_use]
    pub fn after(self, earlier: &EarlierRuns) -> Self {
        let points = self.histories().iter().map(|history| earlier.between_runs(&history.point));
        Self { between_runs: points.collect(), ..self }
    }

    /// The environment of which it takes in the results; `None` for the native ones.
    pub fn environment(&self) -> Option<&Environment> {
        self.environment.as_ref()
    }

    /// The same with values given at this clock of the core, in hertz, instead of the highest of the run.
    pub fn at_clock(self, reference_hz: Option<f64>) -> Self {
        Self { reference_hz, ..self }
    }

    /// The histories whose values count.
    fn histories(&self) -> &[History] {
        self.states.chosen()
    }

    /// The place of a point in the plan; one that is not planned is counted.
    fn place(&mut self, id: &PointId) -> Option<usize> {
        let place = self.places.get(&id.within(None)).copied();
        if place.is_none() {
            self.unplanned += 1;
        }
        place
    }

    /// Takes the trial before back if its batches last longer than until now. Start times that do not
    /// grow, as after a resumption, say nothing.
    fn check_last(&mut self, now_ns: u64) {
        let Some(last) = self.last.take().filter(|last| now_ns > last.started_ns) else {
            return;
        };
        let wall_ns = (now_ns - last.started_ns) as f64;
        if let Some(took) = self.trial_ns.get_mut(last.place) {
            *took = wall_ns;
        }
        if last.lasted_ns > wall_ns * (1.0 + BEYOND_TRIAL)
            && let Some(history) = self.states.current(last.place)
        {
            history.retract();
        }
    }

    /// Takes in what the probes of a trial's cores saw, if they can have seen it.
    fn look(&mut self, trial: &Trial) {
        // Points that were measured together have the same looks, which count once.
        let looked = trial.looks.as_ref().map(|looks| (trial.started_ns, looks.at.clone()));
        if plausibility::looks(trial).is_err() || looked.is_some() && looked == self.looked {
            return;
        }
        self.looked = looked;
        self.quiet.add(trial);
        let Some(looks) = &trial.looks else { return };
        for core in &looks.cores {
            if let (Some(cpu), Some(quiet)) = (core.cpu, self.quiet.quiet_ratio(core.cpu)) {
                let stretches = self.stretches.entry(cpu).or_default();
                stretches.add(trial, &looks.at, core, quiet * SHARED_FACTOR);
            }
        }
    }

    /// Keeps the distribution of a trial in which every iteration was timed.
    fn keep_tail(&mut self, trial: &Trial, place: usize) {
        let is_single = self.histories().get(place).is_some_and(|history| history.point.is_single);
        let quiet_ratio = self.quiet.quiet_ratio(trial.cpu);
        let tick_ns = tick_ns(&self.machine);
        let main = trial.series.iter().filter(|series| series.role == Role::Main);
        let tails = main.filter_map(|series| match &series.tail {
            Some(tail) => Some((**tail).clone()),
            None => is_single.then(|| tail_of_values(&series.values)),
        });
        let trials = tails.map(|tail| TailTrial { tail, started_ns: trial.started_ns, quiet_ratio, tick_ns });
        let mut trials = trials.peekable();
        if trials.peek().is_some() {
            self.tails.entry(place).or_default().extend(trials);
        }
    }

    /// The tails of the points that have one.
    fn tails(&self) -> Vec<PointTail> {
        let histories = self.histories();
        let points =
            self.tails.iter().filter_map(|(place, trials)| Some((&histories.get(*place)?.point, trials)));
        points.filter_map(|(point, trials)| PointTail::from_trials(point, trials)).collect()
    }

    fn count_waiting(&mut self, trial: &Trial) {
        let Some(waited_ns) = trial.waited_ns else { return };
        self.waited_ns = Some(self.waited_ns.unwrap_or(0).saturating_add(waited_ns));
        let ended_ns = trial.started_ns as f64 + plausibility::total_ns(trial) + waited_ns as f64;
        self.ended_ns = self.ended_ns.max(ended_ns);
    }

    /// Share of the time until the end of the last trial in which workers waited for a quiet core.
    pub fn waited(&self) -> Option<f64> {
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
        let trials = self.histories().iter().flat_map(|history| &history.trials);
        trials.filter_map(|trial| trial.core_hz)
    }

    fn resolver(&self) -> Resolver<'_> {
        Resolver::new(RunEvidence {
            machine: &self.machine,
            settings: &self.settings,
            histories: self.histories(),
            places: &self.places,
            conditions: Conditions {
                quiet: &self.quiet,
                trigger: self.settings.trigger,
                reference_hz: self.clock(),
                disturbances: &self.disturbances,
                cpus: self.machine.number("cpus.online").unwrap_or(1.0),
            },
            quota: disturbances::quota_use(&self.disturbances),
        })
    }

    /// How each CPU was used, by all looks at its core.
    fn cpus(&self, rows: &[Row]) -> Vec<CpuUse> {
        let seen = self.stretches.iter();
        seen.filter_map(|(&cpu, stretches)| {
            let [quiet_ns, shared_ns] = stretches.lengths_ns();
            Some(CpuUse {
                cpu,
                quiet_share: stretches.quiet_share()?,
                quiet_ns,
                shared_ns,
                slowdown: self.slowdown_on(cpu, rows),
            })
        })
        .collect()
    }

    /// How quiet the cores were over the run, in at most [`MOST_SPANS`] parts; those in which nobody looked are absent.
    fn quiet_spans(&self) -> Vec<QuietSpan> {
        let seconds = self.stretches.values().map(Stretches::seconds).max().unwrap_or(0);
        let step = seconds.div_ceil(MOST_SPANS).max(1);
        let spans = (0..seconds).step_by(step).filter_map(|from| {
            let to = (from + step).min(seconds);
            let shares = self.stretches.values().filter_map(|one| one.quiet_share_in(from..to));
            Some(QuietSpan {
                from_s: from as f64,
                to_s: to as f64,
                quiet_share: shares.min_by(f64::total_cmp)?,
            })
        });
        spans.collect()
    }

    /// The share of the time for which the busiest of the probed CPUs was quiet; `None` where none was probed.
    pub fn least_quiet_share(&self) -> Option<f64> {
        let shares = self.stretches.values().filter_map(Stretches::quiet_share);
        shares.min_by(f64::total_cmp)
    }

    /// Median slow-down of the rows all of whose trials ran on this CPU alone.
    fn slowdown_on(&self, cpu: u32, rows: &[Row]) -> Option<f64> {
        median(rows.iter().filter_map(|row| {
            let history = self.histories().get(*self.places.get(&row.point.id)?)?;
            let mut trials = history.trials.iter();
            trials.all(|trial| trial.cpus == [Some(cpu), None]).then_some(row.core?.slowdown)?
        }))
    }

    /// The row of one point as it stands; `None` for points that are not planned.
    pub fn row(&self, id: &PointId) -> Option<Row> {
        self.rows().into_iter().nth(*self.places.get(id)?)
    }

    /// What the points at these places of the plan need; see `verdicts::stopping`.
    pub fn needs(&self, places: &[usize]) -> Vec<Needs> {
        let resolver = self.resolver();
        let results = places.iter().map(|&place| resolver.result(place).zip(self.histories().get(place)));
        let needs = results.map(|found| {
            found
                .map(|(result, history)| stopping::needs(&result, history, &self.settings))
                .unwrap_or_default()
        });
        needs.collect()
    }

    /// Whether the point in this place of the plan was tried often enough without a result to be given up.
    pub fn never_succeeds(&self, place: usize) -> bool {
        let history = self.histories().get(place);
        history.is_some_and(|history| history.trials.is_empty() && history.attempts() >= LEAST_TRIALS)
    }

    /// All rows as they stand, in the plan's order: those of the live table, and those of the end.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = self.resolver().rows();
        let between_runs = rows.iter_mut().zip(&self.between_runs);
        between_runs.for_each(|(row, between)| row.by_earlier_runs = *between);
        rows
    }

    /// All that the run says so far.
    pub fn analysis(&self) -> Analysis {
        let unplanned = (self.unplanned > 0).then_some(RunNote::Unplanned(self.unplanned));
        let left_out = self.left_out.iter().cloned().map(RunNote::LeftOut);
        let notes = left_out.chain(unplanned).collect();
        let mut analysis = Analysis::on_machine(&self.machine, self.rows(), self.rounds, notes);
        if analysis.is_carried() {
            analysis.core_hz = self.clock();
        }
        let (mut tails, mut single_tails) = (self.tails(), Vec::new());
        if self.settings.tail.is_none() {
            std::mem::swap(&mut tails, &mut single_tails);
        }
        let mut curves = plots::curves(&analysis.rows, &self.curves);
        curves.extend(tails.iter().map(tails::plot::drawing));
        analysis.drawings.extend(curves.iter().cloned());
        Analysis {
            curves,
            pairs: pairs::pairs(&analysis.rows, &self.pairs, &self.machine),
            machine_history: self.states.machine_history(),
            disturbances: disturbances::spans(&self.disturbances),
            clock_range: self.clock_range(),
            highest_hz: core_clock::reference(self.clocks()),
            reference_hz: self.clock(),
            cpus: self.cpus(&analysis.rows),
            quiet_spans: self.quiet_spans(),
            placements: run_placements::of_lines(&self.lines),
            tails,
            single_tails,
            waited: self.waited(),
            more_time: self.more_time(&mut analysis.rows),
            ..analysis
        }
    }

    /// The 5th, 50th and 95th percentile of the clocks of the trials.
    fn clock_range(&self) -> Option<[f64; 3]> {
        let clocks = Sorted::from_values(self.clocks());
        Some([clocks.quantile(0.05)?, clocks.median()?, clocks.quantile(0.95)?])
    }

    /// What the rows that are not narrow would take; marks those that time does not help.
    fn more_time(&self, rows: &mut [Row]) -> MoreTime {
        let usual = median(self.trial_ns.iter().filter(|took| **took > 0.0)).unwrap_or_default();
        let places: Vec<usize> = (0..self.histories().len()).collect();
        let needs = self.needs(&places);
        let to_go = needs.iter().map(|needs| needs.to_close);
        let took = self.trial_ns.iter().map(|&took| if took > 0.0 { took } else { usual });
        MoreTime::estimate(rows, to_go.zip(took), self.settings.precision)
    }

    /// Whether the point needs no further trial; see `verdicts::stopping`. True for points that are not
    /// planned.
    pub fn may_close(&self, id: &PointId) -> bool {
        let Some(&place) = self.places.get(id) else {
            return true;
        };
        let (result, history) = (self.resolver().result(place), self.histories().get(place));
        result.zip(history).is_none_or(|(result, history)| stopping::closes(&result, history, &self.settings))
    }
}

/// What a whole record says. Without a plan there is nothing to judge by: no rows, and a note.
pub fn analyse(record: &Record) -> Analysis {
    analyse_after(record, None, &EarlierRuns::default())
}

/// The same with values given at this clock of the core, in hertz, instead of the highest of the run, on a machine of which these
/// earlier runs are known.
pub fn analyse_after(record: &Record, clock_hz: Option<f64>, earlier: &EarlierRuns) -> Analysis {
    let Some(plan) = &record.plan else {
        return Analysis::from_rows(Vec::new(), 0, vec![RunNote::NoPlan]);
    };
    let mut analysis = Analyst::from_record(record, plan).at_clock(clock_hz).after(earlier).analysis();
    let drift = record.end.as_ref().and_then(|end| end.clock_drift);
    let drift = drift.filter(|drift| drift.abs() > COUNTER_DRIFT);
    analysis.notes.extend(drift.map(RunNote::ClockDrift));
    analysis
}
