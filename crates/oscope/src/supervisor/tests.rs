//! The supervisor on a simulated machine: which trials it asks for, in which order, and when it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::done::Done;
use super::executor::{Executor, Outcome};
use super::progress::Quiet;
use super::recorder::Recorder;
use super::rounds::{Orders, Supervisor};
use crate::placement::Cpus;
use analysis::{Analyst, Failure, Reason, Verdict};
use record::*;
use std::collections::{BTreeMap, BTreeSet};

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
        }
    }

    fn measured_together(&mut self, request: &Request) -> Option<Reply> {
        let (operation, costs) = self.together.clone()?;
        (request.id.operation == operation && request.purpose == Purpose::Trial).then(|| {
            let mut ids = costs
                .iter()
                .map(|cost| PointId::new(operation, &format!("cost={cost}")));
            let nowhere = Skip {
                reason: "it is not there".to_owned(),
                remedy: "look elsewhere".to_owned(),
            };
            let absent = ids.next_back().map(|id| (id, nowhere)).into_iter().collect();
            let trials = ids.map(|id| self.trial(&id)).collect();
            Reply::Together { trials, absent }
        })
    }

    fn trial(&mut self, id: &PointId) -> Trial {
        let cost = id.parameter("cost").unwrap().parse::<f64>().unwrap() * (1.0 + 0.01 * self.luck.f64());
        let n = (10_000.0 / cost) as u64 + 1;
        let batch = |n: u64| (n as f64 * cost) as i64;
        let ticks: Vec<i64> = (0..20)
            .flat_map(|_| [batch(n), batch(2 * n), batch(4 * n)])
            .collect();
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
            pinned: true,
            looks: None,
            waited_ns: None,
            attributes: Attributes::new(),
            series: vec![Series {
                ticks,
                ..Series::new(Role::Main, Sampling::Triples, n)
            }],
            evidence: vec![Evidence {
                counter: "answers".to_owned(),
                counted: Counted::Count {
                    count: 1.0,
                    iterations: 1.0,
                },
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
            Purpose::Rehearsal => Reply::Rehearsal(Rehearsal {
                id: request.id.clone(),
                evidence: Vec::new(),
            }),
            Purpose::Attributes => Reply::Attributes(Attributes::new()),
        })
    }

    fn interrupted(&self) -> bool {
        self.asked.len() >= self.interrupt_after
    }
}

fn point(operation: &str, cost: u32) -> PlannedPoint {
    let right = operations::find("syscall.floor").unwrap();
    let mut planned = right.planned(&measure::Point::only());
    planned.id = PointId::new(operation, &format!("cost={cost}"));
    planned.bounds.clear();
    planned.witnesses.retain(|witness| witness.counter == "answers");
    planned
}

fn plan(least: u32, most: u32) -> Plan {
    let settings = Settings {
        profile: Profile::Standard,
        budget_s: 60.0,
        precision: 0.03,
        least_rounds: least,
        most_rounds: most,
        seed: 11,
        cpu: Some(0),
        peer_cpu: None,
        reference_methods: false,
        blind: false,
        trigger: Trigger::Quiet,
        directory: None,
        remote_directory: None,
        worker_settings: Vec::new(),
        realtime_share: None,
    };
    Plan {
        left_out: Vec::new(),
        environments: Vec::new(),
        user_predictions: None,
        settings,
        points: vec![
            point("a.x", 10),
            point("b.x", 20),
            point("c.x", 30),
            point("d.x", 40),
        ],
    }
}

/// Runs a plan; gives why it ended, the executor, and what was measured.
fn run(plan: &Plan, executor: &mut Simulated) -> (EndReason, analysis::Analysis, Record) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let machine = Machine::default();
    let mut recorder = Recorder::new(
        Journal::create(&path).unwrap(),
        Analyst::new(plan, &machine),
        Vec::new(),
    );
    recorder.append(&Line::Header(Header {
        format: "oscope".to_owned(),
        schema: SCHEMA,
        program: String::new(),
        commit: None,
        started: String::new(),
        arguments: Vec::new(),
    }));
    recorder.append(&Line::Plan(plan.clone()));
    let orders = Orders {
        plan,
        cpus: &Cpus::default(),
        spend_ns: &|_| 0,
        peer: None,
        directory: None,
        remote_directory: None,
    };
    let reason = Supervisor::new(orders, executor, &mut recorder, &mut Quiet, Done::default())
        .run()
        .0;
    (
        reason,
        recorder.analyst().analysis(),
        Record::read(&path).unwrap(),
    )
}

