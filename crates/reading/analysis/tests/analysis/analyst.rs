//! What an analyst makes of trials whose numbers are exact.

use crate::simulated::{analyst, point, settings, trial};
use analysis::{Analyst, CpuUse, MoreTime, QuietSpan, RunNote, Verdict, analyse};
use record::{
    AttributeChange, CoreLooks, End, EndReason, Environment, Formula, Header, Line, Looks, Plan, PointId,
    Prediction, Record, Role, RoundEnd, SCHEMA, Sampling, Series, Term, TermSide, Trial, TrialFailure,
};

/// Triples of a trial.
const TRIPLES: usize = 40;

fn id(operation: &str) -> PointId {
    PointId::new(operation, "")
}

/// Forty triples of batches of 200 iterations, each of this cost, by a clock of 1 GHz: 280 times the first batch long.
fn exact(operation: &str, round: u32, started_ns: u64, cost_ns: f64) -> Trial {
    let mut series = Series::new(Role::Main, Sampling::Triples, 200);
    let batch = |times: f64| (200.0 * times * cost_ns) as i64;
    series.ticks = [batch(1.0), batch(2.0), batch(4.0)].repeat(TRIPLES);
    Trial { started_ns, ..trial(&id(operation), round, 1.0, vec![series]) }
}

/// Looks at these times, with chains of 1000 ticks and these widths on CPUs 1, 2, ….
fn looks(at: Vec<i64>, widths: Vec<Vec<i64>>) -> Looks {
    let core =
        |(cpu, width): (u32, Vec<i64>)| CoreLooks { cpu: Some(cpu), chain: vec![1_000; width.len()], width };
    Looks { at, additions: 0, cores: (1..).zip(widths).map(core).collect() }
}

/// An exact trial with looks, whose samples are between the first ones.
fn looked(operation: &str, round: u32, started_ns: u64, looks: Looks) -> Trial {
    let mut trial = exact(operation, round, started_ns, 50.0);
    trial.series[0].look = (0..TRIPLES as u32).collect();
    Trial { looks: Some(looks), ..trial }
}

fn analyst_of(operations: &[&str]) -> Analyst {
    analyst(operations.iter().map(|one| point(one, "")).collect(), settings(0.05, 6))
}

/// Trials are timed by two clocks, which may differ by one part in a hundred.
#[test]
fn a_trial_that_lasted_longer_than_until_the_next_one_is_taken_back() {
    // 2.828 ms, which is 1.01 times 2.8 ms.
    for (began, next, counts) in [
        (1_000_000, 3_800_000, 2),
        (1_000_000, 3_799_999, 1),
        (1_000_000, 1_000_000, 2),
        (1_000_000, 900_000, 2),
        (1_000_000, 90_000_000, 2),
    ] {
        let mut analyst = analyst_of(&["a.x"]);
        analyst.add_trial(&exact("a.x", 1, began, 50.5));
        analyst.add_trial(&exact("a.x", 2, next, 50.5));
        let row = analyst.row(&id("a.x")).unwrap();
        assert_eq!(row.trials.len(), counts, "from {began} to {next}");
    }
}

#[test]
fn waiting_is_part_of_the_time_of_a_run() {
    let mut analyst = analyst_of(&["a.x"]);
    assert_eq!(analyst.waited(), None);
    let waited = |round, started_ns, waited_ns| Trial { waited_ns, ..exact("a.x", round, started_ns, 50.0) };
    analyst.add_trial(&waited(1, 1_000_000, Some(200_000)));
    assert_eq!(analyst.waited(), Some(0.05), "of 1 + 2.8 + 0.2 ms");
    analyst.add_trial(&waited(2, 4_000_000, None));
    assert_eq!(analyst.waited(), Some(0.05));
    analyst.add_trial(&waited(3, 7_000_000, Some(200_000)));
    assert_eq!(analyst.waited(), Some(0.04));
    assert_eq!(analyst.analysis().waited, Some(0.04));
}

