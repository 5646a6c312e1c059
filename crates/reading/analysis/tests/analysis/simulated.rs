//! A simulated machine: trials of known cost with everything that real machines add to it.

use analysis::{Analyst, Row};
use fastrand::Rng;
use record::{
    Counted, Evidence, Gate, Machine, Plan, PlannedPoint, PointId, Role, Sampling, Series, Settings, Trial,
    Witness,
};
use std::f64::consts::TAU;

/// How the speed of a machine changes over a run.
#[derive(Clone, Copy)]
pub enum Drift {
    /// Not at all.
    None,
    /// From one end of ± this share to the other.
    Linear(f64),
    /// One and a half waves of ± this share, beginning anywhere.
    Sine(f64),
}

/// A machine with one operation of known cost.
#[derive(Clone, Copy)]
pub struct Simulated {
    /// Nanoseconds per iteration: the truth.
    pub cost_ns: f64,
    /// Iterations of the shortest batch.
    pub n: u64,
    /// Triples of a trial.
    pub triples: usize,
    /// What every batch costs besides, in nanoseconds.
    pub overhead_ns: f64,
    /// Change over the run.
    pub drift: Drift,
    /// Deviation between trials of the logarithm of the cost.
    pub layout: f64,
    /// Deviation between batches of the logarithm of the cost.
    pub noise: f64,
    /// Share of batches that take up to ten times as long, for no reason that can be named.
    pub outliers: f64,
    /// Step of the clock in ticks.
    pub quantum: f64,
    /// Nanoseconds in a tick.
    pub ns_per_tick: f64,
    /// Share of the time that a competitor takes the CPU.
    pub competitor: f64,
}

impl Default for Simulated {
    fn default() -> Self {
        Self {
            cost_ns: 50.0,
            n: 200,
            triples: 40,
            overhead_ns: 30.0,
            drift: Drift::None,
            layout: 0.02,
            noise: 0.01,
            outliers: 0.05,
            quantum: 1.0,
            ns_per_tick: 0.5,
            competitor: 0.0,
        }
    }
}

/// Time slice that a competitor takes at once.
const SLICE_NS: f64 = 3e6;

