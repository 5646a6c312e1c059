//! Trials that cannot be true never become a number.

use crate::simulated::{assert_no_number, point, row_of, watched};
use analysis::{CoreState, Failure, Impossible, Note, Reason, Verdict};
use quantity::Quantity;
use record::{CoreLooks, Estimator, Evidence, Looks, PlannedPoint, Role, Sampling, Series, Trial};

fn refused(planned: PlannedPoint, why: impl Into<Failure>, change: impl Fn(&mut Trial)) {
    let row = row_of(planned, 8, change);
    assert_eq!(row.verdict, Verdict::Failed, "{:?}", row.reasons);
    assert_no_number(&row);
    assert_eq!(row.reasons, [Reason::Failed(why.into(), 8, 8)]);
}

fn number(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

fn lie(why: impl Into<Failure>, change: impl Fn(&mut Trial)) {
    refused(point("target", ""), why, change);
}

#[test]
fn impossible_clocks_fail_the_trial() {
    for ns_per_tick in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        lie(Impossible::Tick(number(ns_per_tick)), |trial| trial.ns_per_tick = ns_per_tick);
    }
    lie(Impossible::ClockBackwards, |trial| trial.series[0].ticks[17] = -1);
    lie(Impossible::CpuCost, |trial| trial.cpu_cost_ns = f64::NAN);
}

#[test]
fn columns_of_unequal_length_fail_the_trial() {
    lie(Impossible::Columns, |trial| {
        trial.series[0].cpu_ns.pop();
    });
    lie(Impossible::Columns, |trial| trial.series[0].probe = vec![1; 120]);
    lie(Impossible::Columns, |trial| trial.series[0].width = vec![1; 39]);
    lie(Impossible::Columns, |trial| trial.series[0].involuntary = vec![0; 121]);
    lie(Impossible::Columns, |trial| trial.series[0].voluntary = vec![0; 1]);
    lie(Impossible::Triples, |trial| {
        trial.series[0].ticks.pop();
        trial.series[0].cpu_ns.pop();
    });
    lie(Impossible::NoIterations, |trial| trial.series[0].n = 0);
    lie(Impossible::Iterations(u64::MAX), |trial| trial.series[0].n = u64::MAX);
}

/// A look before each of the 40 triples of a trial and one after the last, all of a quiet core.
fn look(trial: &mut Trial) {
    trial.looks = Some(Looks {
        at: (0..41).map(|at| at * 200_000).collect(),
        additions: 0,
        cores: vec![CoreLooks { cpu: Some(1), chain: vec![4_000; 41], width: vec![1_000; 41] }],
    });
    trial.series[0].look = (0..40).collect();
    trial.series[0].free = 4;
}

fn probed() -> PlannedPoint {
    let mut planned = point("target", "");
    planned.gate.shared_core = Some(1.08);
    planned
}

#[test]
fn looks_that_cannot_be_true_fail_the_trial() {
    let lie = |why: Impossible, change: fn(&mut Looks, &mut Series)| {
        refused(probed(), why, |trial| {
            look(trial);
            change(trial.looks.as_mut().unwrap(), &mut trial.series[0]);
        });
    };
    let (absent, unequal, disordered) =
        (Impossible::CoreReferences, Impossible::CoreColumns, Impossible::CoreOrder);
    lie(absent.clone(), |_, series| series.look[39] = 40);
    lie(absent.clone(), |_, series| series.look[39] = u32::MAX);
    lie(absent.clone(), |_, series| series.look[3] = 9);
    lie(absent.clone(), |_, series| series.look.truncate(7));
    lie(absent.clone(), |looks, _| *looks = Looks::default());
    lie(unequal.clone(), |looks, _| looks.cores[0].chain.truncate(7));
    lie(unequal.clone(), |looks, _| looks.cores[0].width.push(1));
    lie(disordered.clone(), |looks, _| looks.at.swap(3, 4));
    lie(disordered.clone(), |looks, _| looks.at[0] = i64::MIN);
    lie(disordered.clone(), |looks, _| looks.at[40] = i64::MAX);
    lie(Impossible::Cores(3), |looks, _| {
        looks.cores = vec![looks.cores[0].clone(); 3];
    });
    let values = PlannedPoint { estimator: Estimator::Values, ..probed() };
    refused(values, absent, |trial| {
        look(trial);
        trial.series = vec![Series::new(Role::Main, Sampling::Values, 1)];
        trial.series[0].values = vec![50.0];
        trial.series[0].look = vec![u32::MAX];
    });
}

