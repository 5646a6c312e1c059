//! What stands out in a run, and what does not; how a run stands beside another machine.

use crate::simulated::point;
use analysis::{Distance, Estimate, Highlight, Predicted, Reason, Row, Tier, Verdict, beside, highlights};
use quantity::Quantity;
use record::{Fact, FactValue, Machine, PointId, Range, Unit};

fn row(operation: &str, parameters: &str, typical: f64) -> Row {
    let mut row = Row::new(point(operation, parameters));
    row.verdict = Verdict::Measured;
    row.estimate = Some(Estimate {
        typical,
        interval: Some(stats::interval::Interval::at_level(0.99 * typical, 1.01 * typical, 0.95)),
        best: typical,
        trials: 12,
        ..Estimate::default()
    });
    row.from_facts = Some(Predicted {
        tier: Tier::Facts,
        hardware: Range::exactly(0.0),
        software: Range::exactly(100.0),
        total: Range { low: 90.0, value: 100.0, high: 110.0 },
        terms: Vec::new(),
        assumed: Vec::new(),
        uncertain_parts: Vec::new(),
    });
    row
}

fn unpredicted(operation: &str, parameters: &str, typical: f64) -> Row {
    Row { from_facts: None, ..row(operation, parameters, typical) }
}

/// No other machine has a point.
fn nowhere(_: &PointId) -> Vec<f64> {
    Vec::new()
}

fn machine(key: &str, value: FactValue) -> Machine {
    Machine {
        facts: vec![Fact { key: key.to_owned(), value, source: String::new(), within: None, assumed: false }],
    }
}

fn number(key: &str, value: f64) -> Machine {
    machine(key, FactValue::Number { value, unit: Unit::One })
}

/// The distances among these rows: operation, ratio, and whether each is decided.
fn distances(rows: &[Row], elsewhere: impl Fn(&PointId) -> Vec<f64>) -> Vec<(String, Option<f64>, bool)> {
    let found = highlights(rows, &Machine::default(), elsewhere).into_iter();
    let found = found.map(|one| match one {
        Highlight::Distance(Distance { id, ratio, is_decided, .. }) => (id.operation, ratio, is_decided),
        other => panic!("{other:?}"),
    });
    found.collect()
}

#[test]
fn a_value_beside_other_programs_stands_by_its_size_and_decides_nothing() {
    let mut beside = row("beside", "", 2_600.0);
    (beside.verdict, beside.reasons) = (Verdict::Noisy, vec![Reason::BesidePrograms(1.0)]);
    let found = distances(&[beside, row("alone", "", 2_000.0)], nowhere);
    let order: Vec<(&str, bool)> = found.iter().map(|(name, _, decided)| (name.as_str(), *decided)).collect();
    assert_eq!(order, [("beside", false), ("alone", true)]);
}

#[test]
fn a_median_between_two_states_stands_out_only_with_the_most_frequent_state() {
    let of_states = |name, states: [(f64, f64); 2]| Row {
        modes: states.map(|(at, share)| stats::modes::Mode { at, share }).to_vec(),
        ..row(name, "", 300.0)
    };
    let rows = [
        of_states("as predicted mostly", [(105.0, 0.75), (3_000.0, 0.25)]),
        of_states("slow mostly", [(105.0, 0.25), (400.0, 0.75)]),
        of_states("fast mostly", [(30.0, 0.75), (3_000.0, 0.25)]),
    ];
    let found = distances(&rows, nowhere);
    let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["slow mostly"]);
}

/// A sync that took 88 µs in some processes and 3.2 ms in others, of which neither number is clearly the more frequent.
#[test]
fn states_of_which_none_is_decided_stand_out_by_the_furthest() {
    let of_states = |name, states: [(f64, f64); 2]| Row {
        modes: states.map(|(at, share)| stats::modes::Mode { at, share }).to_vec(),
        verdict: Verdict::Noisy,
        ..row(name, "", 300.0)
    };
    let rows = [
        of_states("one is slow", [(95.0, 0.6), (2_100.0, 0.4)]),
        of_states("both as predicted", [(95.0, 0.5), (105.0, 0.5)]),
        of_states("one is fast", [(20.0, 0.4), (105.0, 0.6)]),
        row("thrice", "", 300.0),
    ];
    let found = distances(&rows, nowhere);
    let expected = [("one is slow", 21.0, false), ("thrice", 3.0, true), ("one is fast", 0.2, false)];
    assert_eq!(found, expected.map(|(name, ratio, is_decided)| (name.to_owned(), Some(ratio), is_decided)));
    assert_eq!(rows[0].factors_of(100.0), [0.95, 21.0]);
    assert_eq!(rows[3].factors_of(100.0), [3.0]);
}

