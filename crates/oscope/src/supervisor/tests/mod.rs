//! The supervisor on a simulated machine: which trials it asks for, in which order, and when it ends.

mod again;
mod changes;
mod end;
mod order;

use super::completed_work::CompletedWork;
use super::executor::{Executor, Outcome};
use super::monitor::Monitor;
use super::progress::Progress;
use super::recorder::Recorder;
use super::rounds::{Orders, Supervisor};
use crate::placement::Cpus;
use analysis::{Analyst, Failure, Reason, Verdict};
use record::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Nanoseconds in a simulated tick: the simulation answers at once, and no batch may last longer than that.
const FEMTO: f64 = 1e-6;

/// A machine on which every point costs what its name says, with a little luck in every process.
struct Simulated {
    asked: Vec<(Purpose, u32, PointId)>,
    round: BTreeMap<PointId, u32>,
    luck: fastrand::Rng,
    interrupt_after: usize,
    /// This operation measures all these points in one go, but for the last, which is not there.
    together: Option<(&'static str, Vec<u32>)>,
    broken: Option<&'static str>,
    /// Trials from this one to that one cost half as much again, and are not bound to their CPU.
    costlier: [usize; 2],
}

impl Simulated {
    fn new() -> Self {
        Self {
            asked: Vec::new(),
            round: BTreeMap::new(),
            luck: fastrand::Rng::with_seed(7),
            interrupt_after: usize::MAX,
            together: None,
            broken: None,
            costlier: [usize::MAX; 2],
        }
    }

    fn measured_together(&mut self, request: &Request) -> Option<Reply> {
        let (operation, costs) = self.together.clone()?;
        (request.id.operation == operation && request.purpose == Purpose::Trial).then(|| {
            let mut ids = costs.iter().map(|cost| PointId::new(operation, &format!("cost={cost}")));
            let nowhere = Skip { reason: "it is not there".to_owned(), remedy: "look elsewhere".to_owned() };
            let absent = ids.next_back().map(|id| (id, nowhere)).into_iter().collect();
            let trials = ids.map(|id| self.trial(&id)).collect();
            Reply::Together { trials, absent }
        })
    }

    fn trial(&mut self, id: &PointId) -> Trial {
        let trials = self.asked.iter().filter(|(purpose, ..)| *purpose == Purpose::Trial).count();
        let is_costlier = (self.costlier[0]..self.costlier[1]).contains(&trials);
        let factor = if is_costlier { 1.5 } else { 1.0 };
        let luck = if id.operation == "wide.x" { 1.0 } else { 0.01 };
        let cost =
            id.parameter("cost").unwrap().parse::<f64>().unwrap() * factor * (1.0 + luck * self.luck.f64());
        let n = (10_000.0 / cost) as u64 + 1;
        let ticks = [n, 2 * n, 4 * n].map(|n| (n as f64 * cost) as i64).repeat(20);
        Trial {
            round: 0,
            id: id.clone(),
            started_ns: 0,
            clock: "simulated".to_owned(),
            ns_per_tick: FEMTO,
            core_hz: None,
            clock_cost_ticks: 20.0,
            cpu_cost_ns: 0.0,
            cpu: None,
            pinned: !is_costlier,
            looks: None,
            waited_ns: None,
            attributes: Attributes::new(),
            series: vec![Series { ticks, ..Series::new(Role::Main, Sampling::Triples, n) }],
            evidence: vec![Evidence {
                counter: "answers".to_owned(),
                counted: Counted::Count { count: 1.0, iterations: 1.0 },
            }],
        }
    }
}

impl Executor for Simulated {
    fn perform(&mut self, _: Option<&str>, request: &Request) -> Outcome {
        let round = self.round.entry(request.id.clone()).or_default();
        *round += u32::from(request.purpose == Purpose::Trial);
        self.asked.push((request.purpose, *round, request.id.clone()));
        if self.broken == Some(request.id.operation.as_str()) {
            return Outcome::Broken("the worker was killed by signal 11".to_owned());
        }
        if let Some(reply) = self.measured_together(request) {
            return Outcome::Reply(reply);
        }
        Outcome::Reply(match request.purpose {
            Purpose::Trial => Reply::Trial(Box::new(self.trial(&request.id))),
            Purpose::Rehearsal => {
                Reply::Rehearsal(Rehearsal { id: request.id.clone(), evidence: Vec::new() })
            }
            Purpose::Attributes => Reply::Attributes(Attributes::new()),
        })
    }