/// A standard normal random number.
pub fn normal(random: &mut Rng) -> f64 {
    (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (TAU * random.f64()).cos()
}

/// One run of a machine: what stays the same over its trials.
pub struct Course {
    machine: Simulated,
    random: Rng,
    phase: f64,
    rounds: u32,
}

/// Wall and CPU time of a batch.
struct Lasted {
    wall_ns: f64,
    cpu_ns: f64,
}

impl Course {
    pub fn new(machine: Simulated, rounds: u32, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let phase = random.f64();
        Self { machine, random, phase, rounds }
    }

    fn drift(&self, round: u32) -> f64 {
        let at = f64::from(round - 1) / f64::from(self.rounds.max(2) - 1);
        match self.machine.drift {
            Drift::None => 1.0,
            Drift::Linear(share) => {
                1.0 + share * (2.0 * at - 1.0) * if self.phase < 0.5 { 1.0 } else { -1.0 }
            }
            Drift::Sine(share) => 1.0 + share * (TAU * (1.5 * at + self.phase)).sin(),
        }
    }

    /// What an iteration truly costs in this round.
    pub fn level(&self, round: u32) -> f64 {
        self.machine.cost_ns * self.drift(round)
    }

    fn batch(&mut self, cost_ns: f64, iterations: u64) -> Lasted {
        let machine = self.machine;
        let random = &mut self.random;
        let mut cpu_ns =
            machine.overhead_ns + cost_ns * iterations as f64 * (machine.noise * normal(random)).exp();
        if random.f64() < machine.outliers {
            cpu_ns *= 1.0 + 9.0 * random.f64();
        }
        let mut wall_ns = cpu_ns;
        // A slice is lost whenever the own one runs out, which lasts as long as its share says.
        let own_slice = SLICE_NS * (1.0 - machine.competitor) / machine.competitor.max(1e-9);
        if random.f64() < cpu_ns / own_slice {
            wall_ns += SLICE_NS;
        }
        Lasted { wall_ns, cpu_ns }
    }

    fn read(&mut self, wall_ns: f64) -> i64 {
        let quantum = self.machine.quantum;
        let start = self.random.f64() * quantum;
        let ticks = wall_ns / self.machine.ns_per_tick;
        (((start + ticks) / quantum).floor() * quantum) as i64
    }

    /// The trial of one round.
    pub fn trial(&mut self, id: &PointId, round: u32) -> Trial {
        let layout = (self.machine.layout * normal(&mut self.random)).exp();
        let cost_ns = self.level(round) * layout;
        let mut series = Series::new(Role::Main, Sampling::Triples, self.machine.n);
        for at in 0..3 * self.machine.triples {
            let lasted = self.batch(cost_ns, self.machine.n << (at % 3));
            series.ticks.push(self.read(lasted.wall_ns));
            series.cpu_ns.push(lasted.cpu_ns as i64 + CPU_COST_NS as i64);
        }
        trial(id, round, self.machine.ns_per_tick, vec![series])
    }
}

/// What reading the CPU time costs on the simulated machine.
pub const CPU_COST_NS: f64 = 200.0;

/// A trial that did its work.
pub fn trial(id: &PointId, round: u32, ns_per_tick: f64, series: Vec<Series>) -> Trial {
    Trial {
        round,
        id: id.clone(),
        started_ns: 0,
        clock: "tsc".to_owned(),
        ns_per_tick,
        core_hz: Some(3e9),
        clock_cost_ticks: 20.0,
        cpu_cost_ns: CPU_COST_NS,
        cpu: Some(1),
        pinned: true,
        looks: None,
        waited_ns: None,
        attributes: record::Attributes::new(),
        series,
        evidence: vec![counted("answers", 1.0)],
    }
}

/// Evidence of this count per iteration.
pub fn counted(counter: &str, count: f64) -> Evidence {
    Evidence { counter: counter.to_owned(), counted: Counted::Count { count: count * 1e3, iterations: 1e3 } }
}

/// A positive witness of the trials.
pub fn witness(counter: &str, low: f64, high: f64) -> Witness {
    let proves = format!("there were {counter}");
    Witness { counter: counter.to_owned(), low, high, positive: true, proves, ..Witness::default() }
}

/// A planned latency.
pub fn point(operation: &str, parameters: &str) -> PlannedPoint {
    PlannedPoint {
        area: "cpu".to_owned(),
        title: operation.to_owned(),
        one_iteration: "once".to_owned(),
        gate: Gate { cpu_share: Some(0.97), ..Gate::default() },
        witnesses: vec![witness("answers", 1.0, 1.0)],
        ..PlannedPoint::new(PointId::new(operation, parameters))
    }
}

/// Settings of a run of up to 20 rounds.
pub fn settings(precision: f64, least_rounds: u32) -> Settings {
    Settings {
        budget_s: 60.0,
        precision,
        least_rounds,
        most_rounds: 20,
        seed: 1,
        cpu: Some(1),
        ..Settings::default()
    }
}

/// An analyst of these points.
pub fn analyst(points: Vec<PlannedPoint>, settings: Settings) -> Analyst {
    Analyst::new(&Plan { settings, points, ..Plan::default() }, &Machine::default())
}

/// An analyst that has seen these rounds of one point on a quiet machine.
pub fn watched(planned: PlannedPoint, rounds: u32, change: impl Fn(&mut Trial)) -> Analyst {
    let id = planned.id.clone();
    let mut analyst = analyst(vec![planned], settings(0.05, 6));
    add_trials(&mut analyst, &id, rounds, change);
    analyst
}

/// Adds trials of 50 ns per iteration to a point.
pub fn add_trials(analyst: &mut Analyst, id: &PointId, rounds: u32, change: impl Fn(&mut Trial)) {
    let machine = Simulated { layout: 0.005, outliers: 0.0, ..Simulated::default() };
    let mut course = Course::new(machine, rounds, 5);
    for round in 1..=rounds {
        let mut trial = course.trial(id, round);
        change(&mut trial);
        analyst.add_trial(&trial);
        analyst.end_round(round);
    }
}

/// The row after these rounds of one point on a quiet machine.
pub fn row_of(planned: PlannedPoint, rounds: u32, change: impl Fn(&mut Trial)) -> Row {
    let id = planned.id.clone();
    watched(planned, rounds, change).row(&id).unwrap()
}

/// Whether a row keeps the rule: a number where the verdict allows one, and nowhere else.
pub fn assert_no_number(row: &Row) {
    assert_eq!(row.estimate, None, "{:?}", row.verdict);
    assert!(row.trials.is_empty() && row.modes.is_empty() && row.ratio().is_none());
    assert!(!row.reasons.is_empty());
}