#[test]
fn a_prediction_that_is_off_on_all_machines_is_not_slow() {
    let rows = [("usual", 900.0), ("slower", 250.0), ("fast", 20.0)].map(|(name, cost)| row(name, "", cost));
    let elsewhere = |id: &PointId| match id.operation.as_str() {
        "usual" => vec![800.0, 900.0, 1_000.0],
        "slower" => vec![80.0, 90.0, 100.0],
        _ => Vec::new(),
    };
    let found = highlights(&rows, &Machine::default(), elsewhere);
    let found = found.iter().map(|one| match one {
        Highlight::Distance(distance) => (distance.id.operation.as_str(), one.is_slow()),
        other => panic!("{other:?}"),
    });
    assert_eq!(found.collect::<Vec<_>>(), [("slower", true), ("usual", false), ("fast", false)]);
}

#[test]
fn slowest_against_its_prediction_comes_first() {
    let costs = [
        ("near", 105.0),
        ("twice", 200.0),
        ("tenth", 10.0),
        ("six", 600.0),
        ("five", 500.0),
        ("a.quarter", 25.0),
    ];
    let mut rows: Vec<Row> = costs.iter().map(|(name, cost)| row(name, "", *cost)).collect();
    let mut reference = row("far", "", 9_000.0);
    reference.point.flaw = Some("wrong".to_owned());
    // Its interval holds the prediction.
    let mut wide = row("wide", "", 400.0);
    wide.verdict = Verdict::Noisy;
    wide.estimate.as_mut().unwrap().interval =
        Some(stats::interval::Interval::at_level(100.0, 20_000.0, 0.95));
    rows.extend([reference, wide]);
    // What is fast comes after what is slow, however far it is; what is not decided stands by its size.
    let expected = [
        ("six", 6.0, true),
        ("five", 5.0, true),
        ("wide", 4.0, false),
        ("twice", 2.0, true),
        ("tenth", 0.1, true),
    ];
    let expected = expected.map(|(name, ratio, is_decided)| (name.to_owned(), Some(ratio), is_decided));
    assert_eq!(distances(&rows, nowhere), expected);
}

#[test]
fn points_are_far_from_other_machines_too() {
    let rows = [row("twice", "", 200.0), row("as.predicted", "", 100.0)];
    let elsewhere = |id: &PointId| match id.operation.as_str() {
        "twice" => vec![150.0, 210.0, 250.0],
        _ => vec![20.0, 30.0, 25.0],
    };
    let found = distances(&rows, elsewhere);
    let expected = [("as.predicted", 1.0), ("twice", 2.0)];
    assert_eq!(found, expected.map(|(name, ratio)| (name.to_owned(), Some(ratio), true)));
    // Two machines do not show the deviation between machines.
    assert_eq!(distances(&rows[1..], |_| vec![20.0, 30.0]), []);
}

#[test]
fn smaller_distances_are_named_where_none_is_large() {
    let rows = [("near", 105.0), ("noticed", 130.0)].map(|(name, cost)| row(name, "", cost));
    assert_eq!(distances(&rows, nowhere), [("noticed".to_owned(), Some(1.3), true)]);
}

#[test]
fn a_cache_that_is_partly_there_is_the_smallest_slow_size() {
    let reported = number("cache.last.size", 32.0 * 1024.0 * 1024.0);
    let rows = |half: f64, largest: &str| {
        [("1MiB", 10.0), ("16MiB", half), ("8MiB", half - 1.0), ("32MiB", 95.0), (largest, 100.0)]
            .map(|(size, ns)| unpredicted("memory.latency", &format!("bytes={size} page_size=4KiB"), ns))
    };
    let found = highlights(&rows(98.0, "64MiB"), &reported, nowhere);
    let [Highlight::CacheCapacity { bytes, ns, is_measured }] = found[..] else { panic!("{found:?}") };
    assert_eq!((bytes, ns, is_measured), (8.0 * 1024.0 * 1024.0, 97.0, true));
    assert!(highlights(&rows(50.0, "64MiB"), &reported, nowhere).is_empty(), "it is there");
    // The largest size must be twice as large as the cache to be memory; else memory is what the family says.
    assert!(highlights(&rows(98.0, "48MiB"), &reported, nowhere).is_empty());
    let of_family = Machine {
        facts: [&reported, &number("family.memory_ns", 90.0)]
            .into_iter()
            .flat_map(|machine| machine.facts.clone())
            .collect(),
    };
    let found = highlights(&rows(98.0, "48MiB"), &of_family, nowhere);
    assert!(matches!(found[..], [Highlight::CacheCapacity { is_measured: false, .. }]), "{found:?}");
    assert!(highlights(&rows(98.0, "64MiB"), &Machine::default(), nowhere).is_empty());
}

