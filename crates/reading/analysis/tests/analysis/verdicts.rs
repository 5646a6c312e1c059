//! Every verdict, from what brings it about.

use crate::simulated::{
    add_trials, analyst, assert_no_number, counted, point, row_of, settings, watched, witness,
};
use analysis::{Broken, Cause, Failure, Note, Reason, Unread, Verdict};
use record::{Counted, Evidence, Origin, Rehearsal, Skip, TrialFailure, Witness};

fn failure(round: u32, remedy: Option<&str>) -> TrialFailure {
    let id = point("target", "").id;
    TrialFailure {
        started_ns: 0,
        round,
        id,
        reason: "pipe2: too many open files".to_owned(),
        remedy: remedy.map(str::to_owned),
    }
}

fn unmet(reason: &str, remedy: &str) -> Reason {
    Reason::Unmet(reason.to_owned(), Some(remedy.to_owned()))
}

fn rehearsed(counter: &str, positive: bool) -> Witness {
    Witness { origin: Origin::Rehearsal, positive, ..witness(counter, 1.0, 1.0) }
}

#[test]
fn measured_when_narrow_and_proven() {
    let row = row_of(point("target", ""), 12, |_| ());
    assert_eq!((row.verdict, row.reasons), (Verdict::Measured, Vec::new()));
    let estimate = row.estimate.unwrap();
    assert!((estimate.typical / 50.0 - 1.0).abs() < 0.01);
    let (low, high) = estimate.interval.unwrap().ends();
    assert!(low <= estimate.typical && estimate.typical <= high && estimate.best < estimate.typical);
    assert_eq!((estimate.trials, estimate.batches), (12, 12 * 120));
    assert_eq!(estimate.core_hz, Some(3e9));
    assert_eq!(row.trials.len(), 12);
}

#[test]
fn noisy_with_fewer_than_six_trials() {
    let row = row_of(point("target", ""), 5, |_| ());
    assert_eq!(row.verdict, Verdict::Noisy);
    assert!(row.estimate.as_ref().unwrap().interval.is_none());
    assert_eq!(row.reasons, [Reason::TooFew(5, 6)]);
}

#[test]
fn noisy_where_trials_were_lost_names_what_they_lacked() {
    let planned = point("target", "");
    let lacking = |skips: u32, failures: u32| {
        let mut analyst = watched(planned.clone(), 3, |_| ());
        (4..4 + skips).for_each(|round| analyst.add_failure(&failure(round, Some("raise ulimit -n"))));
        (20..20 + failures).for_each(|round| analyst.add_failure(&failure(round, None)));
        let row = analyst.row(&planned.id).unwrap();
        assert_eq!(row.verdict, Verdict::Noisy);
        row.reasons
    };
    let need = "pipe2: too many open files".to_owned();
    let remedy = Some("raise ulimit -n".to_owned());
    assert_eq!(lacking(9, 1), [Reason::Lost { need: need.clone(), remedy, trials: 9, all: 13 }]);
    assert_eq!(lacking(1, 2), [Reason::Failed(Failure::Reported(need), 2, 6)]);
    assert_eq!(lacking(0, 0), [Reason::TooFew(3, 6)]);
}

#[test]
fn reads_of_a_cached_loop_are_a_remark() {
    let planned = point("target", "");
    assert!(!row_of(planned.clone(), 12, |_| ()).notes.contains(&Note::CachedLoop));
    let planned = record::PlannedPoint { on_cached_loop: true, ..planned };
    assert!(row_of(planned, 12, |_| ()).notes.contains(&Note::CachedLoop));
}

#[test]
fn noisy_when_wider_than_asked() {
    let row = row_of(point("target", ""), 12, |trial| {
        let factor = 1.0 + 0.1 * f64::from(trial.round % 3);
        trial.ns_per_tick *= factor;
        trial.series[0].cpu_ns.clear();
    });
    assert_eq!(row.verdict, Verdict::Noisy);
    let half = row.estimate.as_ref().unwrap().half_width().unwrap();
    let precision = 0.05;
    assert_eq!(row.reasons, [Reason::TooWide { half, precision }]);
}

#[test]
fn noisy_without_a_steady_state() {
    let row = row_of(point("target", ""), 12, |trial| {
        trial.series[0].ticks.iter_mut().enumerate().for_each(|(at, ticks)| {
            *ticks += *ticks * (at as i64) / 300;
        });
        trial.series[0].cpu_ns.clear();
    });
    assert_eq!(row.verdict, Verdict::Noisy);
    let is_rise = |reason: &Reason| match reason {
        Reason::Unsteady { by, trials, all } => *by > 0.0 && (*trials, *all) == (12, 12),
        _ => false,
    };
    assert!(row.reasons.iter().any(is_rise), "{:?}", row.reasons);
    assert!(row.estimate.is_some());
}