/// The first core is quiet all the time, the second for the first 60 seconds of 120.
#[test]
fn quiet_time_is_given_by_core_and_by_part_of_the_run() {
    let at: Vec<i64> = (0..=240).map(|look| look * 500_000_000).collect();
    let second = (0..=240).map(|look| if look < 120 { 250 } else { 400 }).collect();
    let mut analyst = analyst_of(&["a.x"]);
    assert_eq!((analyst.least_quiet_share(), analyst.quiet_ratios()), (None, vec![]));
    analyst.add_trial(&looked("a.x", 1, 0, looks(at, vec![vec![250; 241], second])));
    assert_eq!(analyst.quiet_ratios(), [(1, 0.25), (2, 0.25)]);
    let share = 59.75 / 120.0;
    assert_eq!(analyst.least_quiet_share(), Some(share));
    let analysis = analyst.analysis();
    assert_eq!(analysis.least_quiet_share(), Some(share));
    let quiet = CpuUse { cpu: 1, quiet_share: 1.0, quiet_ns: None, shared_ns: None, slowdown: None };
    assert_eq!(
        analysis.cpus,
        [quiet, CpuUse { cpu: 2, quiet_share: share, quiet_ns: Some(59.75e9), ..quiet }]
    );
    let spans = analysis.quiet_spans;
    let span = |from_s, to_s, quiet_share| QuietSpan { from_s, to_s, quiet_share };
    assert_eq!(spans.len(), 41, "of three seconds, and one of the last");
    assert_eq!((spans[0], spans[19]), (span(0.0, 3.0, 1.0), span(57.0, 60.0, 1.0)));
    assert_eq!((spans[20], spans[40]), (span(60.0, 63.0, 0.0), span(120.0, 121.0, 0.0)));
}

/// A core is shared from 1.08 times the ratio of a quiet one on.
#[test]
fn a_core_that_is_a_little_narrower_is_quiet() {
    let share = |width: i64| {
        let mut analyst = analyst_of(&["a.x"]);
        let mut widths = vec![250; 42];
        widths[41] = width;
        analyst.add_trial(&looked("a.x", 1, 0, looks((0..42).collect(), vec![widths])));
        analyst.least_quiet_share()
    };
    assert_eq!([share(260), share(269), share(271)], [Some(1.0), Some(1.0), Some(40.5 / 41.0)]);
}

#[test]
fn points_that_were_measured_together_are_looked_at_once() {
    let at: Vec<i64> = (0..=40).collect();
    let quiet = looks(at.clone(), vec![vec![250; 41]]);
    let shared = looks(at, vec![vec![400; 41]]);
    let mut analyst = analyst_of(&["a.x", "a.y"]);
    analyst.add_trial(&looked("a.x", 1, 0, quiet.clone()));
    analyst.add_trial(&looked("a.y", 1, 0, quiet.clone()));
    analyst.add_trial(&looked("a.x", 2, 40, shared));
    assert_eq!(analyst.least_quiet_share(), Some(0.5));
    // Looks that cannot be true are none.
    let mut lie = quiet;
    lie.at.swap(3, 4);
    analyst.add_trial(&looked("a.x", 3, 80, lie));
    assert_eq!(analyst.least_quiet_share(), Some(0.5));
}

/// Half of the samples at a cost of 1.5 or of 3 times as much beside a neighbour, the latter on two cores.
#[test]
fn slow_down_of_a_core_is_that_of_the_points_on_it_alone() {
    let gated = |operation: &str| {
        let mut planned = point(operation, "");
        planned.gate.shared_core = Some(1.16);
        planned
    };
    let mut analyst = analyst(vec![gated("a.x"), gated("a.y")], settings(0.05, 6));
    let widths: Vec<i64> = (0..=40).map(|look| if look <= 20 { 250 } else { 400 }).collect();
    for round in 1..=6 {
        for (operation, cores, slower) in [("a.x", 1, 1.5), ("a.y", 2, 3.0)] {
            let looks = looks((0..=40).collect(), vec![widths.clone(); cores]);
            let started_ns = (2 * u64::from(round) + cores as u64) * 10_000_000;
            let mut trial = looked(operation, round, started_ns, looks);
            for ticks in &mut trial.series[0].ticks[60..] {
                *ticks = (*ticks as f64 * slower) as i64;
            }
            analyst.add_trial(&trial);
        }
    }
    let slowdowns: Vec<Option<f64>> = analyst.rows().iter().map(|row| row.core?.slowdown).collect();
    assert_eq!(slowdowns, [Some(1.5), Some(3.0)]);
    let analysis = analyst.analysis();
    let of_cpus: Vec<Option<f64>> = analysis.cpus.iter().map(|cpu| cpu.slowdown).collect();
    assert_eq!(of_cpus, [Some(1.5), None]);
    assert_eq!(analysis.slowdown, None, "two points are too few for the machine");
}