    fn interrupted(&self) -> bool {
        self.asked.len() >= self.interrupt_after
    }
}

fn point(operation: &str, cost: u32) -> PlannedPoint {
    let right = flawed::find("syscall.floor").unwrap();
    let mut planned = right.planned(&measure::Point::only());
    planned.id = PointId::new(operation, &format!("cost={cost}"));
    planned.bounds.clear();
    planned.witnesses.retain(|witness| witness.counter == "answers");
    planned
}

fn plan(least: u32, most: u32) -> Plan {
    let settings = Settings {
        budget_s: 60.0,
        precision: 0.03,
        least_rounds: least,
        most_rounds: most,
        seed: 11,
        cpu: Some(0),
        ..Settings::default()
    };
    Plan {
        settings,
        points: vec![point("a.x", 10), point("b.x", 20), point("c.x", 30), point("d.x", 40)],
        ..Plan::default()
    }
}

/// A machine on which nothing happens until one of its facts changes at this trial, and back at that one.
struct ScriptedMonitor {
    at: [usize; 2],
    read: usize,
    last_ns: u64,
}

impl ScriptedMonitor {
    fn new(at: [usize; 2]) -> Self {
        Self { at, read: 0, last_ns: 0 }
    }
}

impl Monitor for ScriptedMonitor {
    fn read(&mut self, now_ns: u64, _: Duration, _: bool) -> Vec<Line> {
        self.read += 1;
        let after_ns = std::mem::replace(&mut self.last_ns, now_ns);
        let change = self.at.iter().position(|at| *at == self.read).map(|place| {
            let [before, after] = [place == 0, place == 1].map(|set| FactValue::Flag { set });
            let changes = vec![FactChange { key: "clock.source".to_owned(), before, after }];
            Line::Change(MachineChange { after_ns, at_ns: now_ns, at: String::new(), changes })
        });
        change.into_iter().collect()
    }
}

/// Runs rounds of a plan after what is done already; gives why they ended.
fn supervise(
    plan: &Plan,
    executor: &mut Simulated,
    recorder: &mut Recorder,
    done: CompletedWork,
) -> EndReason {
    supervise_on(plan, executor, recorder, &mut ScriptedMonitor::new([0, 0]), done)
}

/// The same on a machine that changes.
fn supervise_on(
    plan: &Plan,
    executor: &mut Simulated,
    recorder: &mut Recorder,
    monitor: &mut dyn Monitor,
    done: CompletedWork,
) -> EndReason {
    let orders = Orders {
        plan,
        cpus: &Cpus::default(),
        spend_ns: &|_| 0,
        peer: None,
        directory: None,
        remote_directory: None,
    };
    Supervisor::new(orders, executor, recorder, &mut Progress::new(true, false), monitor, done).run().0
}

/// Runs a plan; gives why it ended, the executor, and what was measured.
fn run(plan: &Plan, executor: &mut Simulated) -> (EndReason, analysis::Analysis, Record) {
    run_on(plan, executor, &mut ScriptedMonitor::new([0, 0]))
}

/// The same on a machine that changes.
fn run_on(
    plan: &Plan,
    executor: &mut Simulated,
    monitor: &mut dyn Monitor,
) -> (EndReason, analysis::Analysis, Record) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let machine = Machine::default();
    let mut recorder =
        Recorder::new(Journal::create(&path).unwrap(), Analyst::new(plan, &machine), Vec::new());
    recorder.append(&Line::Header(Header {
        format: "oscope".to_owned(),
        schema: SCHEMA,
        ..Header::default()
    }));
    recorder.append(&Line::Plan(plan.clone()));
    let reason = supervise_on(plan, executor, &mut recorder, monitor, CompletedWork::default());
    (reason, recorder.analyst.analysis(), Record::read(&path).unwrap())
}