#[test]
fn flipping_between_states_is_no_trend() {
    let row = row_of(point("target", ""), 12, |trial| {
        let up = trial.round % 2 == 0;
        let late = |at: usize| (at >= 60) == up;
        let ticks = trial.series[0].ticks.iter_mut().enumerate();
        ticks.filter(|(at, _)| late(*at)).for_each(|(_, ticks)| *ticks += *ticks / 12);
        trial.series[0].cpu_ns.clear();
    });
    assert_ne!(row.verdict, Verdict::Contradicted);
    let is_unsteady = |reason: &Reason| matches!(reason, Reason::Unsteady { .. });
    assert!(!row.reasons.iter().any(is_unsteady), "{:?}", row.reasons);
}

#[test]
fn contradicted_when_more_than_a_fifth_of_the_trials_broke_a_witness() {
    let break_some = |rounds: &'static [u32]| {
        row_of(point("target", ""), 12, move |trial| {
            if rounds.contains(&trial.round) {
                trial.evidence = vec![counted("answers", 0.5)];
            }
        })
    };
    let rare = break_some(&[3, 7]);
    assert_eq!(rare.verdict, Verdict::Measured);
    assert_eq!((rare.witnesses[0].read, rare.witnesses[0].broken), (12, 2));
    assert_eq!(rare.estimate.unwrap().trials, 10);
    assert_eq!(rare.set_aside[0].cause, Cause::Witness("answers".to_owned()));
    assert_eq!(rare.set_aside[0].batches, 240);
    let often = break_some(&[3, 7, 9]);
    assert_eq!(often.verdict, Verdict::Contradicted);
    assert_no_number(&often);
    let broken = Broken { witness: often.witnesses[0].witness.clone(), counted: 0.5, broken: 3, read: 12 };
    assert_eq!(broken.witness.counter, "answers");
    assert_eq!(often.reasons, [Reason::Witness(broken)]);
}

#[test]
fn intermittent_disturbance_discards_trials_and_permanent_contradicts() {
    let mut planned = point("target", "");
    planned.witnesses[0].positive = true;
    let mut quiet = planned.witnesses[0].clone();
    quiet.counter = "switches".to_owned();
    (quiet.low, quiet.high, quiet.positive) = (0.0, 0.05, false);
    planned.witnesses.push(quiet);
    let crowd = |present: u32| {
        row_of(planned.clone(), 12, move |trial| {
            let switches = if trial.round <= present { 1.0 } else { 0.0 };
            trial.evidence = vec![counted("answers", 1.0), counted("switches", switches)];
        })
    };
    let sometimes = crowd(5);
    assert_ne!(sometimes.verdict, Verdict::Contradicted);
    assert_eq!(sometimes.estimate.unwrap().trials, 7);
    assert_eq!(sometimes.set_aside[0].cause, Cause::Witness("switches".to_owned()));
    let always = crowd(7);
    assert_eq!(always.verdict, Verdict::Contradicted);
    assert_no_number(&always);
}

#[test]
fn contradicted_by_rehearsal() {
    let mut planned = point("target", "");
    planned.witnesses.push(rehearsed("calls.getpid", true));
    let mut analyst = watched(planned.clone(), 12, |_| ());
    let evidence = vec![counted("calls.getpid", 0.0)];
    analyst.add_rehearsal(&Rehearsal { id: planned.id.clone(), evidence });
    let row = analyst.row(&planned.id).unwrap();
    assert_eq!(row.verdict, Verdict::Contradicted);
    assert_no_number(&row);
    let [Reason::Witness(broken)] = &row.reasons[..] else { panic!("{:?}", row.reasons) };
    assert_eq!((broken.counted, broken.witness.origin), (0.0, Origin::Rehearsal));
    assert!(analyst.may_close(&planned.id));
}

#[test]
fn a_rehearsal_that_agrees_is_enough_evidence() {
    let mut planned = point("target", "");
    planned.witnesses = vec![rehearsed("calls.getpid", true)];
    let mut analyst = watched(planned.clone(), 12, |_| ());
    assert_eq!(analyst.row(&planned.id).unwrap().verdict, Verdict::Skipped);
    let evidence = vec![counted("calls.getpid", 1.0)];
    analyst.add_rehearsal(&Rehearsal { id: planned.id.clone(), evidence });
    assert_eq!(analyst.row(&planned.id).unwrap().verdict, Verdict::Measured);
}