#[test]
fn every_round_tries_every_point_once_in_another_order() {
    let mut executor = Simulated::new();
    let (reason, ..) = run(&plan(12, 12), &mut executor);
    assert_eq!(reason, EndReason::Rounds);
    let trials: Vec<_> = executor
        .asked
        .iter()
        .filter(|(purpose, ..)| *purpose == Purpose::Trial)
        .collect();
    assert_eq!(trials.len(), 4 * 12);
    let orders: Vec<Vec<&PointId>> = trials
        .chunks(4)
        .map(|round| round.iter().map(|(_, _, id)| id).collect())
        .collect();
    for order in &orders {
        assert_eq!(order.iter().collect::<BTreeSet<_>>().len(), 4);
    }
    assert!(
        orders.iter().collect::<BTreeSet<_>>().len() > 3,
        "the order is shuffled"
    );
}

#[test]
fn every_point_is_rehearsed_once_before_its_first_trial() {
    let mut executor = Simulated::new();
    run(&plan(12, 12), &mut executor);
    for planned in plan(1, 1).points {
        let of_point: Vec<Purpose> = executor
            .asked
            .iter()
            .filter(|(_, _, id)| *id == planned.id)
            .map(|(purpose, ..)| *purpose)
            .collect();
        assert_eq!(of_point[0], Purpose::Rehearsal);
        assert_eq!(
            of_point
                .iter()
                .filter(|purpose| **purpose == Purpose::Rehearsal)
                .count(),
            1
        );
    }
}

#[test]
fn points_that_are_measured_together_are_asked_for_once_in_a_round() {
    let mut executor = Simulated::new();
    executor.together = Some(("e.x", vec![50, 60, 70]));
    let mut plan = plan(6, 6);
    plan.points.extend([50, 60, 70].map(|cost| point("e.x", cost)));
    let (_, analysis, record) = run(&plan, &mut executor);
    let asked = executor
        .asked
        .iter()
        .filter(|(purpose, _, id)| *purpose == Purpose::Trial && id.operation == "e.x");
    assert_eq!(asked.count(), 6);
    for cost in [50, 60] {
        let id = PointId::new("e.x", &format!("cost={cost}"));
        assert_eq!(record.trials.iter().filter(|trial| trial.id == id).count(), 6);
    }
    let absent = analysis.rows.last().unwrap();
    assert_eq!(absent.verdict, Verdict::Skipped);
    let [Reason::Unmet(_, remedy)] = &absent.reasons[..] else {
        panic!("{:?}", absent.reasons)
    };
    assert_eq!(remedy.as_deref(), Some("look elsewhere"));
}

#[test]
fn what_more_time_would_do_is_known_at_the_end() {
    let all = |precision: f64, interrupt_after: usize| {
        let mut plan = plan(6, 6);
        plan.settings.precision = precision;
        let mut executor = Simulated::new();
        executor.interrupt_after = interrupt_after;
        run(&plan, &mut executor).1.more_time
    };
    let counts = |precision, interrupt_after| {
        let more = all(precision, interrupt_after);
        (more.points, more.beyond)
    };
    assert_eq!(counts(0.03, usize::MAX), (0, 0), "all are narrow");
    assert_eq!(counts(0.001, usize::MAX), (4, 0), "some hundred trials would do");
    assert_eq!(counts(1e-6, usize::MAX), (0, 4), "no number of trials would do");
    assert_eq!(counts(0.03, 4), (4, 0), "two have too few trials, two none");
    assert!(all(0.001, usize::MAX).seconds > 0.0);
}

#[test]
fn points_close_when_they_are_narrow() {
    let mut executor = Simulated::new();
    let (reason, analysis, _) = run(&plan(12, 100), &mut executor);
    assert_eq!(reason, EndReason::Narrow);
    assert!(
        analysis.rounds >= 12 && analysis.rounds < 40,
        "{}",
        analysis.rounds
    );
    for (row, truth) in analysis.rows.iter().zip([10.0, 20.0, 30.0, 40.0]) {
        assert_eq!(row.verdict, Verdict::Measured, "{:?}", row.reasons);
        let (low, high) = row.estimate.as_ref().unwrap().interval.unwrap();
        assert!(
            low > truth * FEMTO * 0.999 && high < truth * FEMTO * 1.011,
            "{truth}: {low} … {high}"
        );
    }
}

