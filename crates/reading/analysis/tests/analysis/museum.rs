//! The museum over made-up records whose errors are known.

use crate::simulated::{Course, Simulated, point, settings, trial};
use analysis::{Demonstration, Exhibit, NoNumber, Outcome, ShownExhibit, analyse, exhibits, museum};
use quantity::Quantity;
use record::{
    Estimator, Header, Plan, PlannedPoint, PointId, Range, Record, Role, RoundEnd, SCHEMA, Sampling, Series,
    Trial,
};

const ROUNDS: u32 = 12;

fn record(points: Vec<PlannedPoint>, trials: Vec<Trial>) -> Record {
    let text = str::to_owned;
    let mut record = Record::new(Header {
        format: text("oscope"),
        schema: SCHEMA,
        program: text("0"),
        started: text("2000-01-01T00:00:00Z"),
        ..Header::default()
    });
    record.plan = Some(Plan { settings: settings(0.05, 6), points, ..Plan::default() });
    record.trials = trials;
    record.rounds = (1..=ROUNDS).map(|round| RoundEnd { round, at_ns: 0 }).collect();
    record
}

fn shown(name: &str, record: &Record) -> ShownExhibit {
    let all = museum(record, &analyse(record));
    all.into_iter().find(|shown| shown.exhibit.name == name).unwrap()
}

fn named(name: &str) -> &'static Exhibit {
    exhibits().find(|exhibit| exhibit.name == name).unwrap()
}

/// The points of an exhibit: the wrong one first.
fn points(exhibit: &Exhibit) -> Vec<PlannedPoint> {
    let mut all: Vec<PlannedPoint> =
        exhibit.spots().iter().map(|spot| point(spot.operation, spot.point)).collect();
    if matches!(exhibit.demonstration, Demonstration::Method(_)) {
        let right = PointId::new("the.right.one", "");
        all[0].flaw = Some("it is wrong".to_owned());
        all[0].beside = Some(right.clone());
        all.push(PlannedPoint { id: right, ..all[0].clone() });
        all[1].flaw = None;
        all[1].beside = None;
    }
    for planned in &mut all {
        planned.gate.cpu_share = None;
    }
    all
}

/// Trials of each point, at this multiple of 50 ns.
fn costs(points: &[PlannedPoint], times: &[f64]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (planned, times) in points.iter().zip(times) {
        let machine = Simulated {
            cost_ns: 50.0 * times,
            layout: 0.001,
            noise: 0.001,
            outliers: 0.0,
            ..Simulated::default()
        };
        let mut course = Course::new(machine, ROUNDS, 7);
        trials.extend((1..=ROUNDS).map(|round| course.trial(&planned.id, round)));
    }
    trials
}

#[test]
fn wrong_method_shows_its_error_only_where_it_differs() {
    let pairs = exhibits().filter(|exhibit| !matches!(exhibit.demonstration, Demonstration::Read { .. }));
    for exhibit in pairs {
        let points = points(exhibit);
        for (times, outcome) in [(3.0, Outcome::High), (0.3, Outcome::Low), (1.0, Outcome::Hidden)] {
            let of = shown(exhibit.name, &record(points.clone(), costs(&points, &[times, 1.0])));
            assert_eq!(of.outcome, outcome, "{} {:?}", exhibit.name, of.factor);
            assert!((of.factor.unwrap().value / times - 1.0).abs() < 0.02, "{}", exhibit.name);
            assert!(!of.wrong.is_empty(), "{}", exhibit.name);
        }
        let alone = record(points[..1].to_vec(), costs(&points[..1], &[1.0]));
        assert_eq!(shown(exhibit.name, &alone).outcome, Outcome::Absent, "{}", exhibit.name);
    }
}

#[test]
fn wide_interval_is_undecided_and_untried_point_has_no_number() {
    let exhibit = named("stride");
    let points = points(exhibit);
    let mut wide = costs(&points, &[1.0, 1.0]);
    for (at, trial) in wide.iter_mut().enumerate() {
        trial.ns_per_tick *= 1.0 + 0.5 * (at % 3) as f64;
    }
    assert_eq!(shown("stride", &record(points.clone(), wide)).outcome, Outcome::Undecided);
    let untried = shown("stride", &record(points.clone(), costs(&points, &[1.0])));
    assert!(matches!(untried.outcome, Outcome::NoNumber(_)), "{:?}", untried.outcome);
    assert_eq!(shown("stride", &record(Vec::new(), Vec::new())).outcome, Outcome::Absent);
}

/// An exhibit in a record of its points, each trial with these values.
fn values(name: &str, of: impl Fn(usize, u32) -> Vec<f64>) -> ShownExhibit {
    shown(name, &sizes(name, of))
}

/// A record of the points of an exhibit, each trial with these values, which are sizes.
fn sizes(name: &str, of: impl Fn(usize, u32) -> Vec<f64>) -> Record {
    let mut points = points(named(name));
    for planned in &mut points {
        (planned.estimator, planned.quantity) = (Estimator::Values, Quantity::Size);
    }
    let mut trials = Vec::new();
    for (at, planned) in points.iter().enumerate() {
        for round in 1..=ROUNDS {
            let mut series = Series::new(Role::Main, Sampling::Values, 1);
            series.values = of(at, round);
            trials.push(trial(&planned.id, round, 0.5, vec![series]));
        }
    }
    record(points, trials)
}

