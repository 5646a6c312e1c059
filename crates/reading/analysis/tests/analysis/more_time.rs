//! Whether the time that a run says it still needs is the time that it then takes.

use crate::simulated::{Course, Simulated, analyst, point, settings, watched};
use stats::order::median;

/// Rounds after which a point is given up here.
const MOST_ROUNDS: u32 = 400;
const RUNS: u64 = 30;

/// The trials that a run of one point is said to need after this many rounds, and those that it then takes until its
/// interval is narrow; `None` where it was narrow before.
fn said_and_true(machine: Simulated, precision: f64, rounds: u32, seed: u64) -> Option<(f64, f64)> {
    let planned = point("target", "");
    let id = planned.id.clone();
    let mut analyst = analyst(vec![planned], settings(precision, 6));
    let mut course = Course::new(machine, MOST_ROUNDS, seed);
    let mut add = |analyst: &mut analysis::Analyst, round: u32| {
        let mut trial = course.trial(&id, round);
        // One a second, so that seconds are trials.
        trial.started_ns = u64::from(round) * 1_000_000_000;
        analyst.add_trial(&trial);
        analyst.end_round(round);
    };
    (1..=rounds).for_each(|round| add(&mut analyst, round));
    let more = analyst.analysis().more_time;
    if more.points == 0 {
        return None;
    }
    let last = (rounds + 1..=MOST_ROUNDS).find(|round| {
        add(&mut analyst, *round);
        analyst.may_close(&id)
    });
    Some((more.seconds, f64::from(last? - rounds)))
}

/// Quartiles of said / true over many runs.
fn quartiles(machine: Simulated, precision: f64, rounds: u32) -> (f64, f64, f64) {
    let mut ratios: Vec<f64> = (0..RUNS)
        .filter_map(|seed| said_and_true(machine, precision, rounds, seed))
        .map(|(said, taken)| said / taken)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let at = |share: usize| ratios[ratios.len() * share / 4];
    assert!(ratios.len() as u64 > RUNS / 2, "{} runs were open", ratios.len());
    (at(1), median(&ratios).unwrap(), at(3))
}

#[test]
fn more_time_is_neither_too_little_nor_too_much() {
    let quick = Simulated { triples: 8, ..Simulated::default() };
    for (layout, precision) in [(0.02, 0.005), (0.05, 0.015)] {
        for rounds in [3, 12] {
            let machine = Simulated { layout, ..quick };
            let (low, middle, high) = quartiles(machine, precision, rounds);
            assert!((0.5..=2.0).contains(&middle), "{layout} {precision} {rounds}: {low} {middle} {high}");
        }
    }
}

#[test]
fn needs_are_those_of_the_points_asked_for() {
    let analyst = watched(point("target", ""), 3, |_| {});
    let [other, target] = analyst.needs(&[99, 0]).try_into().unwrap();
    assert_eq!(other, analysis::Needs::default());
    assert_eq!((target.made, target.to_close), (3.0, 3.0), "six at least");
    assert!(target.to_sharpen >= 3.0);
}

/// The share of the whole time, the last trial's own included.
#[test]
fn waiting_is_a_share_of_the_time_until_the_last_trial_ended() {
    let id = point("target", "").id;
    let mut analyst = analyst(vec![point("target", "")], settings(0.05, 6));
    assert_eq!(analyst.waited(), None);
    let mut course = Course::new(Simulated::default(), 4, 1);
    let (mut waited, mut ended) = (0.0, 0.0);
    for round in 1..=4 {
        let mut trial = course.trial(&id, round);
        trial.started_ns = u64::from(round) * 1_000_000;
        // A trial that was not triggered does not say.
        trial.waited_ns = (round != 2).then_some(500_000);
        let batches: i64 = trial.series[0].ticks.iter().sum();
        if round != 2 {
            waited += 500e3;
            ended = trial.started_ns as f64 + batches as f64 * trial.ns_per_tick + 500e3;
        }
        analyst.add_trial(&trial);
    }
    let share = analyst.waited().unwrap();
    assert!((share - waited / ended).abs() < 1e-9, "{share} {}", waited / ended);
}
