//! A run with an environment: its trials apart from the native ones, believed by what workers saw, compared in pairs.

use crate::simulated::{Course, Simulated, analyst, point, settings, witness};
use analysis::{
    Analysis, Analyst, Compare, Compared, Decision, Limits, Verdict, compare, decompositions, skip_unproven,
};
use record::{
    AttributeChange, Attributes, Counted, Environment, Estimator, Evidence, Formula, Line, Machine, Origin,
    Plan, PlannedPoint, PointId, Prediction, Rehearsal, Term, TermSide, Trial, Witness,
};

const ROUNDS: u32 = 16;
const NAME: &str = "box";

fn environment() -> Environment {
    Environment {
        name: NAME.to_owned(),
        title: "a box".to_owned(),
        prefix: vec![NAME.to_owned()],
        differs: vec![AttributeChange {
            name: "filters".to_owned(),
            native: "0".to_owned(),
            environment: "1".to_owned(),
        }],
        start_ns: None,
        started_by_round: None,
        skip: None,
    }
}

/// A machine whose pace changes from round to round by a tenth, with points of these ids natively and in the environment,
/// where each costs `factor` times as much; workers there see `filters`.
struct Run {
    native: Analyst,
    there: Analyst,
    /// Whether trials in the environment have evidence.
    is_counted: bool,
}

impl Run {
    fn of(ids: &[&str], predictions: &[(&str, Prediction)], factor: f64, filters: &str, seed: u64) -> Self {
        let points = ids.iter().map(|id| counted(point(id, ""))).collect();
        let mut native = analyst(points, settings(0.02, 12));
        for (id, prediction) in predictions {
            native.predict(&PointId::new(id, ""), prediction);
        }
        let there = native.clone().within(&environment());
        let mut run = Self { native, there, is_counted: filters != "uncounted" };
        let quiet = Simulated { layout: 0.003, ..Simulated::default() };
        let slower = Simulated { cost_ns: quiet.cost_ns * factor, ..quiet };
        for (index, id) in ids.iter().enumerate() {
            let seed = seed * 1000 + index as u64 * 10;
            let (mut one, mut other) =
                (Course::new(quiet, ROUNDS, seed), Course::new(slower, ROUNDS, seed + 1));
            let id = PointId::new(id, "");
            for round in 1..=ROUNDS {
                run.add(one.trial(&id, round), None);
                let seen = Attributes::from([("filters".to_owned(), filters.to_owned())]);
                run.add(other.trial(&id, round), Some(seen));
            }
        }
        run
    }

    /// Every analyst sees every line, as when a record is read.
    fn add(&mut self, trial: Trial, seen: Option<Attributes>) {
        let pace = 1.0 + 0.1 * f64::from(trial.round * 7 % 5) / 4.0;
        let environment = seen.as_ref().map(|_| NAME);
        let mut trial = trial;
        for series in &mut trial.series {
            let paced = series.cpu_ns.iter().map(|ns| (*ns as f64 * pace) as i64);
            series.cpu_ns = paced.collect();
        }
        let line = Line::Trial(Box::new(Trial {
            id: trial.id.within(environment),
            ns_per_tick: trial.ns_per_tick * pace,
            evidence: match self.is_counted || seen.is_none() {
                true => trial.evidence.clone(),
                false => Vec::new(),
            },
            attributes: seen.unwrap_or_default(),
            ..trial
        }));
        self.native.add(&line);
        self.there.add(&line);
    }

    fn compared(&self, paired: bool) -> Compared {
        let (first, mut second) = (self.native.analysis(), self.there.analysis());
        skip_unproven(&first.rows, &mut second.rows);
        let (machine, plan) = (Machine::default(), plan());
        let side = |analysis| Compare { machine: &machine, plan: &plan, analysis, period: None };
        let limits = Limits { paired, ..Limits::default() };
        compare(&side(&first), &side(&second), &limits).points.remove(0)
    }
}

/// With a count of its system calls, which may be any.
fn counted(mut point: PlannedPoint) -> PlannedPoint {
    point.witnesses.push(Witness {
        counter: "calls".to_owned(),
        origin: Origin::Rehearsal,
        high: 9.0,
        ..Witness::default()
    });
    point
}

fn plan() -> Plan {
    Plan { settings: settings(0.02, 12), ..Plan::default() }
}

fn one(factor: f64, filters: &str, seed: u64) -> Run {
    Run::of(&["target"], &[], factor, filters, seed)
}

fn value(analysis: &Analysis, id: &str) -> f64 {
    let row = analysis.row(&PointId::new(id, "")).unwrap();
    row.estimate.as_ref().unwrap().typical
}

#[test]
fn each_analyst_takes_in_the_trials_of_its_environment_alone() {
    let run = one(2.0, "1", 1);
    let ratio = value(&run.there.analysis(), "target") / value(&run.native.analysis(), "target");
    assert!((ratio - 2.0).abs() < 0.02, "{ratio}");
    let natively = run.native.analysis();
    assert_eq!(
        natively.rows[0].trials.len(),
        ROUNDS as usize,
        "{:?} {:?}",
        natively.rows[0].reasons,
        natively.rows[0].set_aside
    );
    assert!(run.native.analysis().notes.is_empty() && run.there.analysis().notes.is_empty());
}

/// What a sandbox says of the core's clock is nothing to carry a value by.
#[test]
fn a_core_clock_that_was_found_by_the_clock_of_a_sandbox_is_left_out() {
    let clock = |name: &str| {
        let mut there = analyst(vec![point("target", "")], settings(0.02, 12)).within(&environment());
        let trial = Course::new(Simulated::default(), 1, 1).trial(&PointId::new("target", ""), 1);
        there.add(&Line::Trial(Box::new(Trial {
            id: trial.id.within(Some(NAME)),
            clock: name.to_owned(),
            core_hz: Some(6e9),
            attributes: Attributes::from([("filters".to_owned(), "1".to_owned())]),
            ..trial
        })));
        there.clock()
    };
    assert_eq!(clock("tsc"), Some(6e9));
    assert_eq!(clock("monotonic_raw"), None);
}

