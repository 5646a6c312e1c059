//! Estimates on a core that is shared with a neighbour: the cost on the undivided core, and how often it is found.

use crate::comparing::beside;
use crate::neighbour::{CLOCK, Core, Neighbour, SharedCore};
use crate::simulated::{analyst, point, settings};
use analysis::{Analysis, Analyst, CoreState, Decision, Row, common_clock};
use record::{
    CoreLooks, Estimator, Machine, PlannedPoint, PointId, Settings, Trial, Trigger, TriggerRequest,
};

const ROUNDS: u32 = 20;
/// Trials of other points before the first round, and in each round.
const OTHERS: (u32, u32) = (40, 4);

/// A run of one point among others, and what its workers waited.
pub struct Run {
    analyst: Analyst,
    pub core: Core,
    pub waited_ns: u64,
    trigger: Trigger,
    id: PointId,
    others: PointId,
}

impl Run {
    /// A run that has measured some other points already; the gate has this factor.
    pub fn new(machine: SharedCore, trigger: Trigger, factor: f64, seed: u64) -> Self {
        let mut planned = point("target", "");
        planned.gate.cpu_share = None;
        planned.gate.shared_core = Some(factor);
        if machine.batch_ns.is_none() {
            planned.estimator = Estimator::Each;
        }
        let (id, others) = (planned.id.clone(), PointId::new("others", ""));
        let second = PlannedPoint { id: others.clone(), ..planned.clone() };
        let settings = Settings { trigger, ..settings(0.01, 6) };
        Self {
            analyst: analyst(vec![planned, second], settings),
            core: Core::new(machine, seed),
            waited_ns: 0,
            trigger,
            id,
            others,
        }
    }

    fn trial(&mut self, id: &PointId, round: u32, mislead: impl Fn(&mut CoreLooks)) {
        let left = 1_000_000_000 + (0.4 * self.core.now_ns()) as u64;
        let left = left.saturating_sub(self.waited_ns).min(200_000_000);
        let request = TriggerRequest {
            timeout_ns: (self.trigger == Trigger::Quiet).then_some(left),
            quiet: self.analyst.quiet_ratios(),
        };
        let mut trial = self.core.trial(id, round, &request);
        trial.looks.iter_mut().flat_map(|looks| &mut looks.cores).for_each(mislead);
        self.waited_ns += trial.waited_ns.unwrap();
        self.analyst.add_trial(&trial);
    }

    /// A trial of another point, whose looks are changed.
    pub fn other(&mut self, round: u32, mislead: impl Fn(&mut CoreLooks)) {
        let id = self.others.clone();
        self.trial(&id, round, mislead);
    }

    fn others(&mut self, round: u32, count: u32) {
        (0..count).for_each(|_| self.other(round, |_| ()));
    }

    /// Rounds, in the order of time, until the point needs no more.
    pub fn rounds(&mut self, rounds: std::ops::RangeInclusive<u32>) {
        let id = self.id.clone();
        for round in rounds {
            self.others(round, OTHERS.1);
            self.trial(&id, round, |_| ());
            self.analyst.end_round(round);
            if self.analyst.may_close(&id) {
                return;
            }
        }
    }

    pub fn row(&self) -> Row {
        self.analyst.row(&self.id).unwrap()
    }

    /// The same at a clock to which another run can be carried, too.
    fn at_clock(self, hz: Option<f64>) -> Analysis {
        self.analyst.at_clock(hz).analysis()
    }
}

/// What `compare` says of two runs on one machine, in the second of which the operation costs this many times as much.
fn compared(machine: SharedCore, factor: f64, seed: u64) -> Decision {
    let second = SharedCore { cost_ns: machine.cost_ns * factor, ..machine };
    let runs = [(machine, seed), (second, seed + 1_000_000)].map(|(machine, seed)| {
        let mut run = Run::new(machine, Trigger::Quiet, 1.08, seed);
        run.others(1, OTHERS.0);
        run.rounds(1..=ROUNDS);
        run
    });
    let [first, second] = &runs;
    let clock = common_clock(&[
        (&Machine::default(), first.analyst.clock()),
        (&Machine::default(), second.analyst.clock()),
    ]);
    let [first, second] = runs.map(|run| run.at_clock(clock));
    beside(&first, &second, [&Machine::default(); 2]).points[0].decision
}

#[test]
fn runs_beside_a_neighbour_differ_where_two_percent_were_planted_and_nowhere_else() {
    let machine = SharedCore { layout: 0.005, longer_chain: 1.3, ..SharedCore::default() };
    let changed = |factor: f64, seeds: std::ops::Range<u64>| {
        let decisions = seeds.map(|seed| compared(machine, factor, seed));
        decisions.filter(|decision| decision.is_change()).count()
    };
    let same = changed(1.0, 0..200);
    assert!(same <= 4, "{same} of 200 pairs of the same are said to differ");
    let planted = changed(1.02, 200..240);
    assert!(planted >= 30, "of 40 pairs with 2 % planted {planted} are said to differ");
}

