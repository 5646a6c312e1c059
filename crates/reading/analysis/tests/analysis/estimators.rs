//! From batches to values, for every estimator.

use crate::simulated::{assert_no_number, counted, point, row_of, witness};
use analysis::{Failure, Reason, Verdict};
use quantity::Quantity;
use record::{Counted, Estimator, Evidence, PlannedPoint, Role, Sampling, Series, Trial};

fn triples(role: Role, n: u64, once: i64, per_iteration: f64) -> Series {
    let mut series = Series::new(role, Sampling::Triples, n);
    for at in 0..60 {
        let iterations = (n << (at % 3)) as f64;
        series.ticks.push(once + (per_iteration * iterations).round() as i64);
    }
    series
}

fn estimated(estimator: Estimator, change: impl Fn(&mut Trial)) -> analysis::Row {
    row_of(PlannedPoint { estimator, ..point("target", "") }, 8, change)
}

#[test]
fn slope_excludes_the_fixed_cost_of_a_batch() {
    let row = estimated(Estimator::Slope, |trial| trial.series = vec![triples(Role::Main, 100, 7_777, 30.0)]);
    assert_eq!(row.estimate.unwrap().typical, 15.0, "30 ticks of half a nanosecond");
}

#[test]
fn the_best_lies_below_the_typical_value_as_far_as_among_the_longest_batches() {
    // A third of the shortest batches were disturbed: their slopes are far too small, and no best. What a batch costs by
    // itself, two iterations here, is no part of the best, which would be above the typical value.
    let row = estimated(Estimator::Slope, |trial| {
        trial.clock_cost_ticks = 50.0;
        let mut series = triples(Role::Main, 100, 110, 30.0);
        series.ticks.chunks_mut(9).for_each(|three| three[0] += 20_000);
        trial.series = vec![series];
    });
    let estimate = row.estimate.unwrap();
    assert_eq!((estimate.typical, estimate.best), (15.0, 15.0));
}

#[test]
fn the_best_is_never_worse_than_the_typical_value() {
    // Batches cost more by themselves than reading the clock does.
    let row = estimated(Estimator::Slope, |trial| {
        trial.clock_cost_ticks = 50.0;
        trial.series = vec![triples(Role::Main, 100, 5_000, 30.0)];
    });
    let estimate = row.estimate.unwrap();
    assert_eq!((estimate.typical, estimate.best), (15.0, 15.0));
}

#[test]
fn a_negative_slope_stays_negative() {
    let row = estimated(Estimator::Slope, |trial| trial.series = vec![triples(Role::Main, 10, 9_000, -3.0)]);
    assert_eq!(row.estimate.unwrap().typical, -1.5);
    assert_eq!(row.verdict, Verdict::Measured);
}

fn less_control(events: Option<Evidence>) -> analysis::Row {
    let estimator = Estimator::SlopeLessControl { per: "switches".to_owned() };
    estimated(estimator, |trial| {
        // Different n on both sides: each slope is per iteration.
        trial.series = vec![triples(Role::Control, 50, 300, 12.0), triples(Role::Main, 100, 5_000, 52.0)];
        trial.evidence.extend(events.clone());
    })
}

#[test]
fn control_is_subtracted_and_the_rest_divided_by_what_was_counted() {
    let row = less_control(Some(counted("switches", 2.0)));
    assert_eq!(row.estimate.unwrap().typical, (52.0 - 12.0) * 0.5 / 2.0);
}

#[test]
fn uncounted_events_fail_the_trial() {
    let reason = "no right to count".to_owned();
    let unread = Evidence { counter: "switches".to_owned(), counted: Counted::Unavailable { reason } };
    for events in [None, Some(unread), Some(counted("switches", 0.0))] {
        let row = less_control(events);
        assert_eq!(row.verdict, Verdict::Failed);
        assert_no_number(&row);
        let uncounted = Failure::Uncounted("switches".to_owned());
        assert!(matches!(&row.reasons[..], [Reason::Failed(why, ..)] if *why == uncounted));
    }
}

#[test]
fn pair_counts_only_if_series_and_control_count() {
    let estimator = Estimator::SlopeLessControl { per: "switches".to_owned() };
    let row = estimated(estimator, |trial| {
        let mut control = triples(Role::Control, 100, 300, 12.0);
        control.cpu_ns = control.ticks.iter().map(|ticks| ticks / 2 + 200).collect();
        control.cpu_ns[0] = 0;
        control.ticks[0] = 1_000_000;
        trial.series = vec![triples(Role::Main, 100, 5_000, 52.0), control];
        trial.evidence.push(counted("switches", 1.0));
    });
    let estimate = row.estimate.unwrap();
    assert_eq!(estimate.typical, 20.0);
    assert_eq!(estimate.batches, 8 * (60 + 57));
}

