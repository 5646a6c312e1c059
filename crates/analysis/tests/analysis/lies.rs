//! Trials that cannot be true never become a number.

use crate::simulated::{assert_no_number, point, row_of, watched};
use analysis::Verdict;
use quantity::Quantity;
use record::{Estimator, Evidence, PlannedPoint, Role, Sampling, Series, Trial};

fn refused(planned: PlannedPoint, why: &str, change: impl Fn(&mut Trial)) {
    let row = row_of(planned, 8, change);
    assert_eq!(row.verdict, Verdict::Failed, "{why}: {:?}", row.reason);
    assert_no_number(&row);
    assert!(
        row.reason.as_ref().unwrap().contains(why),
        "{why}: {:?}",
        row.reason
    );
}

fn lie(why: &str, change: impl Fn(&mut Trial)) {
    refused(point("target", ""), why, change);
}

#[test]
fn clocks_that_are_none() {
    for ns_per_tick in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        lie("ns in a tick", |trial| trial.ns_per_tick = ns_per_tick);
    }
    lie("clock went backwards", |trial| trial.series[0].ticks[17] = -1);
    lie("is no number", |trial| trial.cpu_cost_ns = f64::NAN);
}

#[test]
fn columns_that_do_not_fit() {
    lie("columns differ in length", |trial| {
        trial.series[0].cpu_ns.pop();
    });
    lie("columns differ in length", |trial| {
        trial.series[0].probe = vec![1; 120]
    });
    lie("columns differ in length", |trial| {
        trial.series[0].involuntary = vec![0; 121]
    });
    lie("columns differ in length", |trial| {
        trial.series[0].voluntary = vec![0; 1]
    });
    lie("do not come in threes", |trial| {
        trial.series[0].ticks.pop();
        trial.series[0].cpu_ns.pop();
    });
    lie("no iteration", |trial| trial.series[0].n = 0);
    lie("more than any processor", |trial| trial.series[0].n = u64::MAX);
}

#[test]
fn series_that_are_not_as_planned() {
    lie("no main series", |trial| trial.series.clear());
    lie("no main series", |trial| trial.series[0].role = Role::Control);
    lie("more than one main series", |trial| {
        trial.series.push(trial.series[0].clone())
    });
    lie("not sampled as planned", |trial| {
        trial.series[0].sampling = Sampling::Singles
    });
}

#[test]
fn amounts_that_no_machine_has() {
    lie("longer than the machine exists", |trial| {
        trial.series[0].ticks[0] = i64::MAX
    });
    let planned = PlannedPoint {
        estimator: Estimator::Values,
        quantity: Quantity::Size,
        ..point("target", "")
    };
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 2e18] {
        refused(planned.clone(), "is impossible", |trial| {
            trial.series = vec![Series::new(Role::Main, Sampling::Values, 1)];
            trial.series[0].values = vec![1.0, value];
        });
    }
}

#[test]
fn too_little_to_say_anything() {
    lie("the trial gave 7 samples, and needs 8", |trial| {
        trial.series[0].ticks.truncate(21);
        trial.series[0].cpu_ns.truncate(21);
    });
    lie("the trial gave 0 samples", |trial| {
        trial.series[0].ticks.clear();
        trial.series[0].cpu_ns.clear();
    });
}

#[test]
fn batches_longer_than_their_trial() {
    let planned = point("target", "");
    let id = planned.id.clone();
    // The batches of a trial last 40 × 7 × 10 µs together, nearly 3 ms.
    let quick = watched(planned.clone(), 8, |trial| {
        trial.started_ns = u64::from(trial.round) * 1_000_000
    });
    let row = quick.row(&id).unwrap();
    assert_eq!(
        row.estimate.unwrap().trials,
        1,
        "only of the last trial the end is unknown"
    );
    assert!(row.notes.iter().any(|note| {
        note.text
            .contains("7 of 8 trials failed: its batches last longer")
    }));
    let slow = watched(planned, 8, |trial| {
        trial.started_ns = u64::from(trial.round) * 4_000_000
    });
    assert_eq!(slow.row(&id).unwrap().estimate.unwrap().trials, 8);
}

#[test]
fn evidence_that_is_no_number_is_not_read() {
    for (count, iterations) in [(f64::NAN, 1.0), (1.0, 0.0), (1.0, -1.0), (f64::INFINITY, 1.0)] {
        let row = row_of(point("target", ""), 8, |trial| {
            let counted = record::Counted::Count { count, iterations };
            trial.evidence = vec![Evidence {
                counter: "answers".to_owned(),
                counted,
            }];
        });
        assert_eq!(row.verdict, Verdict::Skipped);
        assert_no_number(&row);
    }
}

#[test]
fn some_lies_do_not_spoil_the_rest() {
    let row = row_of(point("target", ""), 12, |trial| {
        if trial.round % 4 == 0 {
            trial.series[0].ticks[5] = -5;
        }
    });
    assert_eq!(row.verdict, Verdict::Measured);
    assert_eq!(row.estimate.unwrap().trials, 9);
    assert!(
        row.notes
            .iter()
            .any(|note| note.text.contains("3 of 12 trials failed: clock went backwards"))
    );
}