/// The row of a whole run.
pub fn run(machine: SharedCore, trigger: Trigger, factor: f64, seed: u64) -> Row {
    let mut run = Run::new(machine, trigger, factor, seed);
    run.others(1, OTHERS.0);
    run.rounds(1..=ROUNDS);
    run.row()
}

/// The truth at the clock at which a row gives its value.
pub fn truth(machine: &SharedCore, row: &Row) -> f64 {
    let hz = row.estimate.as_ref().unwrap().core_hz.unwrap();
    machine.cost_ns * (CLOCK.1 / hz).powf(machine.elasticity)
}

/// What runs with several seeds came to.
#[derive(Default, Debug, Clone, Copy)]
struct Outcome {
    /// Rows of the quiet state.
    quiet: u32,
    /// Of those, intervals that cover the truth.
    covered: u32,
    /// Their mean error as a share of the truth.
    error: f64,
}

fn outcome(machine: SharedCore, seeds: std::ops::Range<u64>) -> Outcome {
    let mut outcome = Outcome::default();
    for seed in seeds {
        let row = run(machine, Trigger::Quiet, 1.08, seed);
        if row.core.unwrap().state == CoreState::Quiet {
            let truth = truth(&machine, &row);
            let estimate = row.estimate.unwrap();
            let (low, high) = estimate.interval.unwrap().ends();
            outcome.quiet += 1;
            outcome.covered += u32::from(low <= truth && truth <= high);
            outcome.error += estimate.typical / truth - 1.0;
        }
    }
    outcome.error /= f64::from(outcome.quiet.max(1));
    outcome
}

/// Runs a grid of neighbours; the share of the intervals that cover the truth.
fn coverage(batch_ns: f64, stretches: &[f64], duties: &[f64], seeds: u64) -> f64 {
    let (mut quiet, mut covered, mut first) = (0, 0, 0);
    for &stretch_ns in stretches {
        for &duty in duties {
            for slowdown in [1.1, 1.5, 2.0] {
                let neighbour = Neighbour { duty, stretch_ns, slowdown, probe: 1.5 };
                let machine = SharedCore {
                    batch_ns: Some(batch_ns),
                    neighbour,
                    longer_chain: 1.2,
                    ..SharedCore::default()
                };
                let one = outcome(machine, first..first + seeds);
                let cell = format!("{duty} of {} us, slower by {slowdown}: {one:?}", stretch_ns / 1e3);
                assert!(one.error.abs() < 0.01, "{cell}");
                assert!(u64::from(one.quiet) == seeds || duty * stretch_ns > 4e8, "{cell}");
                first += seeds;
                quiet += one.quiet;
                covered += one.covered;
            }
        }
    }
    f64::from(covered) / f64::from(quiet)
}

#[test]
fn quiet_cost_is_found_within_1_percent_and_intervals_cover_it_at_any_duty() {
    let share = coverage(1e4, &[1e6, 3e7, 1e9], &[0.1, 0.5, 0.9], 12);
    assert!((0.93..=0.99).contains(&share), "{share}");
}

#[test]
fn quiet_cost_is_found_between_visits_of_50_us_by_samples_of_14_us() {
    let share = coverage(2e3, &[5e4, 2e5], &[0.1, 0.5, 0.9], 12);
    assert!((0.91..=0.99).contains(&share), "{share}");
}

/// Iterations of 20 µs timed individually, one of 20 of which takes three times as long.
fn tailed() -> SharedCore {
    SharedCore { cost_ns: 20_000.0, batch_ns: None, tail: 0.05, clock_step: 0.0, ..SharedCore::default() }
}

#[test]
fn share_and_lengths_of_quiet_time_are_those_of_the_neighbour() {
    for (duty, stretch_ns) in [(0.3, 2e6), (0.5, 2e6), (0.7, 2e6)] {
        let mut machine = SharedCore::default();
        (machine.neighbour.duty, machine.neighbour.stretch_ns) = (duty, stretch_ns);
        let mut run = Run::new(machine, Trigger::Quiet, 1.08, 2);
        run.others(1, 300);
        let cpu = run.analyst.analysis().cpus[0];
        let shared_ns = cpu.shared_ns.unwrap() / (2.0 * duty * stretch_ns);
        let quiet_ns = cpu.quiet_ns.unwrap() / (2.0 * (1.0 - duty) * stretch_ns);
        assert!((cpu.quiet_share - (1.0 - duty)).abs() < 0.07, "{duty}: {cpu:?}");
        // Visits between two looks are not seen, and an interrupted probe of a shared core may look quiet.
        assert!((0.5..1.5).contains(&shared_ns), "{duty}: {shared_ns}");
        assert!((0.5..1.5).contains(&quiet_ns), "{duty}: {quiet_ns}");
    }
}