#[test]
fn a_planted_ratio_is_found_within_two_percent() {
    for (factor, seed) in [(1.0625, 1), (1.25, 2), (1.86, 3), (4.0, 4), (100.0, 5)] {
        let compared = one(factor, "1", seed).compared(true);
        let found = compared.cost().unwrap() / factor;
        assert!((found - 1.0).abs() < 0.02, "{factor}: off by {found}");
        assert_eq!(compared.decision, Decision::Slower, "{factor}");
    }
}

#[test]
fn pairs_find_what_a_machine_that_changes_its_pace_hides() {
    let found = |paired| {
        let decisions = (0..50).map(|seed| one(1.03, "1", seed).compared(paired).decision);
        decisions.filter(|decision| *decision == Decision::Slower).count()
    };
    let (paired, apart) = (found(true), found(false));
    eprintln!("{:?}", one(1.03, "1", 1).compared(true));
    assert!(paired >= 48 && apart <= 25, "{paired} of 50 in pairs, {apart} without");
}

#[test]
fn an_environment_that_costs_nothing_is_rarely_said_to() {
    let changed = (0..200).filter(|&seed| one(1.0, "1", seed).compared(true).decision.is_change());
    let changed = changed.count();
    assert!(changed <= 4, "{changed} of 200 are said to differ");
}

#[test]
fn what_is_cheaper_there_is_believed_with_evidence_only() {
    assert_eq!(one(0.5, "1", 1).compared(true).decision, Decision::Faster);
    let unproven = one(0.5, "uncounted", 1).compared(true);
    assert_eq!((unproven.decision, unproven.change), (Decision::Incomparable, None));
    assert!(unproven.is_lost(), "{unproven:?}");
}

#[test]
fn workers_that_saw_nothing_of_it_give_no_number() {
    let run = one(2.0, "0", 1);
    let analysis = run.there.analysis();
    let row = &analysis.rows[0];
    assert_eq!(row.verdict, Verdict::Failed);
    assert!(row.estimate.is_none());
    assert_eq!(run.compared(true).decision, Decision::Incomparable);
}

#[test]
fn a_difference_is_made_of_the_differences_of_its_parts_and_a_rest() {
    let term = |name: &str, formula| Term { name: name.to_owned(), side: TermSide::Software, formula };
    let composite = Prediction {
        from_facts: Vec::new(),
        from_parts: vec![term("two calls", Formula::part("call", "").times(2.0))],
    };
    let run = Run::of(&["whole", "call"], &[("whole", composite)], 1.5, "1", 3);
    let points = decompositions(&run.native.analysis(), &run.there.analysis());
    let [whole, call] = points.as_slice() else { panic!("{points:?}") };
    assert!(call.terms.is_empty() && !call.is_explained());
    // Each costs 50 ns natively and 75 there: two calls would be 50 ns more, and the whole is 25 ns more.
    let [term] = whole.terms.as_slice() else { panic!("{whole:?}") };
    let scale = whole.first.value / 50.0;
    assert!((term.by.value / scale - 50.0).abs() < 2.0, "{whole:?}");
    assert!((whole.by.value / scale - 25.0).abs() < 1.0, "{whole:?}");
    assert!((whole.rest.value - (whole.by.value - term.by.value)).abs() < 1e-9);
    assert!(whole.rest.value < 0.0 && !whole.is_explained());
}

/// What a tracer adds to the count by which a cost is divided is no work of the operation.
#[test]
fn a_divisor_keeps_its_limits_and_other_counts_may_be_more() {
    let witness = |counter: &str| witness(counter, 1.9, 2.2);
    let mut planned = point("target", "");
    planned.witnesses = vec![witness("switches"), witness("answers")];
    let limits = |estimator: Estimator| {
        let planned = PlannedPoint { estimator, ..planned.clone() };
        let there = analyst(vec![planned], settings(0.02, 12)).within(&environment());
        let row = there.analysis().rows.remove(0);
        let highs = row.point.witnesses.iter().map(|witness| witness.high);
        highs.collect::<Vec<f64>>()
    };
    let per = "switches".to_owned();
    assert_eq!(limits(Estimator::SlopeLessControl { per }), [2.2, f64::INFINITY]);
    assert_eq!(limits(Estimator::Slope), [f64::INFINITY, f64::INFINITY]);
}

#[test]
fn what_has_no_parts_is_made_of_as_many_calls_as_were_counted() {
    let mut run = Run::of(&["pair", "call"], &[], 1.5, "1", 3);
    for (id, calls) in [("pair", 2.0), ("call", 1.0)] {
        let counted = Counted::Count { count: 8.0 * calls, iterations: 8.0 };
        let line = Line::Rehearsal(Rehearsal {
            id: PointId::new(id, ""),
            evidence: vec![Evidence { counter: "calls".to_owned(), counted }],
        });
        run.native.add(&line);
    }
    let points = decompositions(&run.native.analysis(), &run.there.analysis());
    let [pair, call] = points.as_slice() else { panic!("{points:?}") };
    assert!(call.calls.is_none() && !call.has_parts());
    let calls = pair.calls.as_ref().unwrap();
    assert_eq!((calls.count, &calls.like), (2.0, &call.id));
    assert!((calls.by.value - 2.0 * call.by.value).abs() < 1e-9);
    // The pair costs as much as one call: two calls are too much.
    assert!(pair.rest.value < 0.0 && !pair.is_explained(), "{pair:?}");
}
