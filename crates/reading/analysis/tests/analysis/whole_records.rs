//! Records as a whole: the same result at once and one by one, in any state of completeness.

use crate::simulated::{Course, Simulated, analyst, point, settings};
use analysis::{Analyst, RunNote, analyse};
use record::{End, EndReason, Header, Plan, PointId, Record, RoundEnd, SCHEMA, TrialFailure};

fn record() -> Record {
    let (format, program) = ("oscope".to_owned(), "0".to_owned());
    let (started, arguments) = ("2000-01-01T00:00:00Z".to_owned(), Vec::new());
    Record::new(Header {
        format,
        schema: SCHEMA,
        program,
        commit: None,
        started,
        arguments,
        ..Header::default()
    })
}

#[test]
fn record_without_plan_has_a_note() {
    let analysis = analyse(&record());
    assert!(analysis.rows.is_empty());
    assert_eq!(analysis.notes, [RunNote::NoPlan]);
}

#[test]
fn whole_record_equals_incremental_analysis() {
    let planned = point("target", "");
    let plan = Plan {
        settings: settings(0.05, 6),
        points: vec![planned.clone(), point("other", "")],
        ..Plan::default()
    };
    let mut record = record();
    record.plan = Some(plan.clone());
    let mut analyst = Analyst::new(&plan, &record.machine);
    let mut course = Course::new(Simulated::default(), 8, 1);
    for round in 1..=8 {
        let mut trial = course.trial(&planned.id, round);
        trial.started_ns = u64::from(round) * 3_500_000;
        let failure = TrialFailure {
            started_ns: 0,
            round,
            id: PointId::new("other", ""),
            reason: "no such thing".to_owned(),
            remedy: None,
        };
        analyst.add_trial(&trial);
        analyst.add_failure(&failure);
        analyst.end_round(round);
        record.trials.push(trial);
        record.failures.push(failure);
        record.rounds.push(RoundEnd { round, at_ns: 0 });
    }
    let whole = analyse(&record);
    assert_eq!(whole, analyst.analysis());
    assert_eq!((whole.rounds, whole.rows.len()), (8, 2));
    assert_eq!(Some(&whole.rows[0]), analyst.row(&planned.id).as_ref());
}

#[test]
fn unplanned_points_are_left_out_with_a_note() {
    let mut analyst = analyst(vec![point("target", "")], settings(0.05, 6));
    let unplanned = PointId::new("unplanned", "");
    analyst.add_trial(&Course::new(Simulated::default(), 8, 1).trial(&unplanned, 1));
    assert_eq!(analyst.row(&unplanned), None);
    assert!(analyst.may_close(&unplanned));
    assert_eq!(analyst.analysis().notes, [RunNote::Unplanned(1)]);
}

#[test]
fn changed_counter_rate_is_a_note() {
    let mut record = record();
    record.plan = Some(Plan { settings: settings(0.05, 6), ..Plan::default() });
    let end = |drift| End { reason: EndReason::Rounds, at_ns: 1, clock_drift: Some(drift) };
    record.end = Some(end(2e-3));
    assert_eq!(analyse(&record).notes, [RunNote::ClockDrift(2e-3)]);
    record.end = Some(end(2e-5));
    assert!(analyse(&record).notes.is_empty());
}