#[test]
fn skipped_when_no_positive_witness_could_be_read() {
    let mut planned = point("target", "");
    planned.witnesses = vec![
        witness("switches", 2.0, 2.1),
        rehearsed("calls", true),
        Witness { positive: false, ..witness("migrations", 0.0, 0.0) },
    ];
    let mut analyst = watched(planned.clone(), 12, |trial| {
        let reason = "perf_event_paranoid is 4".to_owned();
        let counter = "switches".to_owned();
        let unread = Evidence { counter, counted: Counted::Unavailable { reason } };
        trial.evidence = vec![unread, counted("migrations", 0.0)];
    });
    analyst.add_failure(&TrialFailure { started_ns: 0, round: 0, ..failure(0, None) });
    let row = analyst.row(&planned.id).unwrap();
    assert_eq!(row.verdict, Verdict::Skipped);
    assert_no_number(&row);
    let reported = Unread::Reported("perf_event_paranoid is 4".to_owned());
    let rehearsal = Unread::RehearsalFailed(failure(0, None).reason);
    let unproven = vec![("switches".to_owned(), reported.clone()), ("calls".to_owned(), rehearsal)];
    assert_eq!(row.reasons, [Reason::Unproven(unproven)]);
    assert_eq!(row.witnesses[0].unavailable, Some(reported));
    assert_eq!(row.witnesses[2].unavailable, None);
}

#[test]
fn skipped_without_any_positive_witness() {
    let mut planned = point("target", "");
    planned.witnesses.clear();
    let row = row_of(planned, 12, |_| ());
    assert_eq!(row.verdict, Verdict::Skipped);
    assert_no_number(&row);
}

#[test]
fn skipped_as_planned_and_closed_at_once() {
    let mut planned = point("target", "");
    let (reason, remedy) = ("there is one CPU".to_owned(), "use a larger machine".to_owned());
    planned.skip = Some(Skip { reason, remedy });
    let id = planned.id.clone();
    let analyst = analyst(vec![planned], settings(0.05, 6));
    let row = analyst.row(&id).unwrap();
    assert_eq!(row.verdict, Verdict::Skipped);
    assert_eq!(row.reasons, [unmet("there is one CPU", "use a larger machine")]);
    assert!(analyst.may_close(&id));
}

#[test]
fn skipped_when_a_need_of_every_trial_is_not_met() {
    let planned = point("target", "");
    let mut analyst = analyst(vec![planned.clone()], settings(0.05, 6));
    (1..=2).for_each(|round| analyst.add_failure(&failure(round, Some("raise ulimit -n"))));
    let row = analyst.row(&planned.id).unwrap();
    assert_eq!(row.verdict, Verdict::Skipped);
    assert_no_number(&row);
    assert_eq!(row.reasons, [unmet("pipe2: too many open files", "raise ulimit -n")]);
    assert!(!analyst.may_close(&planned.id), "twice may be bad luck");
    analyst.add_failure(&failure(3, Some("raise ulimit -n")));
    assert!(analyst.may_close(&planned.id));
}

#[test]
fn skipped_before_its_first_trial() {
    let planned = point("target", "");
    let analyst = analyst(vec![planned.clone()], settings(0.05, 6));
    let row = analyst.row(&planned.id).unwrap();
    assert_eq!(row.verdict, Verdict::Skipped);
    assert_eq!(row.reasons, [Reason::NotTried]);
    assert!(!analyst.may_close(&planned.id));
}

#[test]
fn failed_when_every_trial_failed() {
    let planned = point("target", "");
    let mut analyst = analyst(vec![planned.clone()], settings(0.05, 6));
    analyst.add_failure(&TrialFailure { reason: "killed after 10 s".to_owned(), ..failure(1, None) });
    (2..=3).for_each(|round| analyst.add_failure(&failure(round, None)));
    let row = analyst.row(&planned.id).unwrap();
    assert_eq!(row.verdict, Verdict::Failed);
    assert_no_number(&row);
    let reported = Failure::Reported("pipe2: too many open files".to_owned());
    assert_eq!(row.reasons, [Reason::Failed(reported, 2, 3)]);
    assert!(analyst.may_close(&planned.id));
}

#[test]
fn some_failures_are_a_remark() {
    let planned = point("target", "");
    let mut analyst = watched(planned.clone(), 12, |_| ());
    analyst.add_failure(&failure(13, None));
    let row = analyst.row(&planned.id).unwrap();
    assert_eq!(row.verdict, Verdict::Measured);
    let reported = Failure::Reported(failure(13, None).reason);
    assert!(row.notes.contains(&Note::Failed(1, 13, reported)), "{:?}", row.notes);
}

#[test]
fn point_closes_at_a_higher_level_than_its_interval() {
    let planned = point("target", "");
    let mut analyst = analyst(vec![planned.clone()], settings(0.05, 6));
    add_trials(&mut analyst, &planned.id, 7, |_| ());
    assert_eq!(analyst.row(&planned.id).unwrap().verdict, Verdict::Measured);
    assert!(!analyst.may_close(&planned.id), "7 trials have no interval of 99 %");
    add_trials(&mut analyst, &planned.id, 1, |_| ());
    assert!(analyst.may_close(&planned.id));
}