#[test]
fn an_interrupt_ends_the_round_in_flight() {
    let mut executor = Simulated {
        interrupt_after: 30,
        ..Simulated::new()
    };
    let (reason, analysis, record) = run(&plan(12, 100), &mut executor);
    assert_eq!(reason, EndReason::Interrupted);
    assert!(executor.asked.len() <= 31);
    assert_eq!(record.rounds.len(), analysis.rounds as usize);
    assert!(
        analysis.rows.iter().all(|row| row.estimate.is_some()),
        "what was measured is kept"
    );
}

#[test]
fn a_point_that_breaks_every_worker_fails_and_the_run_goes_on() {
    let mut executor = Simulated {
        broken: Some("b.x"),
        ..Simulated::new()
    };
    let (reason, analysis, _) = run(&plan(12, 100), &mut executor);
    assert_eq!(reason, EndReason::Narrow);
    let verdicts: Vec<Verdict> = analysis.rows.iter().map(|row| row.verdict).collect();
    assert_eq!(
        verdicts,
        [
            Verdict::Measured,
            Verdict::Failed,
            Verdict::Measured,
            Verdict::Measured
        ]
    );
    let [Reason::Failed(Failure::Reported(why), ..)] = &analysis.rows[1].reasons[..] else {
        panic!("{:?}", analysis.rows[1].reasons)
    };
    assert!(why.contains("signal 11"), "{why}");
    let tried = executor
        .asked
        .iter()
        .filter(|(_, _, id)| id.operation == "b.x")
        .count();
    assert!(tried <= 4, "it is not tried for ever: {tried}");
}

#[test]
fn planned_skips_are_never_tried() {
    let mut plan = plan(6, 6);
    plan.points[2].skip = Some(Skip {
        reason: "no".to_owned(),
        remedy: "yes".to_owned(),
    });
    let mut executor = Simulated::new();
    let (_, analysis, _) = run(&plan, &mut executor);
    assert!(executor.asked.iter().all(|(_, _, id)| id.operation != "c.x"));
    assert_eq!(analysis.rows[2].verdict, Verdict::Skipped);
}

#[test]
fn the_record_says_all_that_the_run_knew() {
    let mut executor = Simulated::new();
    let (_, analysis, record) = run(&plan(8, 8), &mut executor);
    let again = analysis::analyse(&record);
    let estimates = |analysis: &analysis::Analysis| {
        analysis
            .rows
            .iter()
            .map(|row| row.estimate.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(estimates(&again), estimates(&analysis));
    assert_eq!(again.rounds, 8);
}

#[test]
fn taking_up_again_tries_only_what_the_round_in_flight_lacks() {
    let plan = plan(12, 100);
    let mut executor = Simulated {
        interrupt_after: 23,
        ..Simulated::new()
    };
    let (_, _, record) = run(&plan, &mut executor);
    let done = Done::in_record(&record);
    let before: BTreeSet<(u32, PointId)> = record
        .trials
        .iter()
        .map(|trial| (trial.round, trial.id.clone()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::create(&folder.path().join("more")).unwrap();
    let mut recorder = Recorder::new(journal, Analyst::of(&record, &plan), Vec::new());
    let mut more = Simulated::new();
    let orders = Orders {
        plan: &plan,
        cpus: &Cpus::default(),
        spend_ns: &|_| 0,
        peer: None,
        directory: None,
        remote_directory: None,
    };
    let reason = Supervisor::new(orders, &mut more, &mut recorder, &mut Quiet, done)
        .run()
        .0;
    assert_eq!(reason, EndReason::Narrow);
    assert!(
        more.asked.iter().all(|(purpose, ..)| *purpose == Purpose::Trial),
        "rehearsed already"
    );
    let first_round: Vec<&PointId> = more
        .asked
        .iter()
        .take(4 - before.len() % 4)
        .map(|(_, _, id)| id)
        .collect();
    let in_flight = record.rounds.len() as u32 + 1;
    assert!(
        first_round
            .iter()
            .all(|id| !before.contains(&(in_flight, (*id).clone()))),
        "no trial twice in a round"
    );
    let least = recorder
        .analyst()
        .rows()
        .iter()
        .map(|row| row.estimate.as_ref().unwrap().trials)
        .min();
    assert!(least >= Some(12), "{least:?}");
}
