//! Remarks that do not change a verdict.

use crate::simulated::{Course, Drift, Simulated, analyst, counted, point, row_of, settings, witness};
use analysis::{Note, Row, Verdict};
use record::{Estimator, PlannedPoint, Role, Sampling, Series};

fn ran(machine: Simulated) -> Row {
    let planned = point("target", "");
    let mut analyst = analyst(vec![planned.clone()], settings(0.02, 6));
    let mut course = Course::new(machine, 20, 3);
    (1..=20).for_each(|round| analyst.add_trial(&course.trial(&planned.id, round)));
    analyst.row(&planned.id).unwrap()
}

fn has(row: &Row, is: impl Fn(&Note) -> bool) -> bool {
    row.notes.iter().any(is)
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
fn quiet_machine_has_no_remarks() {
    let row = ran(QUIET);
    assert_eq!((row.verdict, row.notes, row.modes), (Verdict::Measured, Vec::new(), Vec::new()));
}

#[test]
fn two_modes_have_their_shares() {
    let planned = PlannedPoint { estimator: Estimator::Each, ..point("target", "") };
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
    let [low, high] = row.modes[..] else { panic!("{:?}", row.modes) };
    assert!((low.at / 525.0 - 1.0).abs() < 0.05 && (low.share - 0.3).abs() < 0.05, "{low:?}");
    assert!((high.at / 42_000.0 - 1.0).abs() < 0.05 && (high.share - 0.7).abs() < 0.05, "{high:?}");
    assert_eq!(row.modes.len(), 2, "{:?}", row.modes);
}

#[test]
fn coarse_clock_is_a_remark_and_no_mode() {
    let row = ran(Simulated { quantum: 26.0, n: 20, noise: 0.1, ..QUIET });
    assert!(has(&row, |note| matches!(note, Note::Clock(_))), "{:?}", row.notes);
    assert_eq!(row.modes, []);
    let fine_enough = ran(Simulated { quantum: 26.0, n: 2_000, ..QUIET });
    assert!(!has(&fine_enough, |note| matches!(note, Note::Clock(_))));
}

#[test]
fn drift_over_the_run_is_a_remark_with_its_size() {
    let row = ran(Simulated { drift: Drift::Linear(0.05), ..QUIET });
    let is_drift = |note: &Note| matches!(note, Note::Drift(share) if (share + 0.1).abs() < 0.005);
    assert!(has(&row, is_drift), "{:?}", row.notes);
    let small = ran(Simulated { drift: Drift::Linear(0.005), ..QUIET });
    assert!(!has(&small, |note| matches!(note, Note::Drift(_))));
}

#[test]
fn between_process_variance_is_a_remark() {
    let row = ran(Simulated { layout: 0.03, ..QUIET });
    let differ = has(&row, |note| matches!(note, Note::Between { between, within } if between > within));
    assert!(differ, "{:?}", row.notes);
}

#[test]
fn mean_moved_by_outliers_is_a_remark() {
    let planned = PlannedPoint { estimator: Estimator::Each, ..point("target", "") };
    let row = row_of(planned, 8, |trial| {
        let mut series = Series::new(Role::Main, Sampling::Individual, 1);
        series.ticks = vec![1_000; 50];
        series.ticks[7] = 100_000;
        trial.series = vec![series];
    });
    let is_skew = |note: &Note| matches!(note, Note::Skew(share) if (share - 1.98).abs() < 1e-9);
    assert!(has(&row, is_skew), "{:?}", row.notes);
    assert_eq!(row.estimate.unwrap().typical, 500.0);
}

/// A difference of two times is near zero or below it: -2510 % of it is nothing.
#[test]
fn nothing_is_a_share_of_a_difference_near_zero() {
    let planned = PlannedPoint { estimator: Estimator::Values, ..point("target", "") };
    for (typical, has_remarks) in [(1.0, false), (-1.0, false), (1e4, true)] {
        let row = row_of(planned.clone(), 8, |trial| {
            let mut series = Series::new(Role::Main, Sampling::Values, 1);
            let wide = [-300.0, -200.0, -1.0, 1.0, 200.0, 30_000.0];
            series.values = wide.map(|one| typical + one).to_vec();
            series.values.push(typical);
            trial.series = vec![series];
        });
        let is_share = |note: &Note| matches!(note, Note::Skew(_) | Note::Drift(_) | Note::Between { .. });
        assert_eq!(has(&row, is_share), has_remarks, "{typical}: {:?}", row.notes);
    }
}

#[test]
fn unpinned_trials_are_a_remark() {
    let row = row_of(point("target", ""), 8, |trial| trial.pinned = trial.round > 3);
    assert!(row.notes.contains(&Note::Unpinned(3, 8)), "{:?}", row.notes);
}

/// Processes that differ by more than chance, but by less than the precision asked for, are no remark.
#[test]
fn between_process_variance_within_the_precision_is_not_a_remark() {
    let row = ran(Simulated { layout: 0.01, noise: 0.001, triples: 200, ..QUIET });
    assert!(!has(&row, |note| matches!(note, Note::Between { .. })), "{:?}", row.notes);
}

/// A hand-off that finds its peer awake needs no switch: of 2 to 4 that may be, 2 are expected.
#[test]
fn another_count_of_switches_is_a_remark() {
    let notes = |count: f64, high: f64| {
        let planned = PlannedPoint { witnesses: vec![witness("switches", 1.9, high)], ..point("target", "") };
        let row = row_of(planned, 8, |trial| trial.evidence.push(counted("switches", count)));
        row.notes
    };
    let remark = |counted| Note::Switches { counted, expected: 2.0 };
    assert_eq!(notes(3.0, 4.0), [remark(3.0)]);
    assert_eq!(notes(2.1, 4.0), [remark(2.1)]);
    assert!(notes(2.02, 4.0).is_empty(), "within two per cent");
    assert!(notes(2.1, 2.2).is_empty(), "a narrow range allows no other count");
}