#[test]
fn looks_of_any_value_and_any_number_of_free_samples_are_no_error() {
    let changes: [fn(&mut CoreLooks, &mut Series); 5] = [
        |_, series| series.free = u32::MAX,
        |core, _| core.width.fill(i64::MIN),
        |core, _| core.width.fill(i64::MAX),
        |core, _| core.chain.fill(0),
        |core, _| (core.chain[7], core.width[8]) = (i64::MAX, 0),
    ];
    for change in changes {
        let row = row_of(probed(), 8, |trial| {
            look(trial);
            change(&mut trial.looks.as_mut().unwrap().cores[0], &mut trial.series[0]);
        });
        assert_eq!(row.verdict, Verdict::Measured);
    }
}

#[test]
fn failed_trial_does_not_define_a_quiet_core() {
    let row = row_of(probed(), 12, |trial| {
        look(trial);
        if trial.round == 3 {
            trial.series[0].look.pop();
            trial.looks.as_mut().unwrap().cores[0].width.fill(1);
        }
    });
    let (core, estimate) = (row.core.unwrap(), row.estimate.unwrap());
    assert_eq!((core.state, core.quiet_share), (CoreState::Quiet, Some(1.0)));
    assert_eq!(estimate.trials, 11);
}

#[test]
fn series_other_than_planned_fail_the_trial() {
    lie(Impossible::NoSeries(Role::Main), |trial| trial.series.clear());
    lie(Impossible::NoSeries(Role::Main), |trial| trial.series[0].role = Role::Control);
    lie(Impossible::SeriesTwice(Role::Main), |trial| trial.series.push(trial.series[0].clone()));
    lie(Impossible::Sampling(Role::Main), |trial| trial.series[0].sampling = Sampling::Individual);
}

#[test]
fn impossible_amounts_fail_the_trial() {
    lie(Impossible::Duration, |trial| trial.series[0].ticks[0] = i64::MAX);
    let planned =
        PlannedPoint { estimator: Estimator::Values, quantity: Quantity::Size, ..point("target", "") };
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 2e18] {
        refused(planned.clone(), Impossible::Sample(number(value)), |trial| {
            trial.series = vec![Series::new(Role::Main, Sampling::Values, 1)];
            trial.series[0].values = vec![1.0, value];
        });
    }
}

#[test]
fn too_few_samples_fail_the_trial() {
    lie(Failure::TooFewSamples(2, 3), |trial| {
        trial.series[0].ticks.truncate(6);
        trial.series[0].cpu_ns.truncate(6);
    });
    lie(Failure::TooFewSamples(0, 3), |trial| {
        trial.series[0].ticks.clear();
        trial.series[0].cpu_ns.clear();
    });
}

#[test]
fn batches_longer_than_their_trial_fail_it() {
    let planned = point("target", "");
    let id = planned.id.clone();
    // The batches of a trial last 40 × 7 × 10 µs together, nearly 3 ms.
    let quick = watched(planned.clone(), 8, |trial| trial.started_ns = u64::from(trial.round) * 1_000_000);
    let row = quick.row(&id).unwrap();
    assert_eq!(row.estimate.unwrap().trials, 1, "only of the last trial the end is unknown");
    let failed = Note::Failed(7, 8, Impossible::LongerThanTrial.into());
    assert!(row.notes.contains(&failed), "{:?}", row.notes);
    // The round in which it ran ended before its batches did.
    let mut ended = quick.clone();
    ended.trials_ended_by(9_000_000);
    assert!(ended.row(&id).unwrap().estimate.is_none());
    let slow = watched(planned, 8, |trial| trial.started_ns = u64::from(trial.round) * 4_000_000);
    assert_eq!(slow.row(&id).unwrap().estimate.unwrap().trials, 8);
}

#[test]
fn evidence_that_is_not_a_number_is_unread() {
    for (count, iterations) in [(f64::NAN, 1.0), (1.0, 0.0), (1.0, -1.0), (f64::INFINITY, 1.0)] {
        let row = row_of(point("target", ""), 8, |trial| {
            let counted = record::Counted::Count { count, iterations };
            trial.evidence = vec![Evidence { counter: "answers".to_owned(), counted }];
        });
        assert_eq!(row.verdict, Verdict::Skipped);
        assert_no_number(&row);
    }
}

#[test]
fn impossible_trials_leave_the_others_valid() {
    let row = row_of(point("target", ""), 12, |trial| {
        if trial.round % 4 == 0 {
            trial.series[0].ticks[5] = -5;
        }
    });
    assert_eq!(row.verdict, Verdict::Measured);
    assert_eq!(row.estimate.unwrap().trials, 9);
    let failed = Note::Failed(3, 12, Impossible::ClockBackwards.into());
    assert!(row.notes.contains(&failed), "{:?}", row.notes);
}