#[test]
fn a_point_is_given_up_after_six_attempts_without_a_trial() {
    let after = |failures: u32, trials: u32| {
        let mut analyst = analyst_of(&["other", "a.x"]);
        for round in 1..=failures {
            let (reason, remedy) = ("no such thing".to_owned(), None);
            analyst.add_failure(&TrialFailure { started_ns: 0, round, id: id("a.x"), reason, remedy });
        }
        (1..=trials).for_each(|round| analyst.add_trial(&exact("a.x", round, 0, 50.0)));
        [0, 1, 2].map(|place| analyst.never_succeeds(place))
    };
    assert_eq!(after(5, 0), [false; 3]);
    assert_eq!(after(6, 0), [false, true, false]);
    assert_eq!(after(6, 1), [false; 3]);
    assert_eq!(after(0, 6), [false; 3]);
}

#[test]
fn clocks_of_a_run_are_percentiles_of_those_of_its_trials() {
    let mut analyst = analyst_of(&["a.x"]);
    assert_eq!(analyst.analysis().clock_range, None);
    for round in 0..21 {
        let core_hz = Some(1e9 + 1e8 * f64::from(round));
        analyst.add_trial(&Trial { core_hz, ..exact("a.x", round + 1, 0, 50.0) });
    }
    let analysis = analyst.analysis();
    let near = |hz: f64, truth: f64| (hz / truth - 1.0).abs() < 1e-12;
    let [low, middle, high] = analysis.clock_range.unwrap();
    assert!(near(low, 1.1e9) && near(middle, 2e9) && near(high, 2.9e9), "{low} {middle} {high}");
    let highest = analysis.highest_hz.unwrap();
    assert!(near(highest, 2.8e9) && analysis.reference_hz == Some(highest));
    let lower = analyst.at_clock(Some(2e9)).analysis();
    assert_eq!((lower.highest_hz, lower.reference_hz), (Some(highest), Some(2e9)));
}

/// A trial of one point takes four seconds, of another two; that of a third, which was not tried, as long as is usual.
#[test]
fn more_time_is_that_of_the_trials_to_come() {
    let mut analyst = analyst_of(&["a.x", "a.y", "untried"]);
    analyst.add_trial(&exact("a.x", 1, 1_000_000_000, 50.0));
    analyst.add_trial(&exact("a.y", 1, 5_000_000_000, 50.0));
    analyst.trials_ended_by(7_000_000_000);
    let MoreTime { points, seconds, beyond, .. } = analyst.analysis().more_time;
    assert_eq!((points, beyond), (3, 0));
    assert!((seconds - (5.0 * 4.0 + 5.0 * 2.0 + 6.0 * 3.0)).abs() < 1e-9, "{seconds}");
    let to_close: Vec<f64> = analyst.needs(&[2, 0, 9]).iter().map(|needs| needs.to_close).collect();
    assert_eq!(to_close, [6.0, 5.0, 0.0]);
}

#[test]
fn entries_of_points_that_are_not_planned_are_counted() {
    let mut analyst = analyst_of(&["a.x"]);
    assert_eq!(analyst.analysis().notes, []);
    (1..=3).for_each(|round| analyst.add_trial(&exact("other", round, 0, 50.0)));
    assert_eq!(analyst.analysis().notes, [RunNote::Unplanned(3)]);
}

#[test]
fn a_change_of_the_counter_beyond_calibration_is_a_note() {
    let (format, program, started) = ("oscope".to_owned(), "0".to_owned(), "2000-01-01T00:00:00Z".to_owned());
    let header = Header { format, schema: SCHEMA, program, started, ..Header::default() };
    let plan = Some(Plan { settings: settings(0.05, 6), ..Plan::default() });
    let mut record = Record { plan, ..Record::new(header) };
    for (drift, is_noted) in [(1e-4, false), (-1e-4, false), (1.1e-4, true), (-2e-4, true)] {
        record.end = Some(End { reason: EndReason::Rounds, at_ns: 1, clock_drift: Some(drift) });
        let expected: &[RunNote] = if is_noted { &[RunNote::ClockDrift(drift)] } else { &[] };
        assert_eq!(analyse(&record).notes, expected);
    }
}