#[test]
fn exhibit_shows_both_results_and_their_factor() {
    let cut = |_, _| [4.0, 4.0, 4.0, 8.0, 20.0].repeat(20);
    let thrice = |at: usize, _| vec![if at == 0 { 300.0 } else { 100.0 }; 100];
    for (name, record, of, (gave, right_gave), outcome) in [
        ("yield-to-nobody", sizes("yield-to-nobody", thrice), "", (300.0, 100.0), Outcome::High),
        ("stride", sizes("stride", thrice), "", (300.0, 100.0), Outcome::High),
        ("cut-tail", sizes("cut-tail", cut), "mean", (5.0, 8.0), Outcome::Low),
    ] {
        let shown = shown(name, &record);
        let ids: Vec<PointId> = record.plan.unwrap().points.into_iter().map(|point| point.id).collect();
        assert_eq!((shown.points, shown.of, shown.quantity), (ids, of, Quantity::Size), "{name}");
        assert_eq!((shown.gave, shown.right_gave), (Some(gave), Some(right_gave)), "{name}");
        assert_eq!(
            (shown.factor, shown.outcome),
            (Some(Range::exactly(gave / right_gave)), outcome),
            "{name}"
        );
        let is_method = matches!(shown.exhibit.demonstration, Demonstration::Method(_));
        assert_eq!(shown.wrong == "it is wrong", is_method, "{name}");
    }
}

#[test]
fn only_a_counter_has_ticks_that_are_taken_for_cycles() {
    let mut record = sizes("ticks-as-cycles", |_, _| vec![100.0; 100]);
    let counter = shown("ticks-as-cycles", &record);
    assert_eq!((counter.gave, counter.right_gave), (Some(2e9 / 3e9), Some(1.0)));
    assert_eq!((counter.quantity, counter.outcome), (Quantity::Count, Outcome::Low));
    for trial in &mut record.trials {
        trial.clock = "monotonic_raw".to_owned();
    }
    let clock = shown("ticks-as-cycles", &record);
    assert_eq!((clock.gave, clock.outcome), (None, Outcome::NoNumber(NoNumber::TooFewSamples)));
}

/// A hundred values around 100, by so much up and down.
fn around(spread: f64) -> Vec<f64> {
    (0..100).map(|at| 100.0 + spread * (f64::from(at % 10) - 4.5)).collect()
}

fn with(mut values: Vec<f64>, at: usize, value: f64) -> Vec<f64> {
    values[at] = value;
    values
}

/// A number between −1 and 1 that differs from round to round.
fn wobble(round: u32) -> f64 {
    f64::from(round * 7 % 11) / 5.0 - 1.0
}

#[test]
fn wrong_statistics_err_as_their_labels_say() {
    let moved = |values: Vec<f64>, by: f64| values.into_iter().map(|value| value * by).collect::<Vec<f64>>();
    let high = [
        values("mean-of-all", |_, _| with(around(0.1), 50, 9000.0)),
        values("first-sample", |_, _| with(around(0.1), 0, 300.0)),
        values("four-samples", |_, round| {
            moved(around(0.1), 1.0)
                .into_iter()
                .enumerate()
                .map(|(at, one)| one + if at < 4 { 9.0 * wobble(round) } else { 0.1 * wobble(round) })
                .collect()
        }),
        values("deviation-below-the-step", |_, round| moved(around(0.05), 1.0 + 0.001 * wobble(round))),
    ];
    for of in high {
        assert_eq!(of.outcome, Outcome::High, "{}: {:?}", of.exhibit.name, of.factor);
    }
    let low = [
        values("shortest-of-many", |_, _| with(around(0.1), 30, 60.0)),
        values("best-run", |_, round| moved(around(0.1), 1.0 + 0.1 * wobble(round))),
        values("one-process", |_, round| moved(around(0.1), 1.0 + 0.1 * wobble(round))),
        values("deviation-of-means", |_, round| moved(around(4.0), 1.0 + 0.01 * wobble(round))),
        values("cut-tail", |_, _| {
            around(0.1)
                .into_iter()
                .enumerate()
                .map(|(at, one)| if at % 10 == 0 { one * 20.0 } else { one })
                .collect()
        }),
        values("ticks-as-cycles", |_, _| around(0.1)),
        values("binary-gigabytes", |_, _| around(0.1)),
        values("two-states", |at, _| moved(around(0.1), if at == 0 { 1.0 } else { 30.0 })),
    ];
    for of in low {
        assert_eq!(of.outcome, Outcome::Low, "{}: {:?}", of.exhibit.name, of.factor);
    }
}

#[test]
fn wrong_statistics_of_undisturbed_batches_hide_the_error() {
    for name in ["mean-of-all", "first-sample", "cut-tail", "two-states", "best-run"] {
        let of = values(name, |_, _| around(0.01));
        assert_eq!(of.outcome, Outcome::Hidden, "{name}: {:?}", of.factor);
    }
}

#[test]
fn every_text_of_an_exhibit_can_be_read() {
    for exhibit in exhibits() {
        let name = exhibit.name;
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
        for text in [exhibit.procedure, exhibit.remedy] {
            assert!(text.ends_with(['.', '?']) && text.len() > 20, "{name}: {text}");
        }
        assert!(!exhibit.not_visible_where.is_empty() && !exhibit.not_visible_where.ends_with('.'), "{name}");
        assert!(!exhibit.title.ends_with('.') && exhibit.title.len() < 60, "{name}");
        assert!(!exhibit.spots().is_empty());
    }
}
