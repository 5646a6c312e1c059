//! How often the interval of a run that stops by itself covers the truth.

use crate::simulated::{Course, Drift, Simulated, analyst, point, settings};
use analysis::{Reason, Row, Verdict};

const ROUNDS: u32 = 20;
const RUNS: u32 = 1000;

/// A run that stops as runs do: its row, and the truth while it lasted.
fn run(machine: Simulated, precision: f64, seed: u32) -> (Row, f64) {
    let planned = point("target", "");
    let id = planned.id.clone();
    let mut analyst = analyst(vec![planned], settings(precision, 6));
    let mut course = Course::new(machine, ROUNDS, u64::from(seed));
    let mut levels = Vec::new();
    for round in 1..=ROUNDS {
        analyst.add_trial(&course.trial(&id, round));
        analyst.end_round(round);
        levels.push(course.level(round));
        if analyst.may_close(&id) {
            break;
        }
    }
    (analyst.row(&id).unwrap(), stats::order::median(&levels).unwrap())
}

/// Share of the runs whose interval covers the truth, and their mean number of trials.
fn coverage(machine: Simulated, precision: f64) -> (f64, f64) {
    let mut covered = 0;
    let mut trials = 0;
    for seed in 0..RUNS {
        let (row, truth) = run(machine, precision, seed);
        let estimate = row.estimate.unwrap();
        let (low, high) = estimate.interval.unwrap().ends();
        covered += u32::from(low <= truth && truth <= high);
        trials += estimate.trials;
    }
    (f64::from(covered) / f64::from(RUNS), trials as f64 / f64::from(RUNS))
}

fn covers(name: &str, machine: Simulated, precision: f64) {
    let (share, trials) = coverage(machine, precision);
    assert!((0.93..=0.98).contains(&share), "{name}: {share} with {trials} trials");
    assert!(trials >= 8.0, "{name}: {trials} trials");
}

#[test]
fn covers_truth_under_linear_drift() {
    covers("linear", Simulated { drift: Drift::Linear(0.01), ..Simulated::default() }, 0.02);
}

#[test]
fn covers_truth_under_periodic_drift() {
    covers("sine", Simulated { drift: Drift::Sine(0.01), ..Simulated::default() }, 0.015);
}

#[test]
fn covers_truth_with_a_coarse_counter() {
    covers("26 ticks", Simulated { quantum: 26.0, n: 60, ..Simulated::default() }, 0.02);
}

#[test]
fn covers_truth_with_a_coarse_clock() {
    let machine = Simulated { quantum: 500.0, ns_per_tick: 1.0, n: 1000, ..Simulated::default() };
    covers("500 ns", machine, 0.02);
}

#[test]
fn covers_truth_on_a_shared_machine() {
    let machine =
        Simulated { competitor: 0.3, drift: Drift::Sine(0.01), triples: 30, ..Simulated::default() };
    covers("competitor", machine, 0.02);
}

#[test]
fn precision_that_is_out_of_reach_uses_every_round_and_is_noisy() {
    let (row, truth) = run(Simulated::default(), 0.001, 1);
    let estimate = row.estimate.unwrap();
    assert_eq!(estimate.trials, ROUNDS as usize);
    assert_eq!(row.verdict, Verdict::Noisy);
    let too_wide =
        |reason: &Reason| matches!(reason, Reason::TooWide { precision, .. } if *precision == 0.001);
    assert!(row.reasons.iter().any(too_wide), "{:?}", row.reasons);
    assert!((estimate.typical / truth - 1.0).abs() < 0.03);
}

#[test]
fn competitor_for_95_percent_of_the_time_is_reported_or_harmless() {
    for seed in 0..50 {
        for n in [200, 2_000, 20_000] {
            let machine = Simulated { competitor: 0.95, n, ..Simulated::default() };
            let (row, truth) = run(machine, 0.03, seed);
            let close = |typical: f64| (typical / truth - 1.0).abs() < 0.05;
            let typical = row.estimate.as_ref().map(|estimate| estimate.typical);
            assert!(row.verdict == Verdict::Noisy || typical.is_some_and(close), "{n}: {row:?}");
            // 20 000 iterations last longer than the competitor leaves the CPU alone.
            assert!(n < 20_000 || row.verdict == Verdict::Noisy, "{row:?}");
        }
    }
}
