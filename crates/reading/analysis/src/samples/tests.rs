//! What of a trial becomes samples, with the clock of the core beside them.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::plausibility;
use super::summary::TrialSamples;
use super::{core_clock, sample};
use quantity::Quantity;
use record::{CoreLooks, Estimator, Looks, PlannedPoint, PointId, Role, Sampling, Series, Trial};

/// A trial of nothing, by a clock of 1 GHz.
pub(crate) fn trial(started_ns: u64) -> Trial {
    Trial {
        round: 1,
        id: PointId::new("a.b", ""),
        started_ns,
        clock: "tsc".to_owned(),
        ns_per_tick: 1.0,
        core_hz: None,
        clock_cost_ticks: 0.0,
        cpu_cost_ns: 0.0,
        cpu: Some(1),
        pinned: true,
        series: Vec::new(),
        looks: None,
        waited_ns: None,
        attributes: record::Attributes::new(),
        evidence: Vec::new(),
    }
}

/// A trial whose samples are these values.
pub(crate) fn trial_of_values(round: u32, values: &[f64]) -> Trial {
    let series = Series { values: values.to_vec(), ..Series::new(Role::Main, Sampling::Values, 1) };
    Trial { round, series: vec![series], ..trial(0) }
}

/// What is kept of such a trial.
pub(crate) fn kept_of_values(round: u32, values: &[f64]) -> TrialSamples {
    let trial = trial_of_values(round, values);
    let estimator = Estimator::Values;
    let planned = PlannedPoint { estimator, ..PlannedPoint::new(trial.id.clone()) };
    let shape = plausibility::check(&trial, &planned.estimator).unwrap();
    let taken = sample::take(&planned, &planned.gate, &trial, &shape).unwrap();
    TrialSamples::new(&trial, &shape, &taken, Quantity::Latency)
}

/// Batches of n, 2n and 4n iterations of this cost.
fn triples(role: Role, n: u64, cost: i64, look: Vec<u32>) -> Series {
    Series {
        ticks: [1, 2, 4].map(|length| length * n as i64 * cost).repeat(look.len()),
        look,
        ..Series::new(role, Sampling::Triples, n)
    }
}

/// A trial with a look before and after every triple: chains of 300 additions in these times.
fn looked(chain: &[i64], series: Vec<Series>) -> Trial {
    Trial {
        looks: Some(Looks {
            at: (0..chain.len() as i64).collect(),
            additions: 300,
            cores: vec![CoreLooks { cpu: Some(1), chain: chain.to_vec(), width: vec![100; chain.len()] }],
        }),
        series,
        ..trial(0)
    }
}

#[test]
fn clock_beside_a_sample_is_that_of_the_looks_around_it() {
    let series = triples(Role::Main, 1, 10, vec![0, 1, 3]);
    let trial = looked(&[100, 100, 0, 150, 150], vec![series]);
    let clocks = core_clock::beside_samples(&trial.series[0], &trial);
    // A chain that took no time was no look: the one on the other side counts alone.
    assert_eq!(clocks, [3e9, 3e9, 2e9]);
    let values = Series { look: vec![2], ..Series::new(Role::Main, Sampling::Values, 1) };
    assert_eq!(core_clock::beside_samples(&values, &trial), [3e9]);
    let without = Trial { looks: None, ..trial };
    assert!(core_clock::beside_samples(&values, &without).is_empty());
}

#[test]
fn sample_less_its_control_has_the_mean_of_both_clocks() {
    let estimator = Estimator::SlopeLessControl { per: "events".to_owned() };
    let planned = PlannedPoint { estimator, ..PlannedPoint::new(PointId::new("a.b", "")) };
    let mut trial = looked(
        &[100, 100, 150, 150],
        vec![triples(Role::Main, 1, 30, vec![0]), triples(Role::Control, 1, 10, vec![2])],
    );
    trial.evidence.push(record::Evidence {
        counter: "events".to_owned(),
        counted: record::Counted::Count { count: 4.0, iterations: 1.0 },
    });
    let shape = plausibility::check(&trial, &planned.estimator).unwrap();
    let taken = sample::take(&planned, &planned.gate, &trial, &shape).unwrap();
    let [sample] = taken.samples[..] else { panic!("{:?}", taken.samples) };
    assert_eq!((sample.value, sample.core_hz), (5.0, 2.5e9));
}

#[test]
fn samples_without_a_trigger_are_those_before_its_place() {
    let mut series = triples(Role::Main, 4, 10, vec![0, 0, 0, 0, 0]);
    series.free = 2;
    let trial = Trial { series: vec![series], ..trial(0) };
    let planned = PlannedPoint::new(trial.id.clone());
    let shape = plausibility::check(&trial, &planned.estimator).unwrap();
    let taken = sample::take(&planned, &planned.gate, &trial, &shape).unwrap();
    let kept = TrialSamples::new(&trial, &shape, &taken, Quantity::Latency);
    assert_eq!((kept.samples.len(), kept.free().len()), (5, 2));
}

#[test]
fn step_of_the_clock_is_divided_by_the_iterations_of_a_sample() {
    let [(short, share), (long, _)] = [4, 8].map(|n| {
        let ticks: Vec<i64> = (0..40).flat_map(|at| [100 + 10 * (at % 7), 200, 400]).collect();
        let series = Series { ticks, ..Series::new(Role::Main, Sampling::Triples, n) };
        let trial = Trial { ns_per_tick: 0.5, series: vec![series], ..trial(0) };
        let planned = PlannedPoint::new(trial.id.clone());
        let shape = plausibility::check(&trial, &planned.estimator).unwrap();
        let taken = sample::take(&planned, &planned.gate, &trial, &shape).unwrap();
        let kept = TrialSamples::new(&trial, &shape, &taken, Quantity::Latency);
        let summary = kept.summary(|_, _| true).unwrap();
        (summary.resolution(), kept.step.unwrap().share)
    });
    assert!(short > 0.0 && (short / long - 2.0).abs() < 1e-9, "{short} {long}");
    // The same step as a share of the median shortest batch, which has 130 ticks.
    assert!((short * 12.0 / 0.5 / 130.0 - share).abs() < 1e-9, "{short} {share}");
}