#[test]
fn each_iteration_timed_alone() {
    let each = |count: usize| {
        estimated(Estimator::Each, move |trial| {
            let mut series = Series::new(Role::Main, Sampling::Individual, 1);
            series.ticks = (1..=count as i64).map(|at| at * 1000).collect();
            trial.series = vec![series];
        })
    };
    assert_eq!(each(5).estimate.unwrap().typical, 1_500.0);
    assert_eq!(each(2).verdict, Verdict::Failed);
}

#[test]
fn values_are_taken_as_they_are_and_the_best_bandwidth_is_the_highest() {
    let values = |quantity| {
        let planned = PlannedPoint { estimator: Estimator::Values, quantity, ..point("target", "") };
        let row = row_of(planned, 8, |trial| {
            let mut series = Series::new(Role::Main, Sampling::Values, 1);
            series.values = (0..=100).map(f64::from).collect();
            trial.series = vec![series];
        });
        let estimate = row.estimate.unwrap();
        (estimate.typical, estimate.best)
    };
    assert_eq!(values(Quantity::Bandwidth), (50.0, 95.0));
    assert_eq!(values(Quantity::Latency), (50.0, 5.0));
}

#[test]
fn a_payload_makes_rates_of_times_and_the_best_is_the_highest() {
    let planned =
        PlannedPoint { quantity: Quantity::Bandwidth, payload_bytes: Some(4096), ..point("target", "") };
    let times = row_of(point("target", ""), 8, |_| ()).estimate.unwrap();
    let rates = row_of(planned, 8, |_| ()).estimate.unwrap();
    let rate = |time: f64| 4096e9 / time;
    assert!(rates.best >= rates.typical, "{rates:?}");
    assert!((rates.typical / rate(times.typical) - 1.0).abs() < 1e-2, "{times:?} {rates:?}");
    assert!((rates.best / rate(times.best) - 1.0).abs() < 1e-3, "{times:?} {rates:?}");
}

#[test]
fn delayed_batch_does_not_affect_other_batches() {
    let planned =
        PlannedPoint { quantity: Quantity::Bandwidth, payload_bytes: Some(1000), ..point("target", "") };
    // 10 ns each; in two triples of five the shortest batch was interrupted, so that their slopes are negative.
    let row = row_of(planned, 8, |trial| {
        let mut series = triples(Role::Main, 1000, 0, 10.0);
        for triple in series.ticks.chunks_exact_mut(3).step_by(5) {
            triple[0] += 1_000_000;
        }
        for triple in series.ticks.chunks_exact_mut(3).skip(1).step_by(5) {
            triple[0] += 1_000_000;
        }
        trial.ns_per_tick = 1.0;
        trial.series = vec![series];
    });
    let estimate = row.estimate.unwrap();
    assert!((estimate.typical / 100e9 - 1.0).abs() < 1e-3, "{estimate:?}");
}

#[test]
fn a_constant_zero_is_narrow() {
    let planned =
        PlannedPoint { estimator: Estimator::Values, quantity: Quantity::Count, ..point("target", "") };
    let row = row_of(planned, 8, |trial| {
        let mut series = Series::new(Role::Main, Sampling::Values, 1);
        series.values = vec![0.0];
        trial.series = vec![series];
    });
    assert_eq!(row.verdict, Verdict::Measured);
}

#[test]
fn linearity_is_a_witness_like_any_other_and_cannot_be_claimed() {
    let planned = PlannedPoint { witnesses: vec![witness("linearity", 0.8, 1.25)], ..point("target", "") };
    let straight = row_of(planned.clone(), 8, |_| ());
    assert_eq!(straight.verdict, Verdict::Measured);
    assert!((straight.witnesses[0].counted.unwrap() - 1.0).abs() < 0.05);
    let half_left_out = row_of(planned, 8, |trial| {
        let mut series = triples(Role::Main, 100, 50, 30.0);
        // The compiler found out that the second half of a long batch gives nothing new.
        series.ticks.iter_mut().skip(2).step_by(3).for_each(|ticks| *ticks = *ticks * 5 / 8);
        trial.series = vec![series];
        trial.evidence.push(counted("linearity", 1.0));
    });
    assert_eq!(half_left_out.verdict, Verdict::Contradicted);
    assert_no_number(&half_left_out);
}