#[test]
fn looks_of_points_measured_together_count_once() {
    let of = |copies: usize| {
        let mut run = Run::new(SharedCore::default(), Trigger::Quiet, 1.08, 3);
        for round in 1..=40 {
            let trial = run.core.trial(&run.others, round, &TriggerRequest::default());
            run.analyst.add_trial(&trial);
            let together = Trial { id: run.id.clone(), ..trial };
            // Not of every trial, so that copies have a weight that would show.
            let copies = if round % 2 == 0 { copies } else { 0 };
            (0..copies).for_each(|_| run.analyst.add_trial(&together));
        }
        let cpu = run.analyst.analysis().cpus[0];
        (run.analyst.quiet_ratios(), cpu.quiet_share, cpu.quiet_ns, cpu.shared_ns)
    };
    assert_eq!(of(0), of(9));
}

/// Share of the samples of a row beyond a value.
fn share_beyond(row: &Row, value: f64) -> f64 {
    let bars = row.distribution.as_ref().unwrap();
    let width = (bars.high - bars.low) / bars.counts.len() as f64;
    let first = ((value - bars.low) / width).max(0.0).ceil() as usize;
    let inside: usize = bars.counts.iter().skip(first).sum();
    (inside + bars.above) as f64 / bars.samples() as f64
}

#[test]
fn an_operation_keeps_its_own_median_and_tail() {
    let machine = tailed();
    let rows: Vec<Row> = (0..40).map(|seed| run(machine, Trigger::Quiet, 1.08, seed)).collect();
    for row in &rows {
        let error = row.estimate.as_ref().unwrap().typical / truth(&machine, row) - 1.0;
        assert!(error.abs() < 0.015, "{error}");
    }
    let tails = rows.iter().map(|row| share_beyond(row, 2.0 * machine.cost_ns));
    let tail = stats::spread::mean(tails).unwrap();
    // A slow one is longer and meets the neighbour more often.
    assert!((0.042..0.053).contains(&tail), "{tail}");
}

/// Mean over runs of what a row says, with its standard error.
fn mean_of(rows: &[Row], value: impl Fn(&Row) -> f64) -> (f64, f64) {
    let values: Vec<f64> = rows.iter().map(value).collect();
    let error = stats::spread::deviation(&values).unwrap() / (values.len() as f64).sqrt();
    (stats::spread::mean(&values).unwrap(), error)
}

#[test]
fn sham_trigger_reproduces_the_untriggered_distribution() {
    let machine = SharedCore { clock_step: 0.0, ..SharedCore::default() };
    let [off, sham, quiet] = [Trigger::Off, Trigger::Sham, Trigger::Quiet].map(|trigger| {
        let seeds = (0..80).map(|seed| 1_000 * trigger as u64 + seed);
        seeds.map(|seed| run(machine, trigger, 1.08, seed)).collect::<Vec<Row>>()
    });
    let same = |value: &dyn Fn(&Row) -> f64| {
        let [(off, off_error), (sham, sham_error), (quiet, _)] =
            [&off, &sham, &quiet].map(|rows| mean_of(rows, value));
        let error = off_error.hypot(sham_error);
        assert!((off - sham).abs() < 3.0 * error, "{sham}, not {off}");
        assert!(off - quiet > 3.0 * error, "{quiet} of {off}");
    };
    for beyond in [1.03, 1.2, 1.4] {
        same(&|row| share_beyond(row, beyond * machine.cost_ns));
    }
    same(&|row| row.estimate.as_ref().unwrap().typical);
}

#[test]
fn estimate_does_not_depend_on_the_gate_factor_or_the_length_of_a_sample() {
    // A factor within the step of the clock needs a finer clock.
    let factors = [1.05, 1.08, 1.12, 1.2].map(|factor| (factor, 10_000.0, 20.0));
    let finer = [1.03, 1.08].map(|factor| (factor, 10_000.0, 1.0));
    let lengths = [20e3, 50e3, 100e3, 200e3].map(|ns| (1.08, ns / 7.0, 20.0));
    for seed in 0..10 {
        let of = |(factor, batch_ns, quantum): (f64, f64, f64)| {
            let machine = SharedCore {
                batch_ns: Some(batch_ns),
                clock_step: 0.0,
                layout: 0.002,
                quantum,
                ..SharedCore::default()
            };
            let row = run(machine, Trigger::Quiet, factor, seed);
            assert_eq!(row.core.unwrap().state, CoreState::Quiet, "{factor}");
            row.estimate.unwrap()
        };
        let middle = of((1.08, 10_000.0, 20.0));
        for plan in factors.into_iter().chain(finer).chain(lengths) {
            let other = of(plan);
            let ((low, high), (from, to)) = (other.interval.unwrap().ends(), middle.interval.unwrap().ends());
            assert!(low <= to && from <= high, "{plan:?}: {other:?}, not {middle:?}");
            let ratio = other.typical / middle.typical;
            assert!((ratio - 1.0).abs() < 0.005, "{plan:?}: {ratio}");
        }
    }
}