#[test]
fn another_cpu_is_named_where_it_costs_many_times_as_much() {
    let rows = |other: f64| {
        [("cpu=same", 10.0), ("cpu=other", other), ("cpu=node", 9e9)]
            .map(|(point, ns)| unpredicted("switch.process.pipe", point, ns))
    };
    let found = highlights(&rows(90.0), &Machine::default(), nowhere);
    let [Highlight::OtherCpu { factor, same, other }] = &found[..] else { panic!("{found:?}") };
    assert_eq!((factor.value, &*same.point, &*other.point), (9.0, "cpu=same", "cpu=other"));
    assert!(highlights(&rows(11.0), &Machine::default(), nowhere).is_empty());
}

#[test]
fn contrasts_hold_over_whole_intervals() {
    let with = |interval: Option<(f64, f64)>| {
        let mut rows = [
            unpredicted("switch.process.pipe", "cpu=same", 10.0),
            unpredicted("switch.process.pipe", "cpu=other", 90.0),
            unpredicted("memory.bandwidth.read", "cpus=1", 10e9),
            unpredicted("memory.bandwidth.read", "cpus=all", 15e9),
            unpredicted("clock.read.monotonic", "", 900.0),
        ];
        for row in &mut rows {
            let estimate = row.estimate.as_mut().unwrap();
            let scaled = |factor: f64| factor * estimate.typical;
            estimate.interval = interval
                .map(|(low, high)| stats::interval::Interval::at_level(scaled(low), scaled(high), 0.95));
        }
        let mut machine = number("cpus.allowed", 4.0);
        let source = FactValue::Text { text: "hpet".to_owned() };
        machine.facts.extend(self::machine("kernel.clocksource", source).facts);
        highlights(&rows, &machine, nowhere).len()
    };
    assert_eq!(with(Some((0.9, 1.1))), 3);
    assert_eq!(with(None), 0, "too few trials for an interval");
    assert_eq!(with(Some((0.1, 10.0))), 0, "intervals that hold the opposite, too");
}

#[test]
fn bandwidth_that_does_not_grow_with_the_cpus_is_shared() {
    let rows = |all: f64| {
        [("cpus=1", 10e9), ("cpus=all", all)]
            .map(|(point, rate)| unpredicted("memory.bandwidth.read", point, rate))
    };
    let four = number("cpus.allowed", 4.0);
    let found = highlights(&rows(15e9), &four, nowhere);
    let [Highlight::SharedBandwidth { factor, is_decided: true, .. }] = found.as_slice() else {
        unreachable!("{found:?}")
    };
    assert!((factor.low..factor.high).contains(&1.5), "{factor:?}");
    let found = highlights(&rows(29e9), &four, nowhere);
    let is_open = matches!(found.as_slice(), [Highlight::SharedBandwidth { is_decided: false, .. }]);
    assert!(is_open, "the next run may find more than three times as much: {found:?}");
    assert!(highlights(&rows(40e9), &four, nowhere).is_empty());
    assert!(highlights(&rows(15e9), &number("cpus.allowed", 1.0), nowhere).is_empty());
}

#[test]
fn a_clock_is_slow_only_where_the_kernel_must_read_it() {
    let source = |text: &str| machine("kernel.clocksource", FactValue::Text { text: text.to_owned() });
    let rows = |ns: f64| [unpredicted("clock.read.monotonic", "", ns)];
    let found = highlights(&rows(900.0), &source("hpet"), nowhere);
    assert_eq!(found, [Highlight::SlowClock { source: "hpet".to_owned(), ns: 900.0 }]);
    assert!(highlights(&rows(100.0), &source("hpet"), nowhere).is_empty());
    assert!(highlights(&rows(900.0), &source("tsc"), nowhere).is_empty());
}