#[test]
fn no_batch_has_more_iterations_than_a_processor_can_do() {
    for (n, is_possible) in [(1_000_000_000_000, true), (1_000_000_000_001, false)] {
        let series = vec![triples(Role::Main, n, 0, vec![0])];
        let trial = Trial { series, ..trial(0) };
        assert_eq!(plausibility::check(&trial, &Estimator::Slope).is_ok(), is_possible);
    }
}

/// The samples of a trial of these series.
fn taken(planned: &PlannedPoint, trial: &Trial) -> Vec<sample::Sample> {
    let shape = plausibility::check(trial, &planned.estimator).unwrap();
    sample::take(planned, &planned.gate, trial, &shape).unwrap().samples
}

fn of_ticks(sampling: Sampling, n: u64, ticks: &[i64]) -> Vec<Series> {
    vec![Series { ticks: ticks.to_vec(), ..Series::new(Role::Main, sampling, n) }]
}

/// Of 8 bytes in 2, 4, 0 and −1 ns the last two stand beside the first.
#[test]
fn a_time_that_is_not_positive_has_the_rate_of_the_shortest_that_is() {
    let ticks = [10, 20, 16, 10, 20, 22, 10, 20, 10, 10, 20, 7];
    let trial = Trial { series: of_ticks(Sampling::Triples, 1, &ticks), ..trial(0) };
    let planned = PlannedPoint { payload_bytes: Some(8), ..PlannedPoint::new(trial.id.clone()) };
    let rates: Vec<(f64, f64)> =
        taken(&planned, &trial).iter().map(|sample| (sample.value, sample.longest)).collect();
    assert_eq!(rates, [(4e9, 2e9), (2e9, 8e9 / 5.5), (4e9, 3.2e9), (4e9, 8e9 / 1.75)]);
}

#[test]
fn time_of_an_iteration_has_the_clock_read_once_taken_off_its_longest_batch() {
    let ticks = [24, 44, 84];
    let series = of_ticks(Sampling::Triples, 2, &ticks);
    let trial = Trial { ns_per_tick: 0.5, clock_cost_ticks: 4.0, series, ..trial(0) };
    let [sample] = taken(&PlannedPoint::new(trial.id.clone()), &trial)[..] else { panic!() };
    assert_eq!((sample.value, sample.longest), (5.0, 5.0));
    let each = Trial { series: of_ticks(Sampling::Individual, 4, &ticks), ..trial };
    let planned = PlannedPoint { estimator: Estimator::Each, ..PlannedPoint::new(each.id.clone()) };
    let times: Vec<(f64, f64)> =
        taken(&planned, &each).iter().map(|sample| (sample.value, sample.longest)).collect();
    assert_eq!(times, [(3.0, 3.0), (5.5, 5.5), (10.5, 10.5)]);
}

/// Controls of 10 and 14 ns have a median of 12 in their longest batches; a chain of 250 ns is one of a shared core.
#[test]
fn sample_less_its_control_has_the_usual_control_taken_off_and_the_worse_state_of_both() {
    let control = Series {
        ticks: vec![10, 20, 40, 14, 28, 56],
        look: vec![2, 4],
        ..Series::new(Role::Control, Sampling::Triples, 1)
    };
    let main = triples(Role::Main, 1, 30, vec![0, 2]);
    let mut trial = looked(&[400, 400, 250, 250, 400, 400], vec![main, control]);
    let counted = record::Counted::Count { count: 8.0, iterations: 2.0 };
    trial.evidence.push(record::Evidence { counter: "events".to_owned(), counted });
    let estimator = Estimator::SlopeLessControl { per: "events".to_owned() };
    let planned = PlannedPoint { estimator, ..PlannedPoint::new(trial.id.clone()) };
    let samples = taken(&planned, &trial);
    let values: Vec<(f64, f64)> = samples.iter().map(|sample| (sample.value, sample.longest)).collect();
    assert_eq!(values, [(5.0, 4.5), (4.0, 4.5)]);
    let ratios: Vec<f32> = samples.iter().map(|sample| sample.ratios[0]).collect();
    assert_eq!(ratios, [0.4, 0.4]);
}

#[test]
fn a_clock_that_is_not_a_frequency_is_none() {
    for (core_hz, expected) in [
        (Some(3e9), Some(3e9)),
        (Some(0.0), None),
        (Some(-3e9), None),
        (Some(f64::NAN), None),
        (Some(f64::INFINITY), None),
        (None, None),
    ] {
        let trial = Trial { core_hz, ..trial_of_values(1, &[1.0]) };
        let shape = plausibility::check(&trial, &Estimator::Values).unwrap();
        let planned = PlannedPoint { estimator: Estimator::Values, ..PlannedPoint::new(trial.id.clone()) };
        let taken = sample::take(&planned, &planned.gate, &trial, &shape).unwrap();
        let kept = TrialSamples::new(&trial, &shape, &taken, Quantity::Latency);
        assert_eq!(kept.core_hz, expected, "{core_hz:?}");
    }
}
