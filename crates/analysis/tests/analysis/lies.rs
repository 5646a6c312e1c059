//! Trials that cannot be true never become a number.

use crate::simulated::{assert_no_number, point, row_of, watched};
use analysis::{CoreState, Verdict};
use quantity::Quantity;
use record::{CoreLooks, Estimator, Evidence, Looks, PlannedPoint, Role, Sampling, Series, Trial};

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
        trial.series[0].width = vec![1; 39]
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

/// A look before each of the 40 triples of a trial and one after the last, all of a quiet core.
fn look(trial: &mut Trial) {
    trial.looks = Some(Looks {
        at: (0..41).map(|at| at * 200_000).collect(),
        additions: 0,
        cores: vec![CoreLooks {
            cpu: Some(1),
            chain: vec![4_000; 41],
            width: vec![1_000; 41],
        }],
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
    let lie = |why: &str, change: fn(&mut Looks, &mut Series)| {
        refused(probed(), why, |trial| {
            look(trial);
            change(trial.looks.as_mut().unwrap(), &mut trial.series[0]);
        });
    };
    let (absent, unequal, disordered) = ("looks that it does not have", "looks differ", "order of time");
    lie(absent, |_, series| series.look[39] = 40);
    lie(absent, |_, series| series.look[39] = u32::MAX);
    lie(absent, |_, series| series.look[3] = 9);
    lie(absent, |_, series| series.look.truncate(7));
    lie(absent, |looks, _| *looks = Looks::default());
    lie(unequal, |looks, _| looks.cores[0].chain.truncate(7));
    lie(unequal, |looks, _| looks.cores[0].width.push(1));
    lie(disordered, |looks, _| looks.at.swap(3, 4));
    lie(disordered, |looks, _| looks.at[0] = i64::MIN);
    lie(disordered, |looks, _| looks.at[40] = i64::MAX);
    lie("looked at 3 cores", |looks, _| {
        looks.cores = vec![looks.cores[0].clone(); 3];
    });
    let values = PlannedPoint {
        estimator: Estimator::Values,
        ..probed()
    };
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
fn looks_of_a_failed_trial_are_no_measure_of_a_quiet_core() {
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
fn series_that_are_not_as_planned() {
    lie("no main series", |trial| trial.series.clear());
    lie("no main series", |trial| trial.series[0].role = Role::Control);
    lie("more than one main series", |trial| {
        trial.series.push(trial.series[0].clone())
    });
    lie("not sampled as planned", |trial| {
        trial.series[0].sampling = Sampling::Individual
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
    lie("the trial gave 2 samples, and needs 3", |trial| {
        trial.series[0].ticks.truncate(6);
        trial.series[0].cpu_ns.truncate(6);
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
    // The round in which it ran ended before its batches did.
    let mut ended = quick.clone();
    ended.trials_ended_by(9_000_000);
    assert!(ended.row(&id).unwrap().estimate.is_none());
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