#[test]
fn machines_stand_beside_each_other_by_the_costs_that_both_have() {
    let mut rows = vec![row("one", "", 200.0), row("two", "", 300.0), row("three", "", 50.0)];
    rows.push(row("only.here", "", 1.0));
    let mut rate = row("rate", "", 4e9);
    rate.point.quantity = Quantity::Bandwidth;
    let mut clock = row("clock", "", 4e9);
    clock.point.quantity = Quantity::Frequency;
    let mut wrong = row("wrong", "", 900.0);
    wrong.point.flaw = Some("it is known to be wrong".to_owned());
    rows.extend([rate, clock, wrong]);
    for (row, area) in rows.iter_mut().zip(["cpu", "cpu", "os", "os", "memory", "cpu", "cpu"]) {
        row.point.area = area.to_owned();
    }
    let there = |id: &PointId| match id.operation.as_str() {
        "only.here" => None,
        "rate" | "clock" => Some(2e9),
        _ => Some(100.0),
    };
    let found: Vec<(Option<String>, usize, f64)> =
        beside(&rows, there).into_iter().map(|one| (one.area, one.points, one.ratio)).collect();
    let area = |name: &str| Some(name.to_owned());
    // Twice the bandwidth is half of the cost.
    let expected = [(None, 4, 1.25), (area("cpu"), 2, 2.5), (area("os"), 1, 0.5), (area("memory"), 1, 0.5)];
    assert_eq!(found, expected);
    assert_eq!(beside(&rows, |_| None), []);
}

/// Loads by other pages and other operations say nothing of the cache, wherever they stand.
#[test]
fn only_loads_by_small_pages_tell_of_a_cache() {
    let reported = number("cache.last.size", 32.0 * 1024.0 * 1024.0);
    let rows = [
        unpredicted("memory.latency", "bytes=2MiB page_size=2MiB", 99.0),
        unpredicted("memory.other", "bytes=2MiB page_size=4KiB", 99.0),
        unpredicted("memory.latency", "bytes=16MiB page_size=4KiB", 98.0),
        unpredicted("memory.latency", "bytes=64MiB page_size=4KiB", 100.0),
    ];
    let found = highlights(&rows, &reported, nowhere);
    let [Highlight::CacheCapacity { bytes, ns, .. }] = found[..] else { panic!("{found:?}") };
    assert_eq!((bytes, ns), (16.0 * 1024.0 * 1024.0, 98.0));
}

/// Both points of a pair are of the same operation, and the bandwidth of one CPU is shared with none.
#[test]
fn pairs_are_of_one_operation_and_limits_are_not_reached_by_equality() {
    let rows = [
        unpredicted("switch.thread.pipe", "cpu=other", 9e9),
        unpredicted("switch.thread.pipe", "cpu=same", 1.0),
        unpredicted("switch.process.pipe", "cpu=same", 10.0),
        unpredicted("switch.process.pipe", "cpu=other", 90.0),
    ];
    let found = highlights(&rows, &Machine::default(), nowhere);
    assert!(matches!(&found[..], [Highlight::OtherCpu { factor, .. }] if factor.value == 9.0), "{found:?}");
    let exactly = |all: f64| {
        [("cpus=1", 1.0), ("cpus=all", all)].map(|(point, rate)| {
            let mut row = unpredicted("memory.bandwidth.read", point, rate);
            row.estimate.as_mut().unwrap().interval =
                Some(stats::interval::Interval::at_level(rate, rate, 0.95));
            row
        })
    };
    let of = |all, cpus| highlights(&exactly(all), &number("cpus.allowed", cpus), nowhere).len();
    assert_eq!([of(2.75, 4.0), of(3.0, 4.0), of(0.5, 1.0), of(0.5, 2.0)], [1, 0, 0, 1]);
}

#[test]
fn a_point_with_too_few_trials_is_not_slow() {
    let mut rows = [row("one", "", 1_300.0)];
    assert_eq!(distances(&rows, nowhere).len(), 1);
    rows[0].estimate.as_mut().unwrap().interval = None;
    assert_eq!(distances(&rows, nowhere), []);
}

#[test]
fn only_quotients_above_zero_stand_beside_another_machine() {
    let rows = [("one", 100.0), ("zero", 0.0), ("below", -100.0), ("none", 100.0)];
    let rows = rows.map(|(name, cost)| row(name, "", cost));
    let there = |id: &PointId| Some(if id.operation == "none" { 0.0 } else { 50.0 });
    let found: Vec<(usize, f64)> = beside(&rows, there).iter().map(|one| (one.points, one.ratio)).collect();
    assert_eq!(found, [(1, 2.0), (1, 2.0)]);
}
