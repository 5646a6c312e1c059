//! Remarks that do not change a verdict.

use crate::simulated::{Course, Drift, Simulated, analyst, point, row_of, settings};
use analysis::{Row, Verdict};
use record::{Estimator, PlannedPoint, Role, Sampling, Series};

fn ran(machine: Simulated) -> Row {
    let planned = point("target", "");
    let mut analyst = analyst(vec![planned.clone()], settings(0.02, 6));
    let mut course = Course::new(machine, 20, 3);
    (1..=20).for_each(|round| analyst.add_trial(&course.trial(&planned.id, round)));
    analyst.row(&planned.id).unwrap()
}

fn says(row: &Row, text: &str) -> bool {
    row.notes.iter().any(|note| note.text.contains(text))
}

const QUIET: Simulated = Simulated {
    cost_ns: 50.0,
    n: 200,
    triples: 40,
    overhead_ns: 30.0,
    drift: Drift::None,
    layout: 0.0,
    noise: 0.01,
    outliers: 0.0,
    quantum: 1.0,
    ns_per_tick: 0.5,
    competitor: 0.0,
};

#[test]
fn a_quiet_machine_gives_no_cause_for_remarks() {
    let row = ran(QUIET);
    assert_eq!(
        (row.verdict, row.notes, row.modes),
        (Verdict::Measured, Vec::new(), Vec::new())
    );
}

#[test]
fn two_modes_are_told_with_their_shares() {
    let planned = PlannedPoint {
        estimator: Estimator::Each,
        ..point("target", "")
    };
    let row = row_of(planned, 12, |trial| {
        let mut random = fastrand::Rng::with_seed(u64::from(trial.round));
        let mut series = Series::new(Role::Main, Sampling::Individual, 1);
        let one = |_| {
            let centre = if random.f64() < 0.3 { 1_000.0 } else { 80_000.0 };
            (centre * (1.0 + 0.1 * random.f64())) as i64
        };
        series.ticks = (0..100).map(one).collect();
        trial.series = vec![series];
    });
    let [low, high] = row.modes[..] else {
        panic!("{:?}", row.modes)
    };
    assert!(
        (low.at / 525.0 - 1.0).abs() < 0.05 && (low.share - 0.3).abs() < 0.05,
        "{low:?}"
    );
    assert!(
        (high.at / 42_000.0 - 1.0).abs() < 0.05 && (high.share - 0.7).abs() < 0.05,
        "{high:?}"
    );
    assert_eq!(row.modes.len(), 2, "{:?}", row.modes);
}

#[test]
fn a_coarse_clock_is_told_and_not_taken_for_modes() {
    let row = ran(Simulated {
        quantum: 26.0,
        n: 20,
        noise: 0.1,
        ..QUIET
    });
    assert!(says(&row, "quantised clock"), "{:?}", row.notes);
    assert_eq!(row.modes, []);
    let fine_enough = ran(Simulated {
        quantum: 26.0,
        n: 2_000,
        ..QUIET
    });
    assert!(!says(&fine_enough, "quantised clock"));
}

#[test]
fn drift_over_the_run_is_told_with_its_size() {
    let row = ran(Simulated {
        drift: Drift::Linear(0.05),
        ..QUIET
    });
    assert!(
        says(&row, "drifts by") && says(&row, "10 % over the run"),
        "{:?}",
        row.notes
    );
    let small = ran(Simulated {
        drift: Drift::Linear(0.005),
        ..QUIET
    });
    assert!(!says(&small, "drifts by"));
}

#[test]
fn spread_between_processes_is_told() {
    let row = ran(Simulated {
        layout: 0.03,
        ..QUIET
    });
    assert!(says(&row, "fresh processes differ by"), "{:?}", row.notes);
}

#[test]
fn a_mean_moved_by_outliers_is_told() {
    let planned = PlannedPoint {
        estimator: Estimator::Each,
        ..point("target", "")
    };
    let row = row_of(planned, 8, |trial| {
        let mut series = Series::new(Role::Main, Sampling::Individual, 1);
        series.ticks = vec![1_000; 50];
        series.ticks[7] = 100_000;
        trial.series = vec![series];
    });
    assert!(
        says(&row, "the mean is 198 % above the median"),
        "{:?}",
        row.notes
    );
    assert_eq!(row.estimate.unwrap().typical, 500.0);
}

#[test]
fn trials_that_were_not_bound_to_a_cpu_are_told() {
    let row = row_of(point("target", ""), 8, |trial| trial.pinned = trial.round > 3);
    assert!(
        says(&row, "3 of 8 trials ran without being bound"),
        "{:?}",
        row.notes
    );
}