/// In an environment only its own trials count; predictions made before stay, trials do not.
#[test]
fn an_environment_begins_with_the_predictions_alone() {
    let mut native = analyst_of(&["a.x"]);
    let term = Term { name: "all".to_owned(), side: TermSide::Software, formula: Formula::exactly(25.0) };
    let prediction = Prediction { from_facts: Vec::new(), from_parts: vec![term] };
    native.predict(&id("a.x"), &prediction);
    native.add_trial(&exact("a.x", 1, 0, 50.0));
    assert_eq!(native.environment(), None);
    let here = Environment { name: "bwrap".to_owned(), ..Environment::default() };
    let mut inside = native.within(&here);
    assert_eq!(inside.environment(), Some(&here));
    inside.add_trial(&exact("a.x", 1, 0, 50.0));
    assert_eq!(inside.rows()[0].verdict, Verdict::Skipped, "natively, not here");
    let within = id("a.x").within(Some("bwrap"));
    (1..=6).for_each(|round| {
        inside.add_trial(&Trial { id: within.clone(), ..exact("a.x", round, 0, 50.0) });
    });
    let row = &inside.rows()[0];
    assert_eq!((row.typical(), row.trials.len(), row.ratio()), (Some(50.0), 6, Some(2.0)));
}

/// A worker that sees of itself what a native one does, or nothing, was not in its environment.
#[test]
fn a_worker_must_have_seen_its_environment() {
    let change = |name: &str| AttributeChange {
        name: name.to_owned(),
        native: "0".to_owned(),
        environment: "1".to_owned(),
    };
    let seen = |differs: Vec<AttributeChange>, attributes: &[(&str, &str)]| {
        let here = Environment { name: "bwrap".to_owned(), differs, ..Environment::default() };
        let mut analyst = analyst_of(&["a.x"]).within(&here);
        let attributes = attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let id = id("a.x").within(Some("bwrap"));
        analyst.add_trial(&Trial { id, attributes: attributes.collect(), ..exact("a.x", 1, 0, 50.0) });
        analyst.rows()[0].trials.len()
    };
    let two = || vec![change("filters"), change("namespace")];
    assert_eq!(seen(Vec::new(), &[]), 1);
    assert_eq!(seen(two(), &[]), 0);
    assert_eq!(seen(two(), &[("filters", "0"), ("namespace", "0")]), 0);
    assert_eq!(seen(two(), &[("filters", "0"), ("namespace", "1")]), 1);
}

/// Rounds say when the last trial was over, whether lines come one by one or all at once.
#[test]
fn lines_of_a_record_come_to_what_the_record_does() {
    let plan = Plan { settings: settings(0.05, 6), points: vec![point("a.x", "")], ..Plan::default() };
    let mut record = Record { plan: Some(plan.clone()), ..Record::default() };
    let term = Term { name: "all".to_owned(), side: TermSide::Software, formula: Formula::exactly(25.0) };
    let prediction = Prediction { from_facts: Vec::new(), from_parts: vec![term] };
    record.predictions = vec![(id("a.x"), prediction.clone())];
    record.trials = (1..=3).map(|round| exact("a.x", round, u64::from(round) * 10_000_000, 50.0)).collect();
    let (reason, remedy) = ("no such thing".to_owned(), None);
    record.failures = vec![TrialFailure { started_ns: 0, round: 3, id: id("a.x"), reason, remedy }];
    // The last trial was over too early.
    record.rounds = vec![RoundEnd { round: 2, at_ns: 31_000_000 }, RoundEnd { round: 1, at_ns: 3 }];
    let mut analyst = Analyst::new(&plan, &record.machine);
    analyst.add(&Line::Prediction { id: id("a.x"), prediction });
    record.trials.iter().for_each(|trial| analyst.add(&Line::Trial(Box::new(trial.clone()))));
    record.failures.iter().for_each(|failure| analyst.add(&Line::Failure(failure.clone())));
    record.rounds.iter().for_each(|round| analyst.add(&Line::Round(round.clone())));
    let (one_by_one, at_once) = (analyst.analysis(), analyse(&record));
    assert_eq!(one_by_one, at_once);
    assert_eq!((at_once.rounds, at_once.rows[0].trials.len()), (2, 2));
    assert_eq!(at_once.rows[0].ratio(), Some(2.0));
}
