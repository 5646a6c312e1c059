//! What rows come to together: flawed methods beside the right ones, accuracy, answers.

use crate::simulated::{add_trials, point, settings};
use analysis::{Analysis, Analyst, Answer, Answered, Direction, Finding, Numbers, Untested, Verdict};
use quantity::Quantity;
use record::{FactValue, Machine, Plan, PlannedPoint, PointId, Prediction};
use std::cell::RefCell;

/// A run of these points, each 50 ns times its factor, with a spread of so much between trials.
fn run(points: &[(PlannedPoint, f64)], spread: f64, prediction: Option<(&str, Prediction)>) -> Analysis {
    let plan = Plan {
        settings: settings(0.03, 6),
        points: points.iter().map(|(point, _)| open(point)).collect(),
        ..Plan::default()
    };
    let mut analyst = Analyst::new(&plan, &Machine::default());
    if let Some((id, prediction)) = &prediction {
        analyst.predict(&PointId::new(id, ""), prediction);
    }
    let random = RefCell::new(fastrand::Rng::with_seed(11));
    for (point, factor) in points {
        let id = point.id.clone();
        add_trials(&mut analyst, &id, 12, |trial| {
            trial.ns_per_tick *= factor * (1.0 + spread * (random.borrow_mut().f64() - 0.5));
        });
    }
    analyst.analysis()
}

fn open(point: &PlannedPoint) -> PlannedPoint {
    let mut point = point.clone();
    point.gate.cpu_share = None;
    point
}

fn wrong(beside: Option<(&str, &str)>) -> PlannedPoint {
    PlannedPoint {
        flaw: Some("it times a fork".to_owned()),
        beside: beside.map(|(id, text)| PointId::new(id, text)),
        ..point("wrong", "")
    }
}

fn near(value: f64, truth: f64) -> bool {
    (value / truth - 1.0).abs() < 0.05
}

#[test]
fn a_flawed_method_stands_beside_the_right_one() {
    let points = [(wrong(Some(("right", ""))), 36.0), (point("right", ""), 1.0)];
    let analysis = run(&points, 0.02, None);
    let [contrast] = &analysis.contrasts[..] else { panic!("{:?}", analysis.contrasts) };
    let factor = contrast.factor.unwrap();
    assert!(
        near(factor.value, 36.0) && factor.low < factor.value && factor.value < factor.high,
        "{factor:?}"
    );
    assert_eq!(contrast.direction, Direction::Above);
    let points = [(wrong(Some(("right", ""))), 0.5), (point("right", ""), 1.0)];
    assert_eq!(run(&points, 0.02, None).contrasts[0].direction, Direction::Below);
    let points = [(wrong(Some(("right", ""))), 1.0), (point("right", ""), 1.0)];
    assert_eq!(run(&points, 0.02, None).contrasts[0].direction, Direction::Undecided);
}

#[test]
fn missing_right_method_gives_no_factor() {
    for beside in [None, Some(("right", ""))] {
        let contrast = run(&[(wrong(beside), 36.0)], 0.0, None).contrasts.remove(0);
        assert!(contrast.gave.is_some() && contrast.right_gave.is_none());
        assert_eq!((contrast.factor, contrast.direction), (None, Direction::Undecided));
    }
}

fn answer(analysis: &Analysis, id: &str) -> Answer {
    let found = analysis.answers.iter().find(|answer| answer.question.id == id);
    found.cloned().unwrap()
}

/// A system call and a procedure call, in this ratio.
fn calls(ratio: f64, spread: f64) -> Analysis {
    let points =
        [(point("syscall.getppid", "method=libc"), ratio), (point("call.procedure", "arguments=0"), 1.0)];
    run(&points, spread, None)
}

#[test]
fn a_ratio_is_answered_with_its_interval() {
    let answer = answer(&calls(70.0, 0.02), "system_call");
    let Finding::Decided(Answered { range, .. }) = answer.finding else { panic!("{answer:?}") };
    assert!(near(range.value, 70.0) && range.low < range.value && range.value < range.high, "{range:?}");
    assert!(answer.asked && answer.to_run.is_empty(), "{answer:?}");
}

#[test]
fn equal_values_are_undecided_and_missing_ones_untested() {
    let same = answer(&calls(1.0, 0.02), "system_call");
    assert!(matches!(same.finding, Finding::Undecided(_)), "{same:?}");
    let alone = run(&[(point("syscall.getppid", "method=libc"), 1.0)], 0.02, None);
    let alone = answer(&alone, "system_call");
    let missing = PointId::new("call.procedure", "arguments=0");
    let both = [PointId::new("syscall.getppid", "method=libc"), missing.clone()];
    assert_eq!(alone.finding, Finding::Untested(Untested::NotMeasured(missing)));
    assert!(alone.to_run == both && alone.asked, "{alone:?}");
    let nothing = answer(&run(&[], 0.0, None), "system_call");
    assert!(matches!(nothing.finding, Finding::Untested(_)) && !nothing.asked, "{nothing:?}");
}

#[test]
fn noisy_rows_decide_only_where_all_trials_agree() {
    let analysis = calls(1.2, 1.0);
    assert!(analysis.rows.iter().any(|row| row.verdict == Verdict::Noisy));
    let close = answer(&analysis, "system_call");
    let is_noisy = matches!(close.finding, Finding::Untested(Untested::Noisy(_)));
    assert!(is_noisy, "{close:?}");
    let far = answer(&calls(70.0, 1.0), "system_call");
    let Finding::Decided(Answered { numbers: Numbers::Ratio { of, to }, .. }) = &far.finding else {
        panic!("{far:?}")
    };
    assert!(of.is_noisy || to.is_noisy, "{far:?}");
}

#[test]
fn contradicted_rows_decide_nothing() {
    let mut analysis = calls(70.0, 0.02);
    for row in &mut analysis.rows {
        (row.verdict, row.estimate) = (Verdict::Contradicted, None);
    }
    let again = Analysis::from_rows(analysis.rows, 12, Vec::new());
    let answer = answer(&again, "system_call");
    let Finding::Untested(Untested::NoNumber(_, verdict)) = answer.finding else { panic!("{answer:?}") };
    assert_eq!(verdict, Verdict::Contradicted);
}

/// Calls with 0 to 7 arguments, each slower than the one before by this share.
fn sweep(more: f64) -> Answer {
    let fit = record::Fit {
        parameter: "arguments".to_owned(),
        unit: 1,
        per_unit: false,
        slope: "per argument".to_owned(),
        intercept: "for a call".to_owned(),
    };
    let points: Vec<(PlannedPoint, f64)> = (0..8)
        .map(|count| {
            let planned = PlannedPoint {
                fit: Some(fit.clone()),
                ..point("call.procedure", &format!("arguments={count}"))
            };
            (planned, 1.0 + more * f64::from(count))
        })
        .collect();
    answer(&run(&points, 0.02, None), "argument")
}

#[test]
fn slope_is_decided_only_where_it_is_measurable() {
    let dear = sweep(0.1);
    let Finding::Decided(Answered { range, .. }) = dear.finding else { panic!("{dear:?}") };
    assert!(range.low < 5.0 && 5.0 < range.high, "{range:?}");
    let free = sweep(0.0);
    assert!(matches!(free.finding, Finding::Undecided(_)), "{free:?}");
}

/// A working set of memory read by these methods, one CPU, at these bytes per second.
fn read_by(methods: &[(&str, f64)], spread: f64) -> Answer {
    let points: Vec<(PlannedPoint, f64)> = methods
        .iter()
        .map(|(method, rate)| {
            let id = format!("method={method} bytes=128MiB cpus=1");
            let planned = PlannedPoint {
                quantity: Quantity::Bandwidth,
                payload_bytes: Some(1_000),
                ..point("memory.bandwidth.read", &id)
            };
            // Twice the rate is half the time.
            (planned, 1e9 / rate)
        })
        .collect();
    answer(&run(&points, spread, None), "fastest_read")
}

#[test]
fn the_fastest_method_is_named_with_its_rate() {
    let won = read_by(&[("loop", 8e9), ("widest", 16e9), ("streams", 12e9)], 0.01);
    let range = won.finding.range().unwrap();
    assert!(range.low < range.high && won.quantity == Some(Quantity::Bandwidth));
    let first = ranking(&won);
    assert!(matches!(won.finding, Finding::Decided(_)), "{won:?}");
    assert_eq!((first.group, first.fastest.name.as_str()), ("on one CPU", "widest"));
    assert!(matches!(&first.second, Some((name, Some(_))) if name == "streams"));
    assert!(matches!(&first.slowest, Some((name, _)) if name == "loop"));
    assert_eq!((won.points.len(), won.asked), (3, true));
    let tied = read_by(&[("widest", 16e9), ("streams", 16e9)], 0.05);
    assert!(matches!(tied.finding, Finding::Undecided(_)), "{tied:?}");
    assert!(matches!(ranking(&tied).second, Some((_, None))), "{tied:?}");
    let alone = read_by(&[("widest", 16e9)], 0.01);
    assert_eq!(ranking(&alone).second, None);
    let nobody = read_by(&[], 0.0);
    assert!(matches!(nobody.finding, Finding::Untested(_)) && !nobody.asked);
}

/// The first group of an answer that ranks methods.
fn ranking(answer: &Answer) -> analysis::Ranking {
    match &answer.finding {
        Finding::Decided(Answered { numbers, .. }) | Finding::Undecided(Answered { numbers, .. }) => {
            match numbers {
                Numbers::Fastest(rankings) => rankings[0].clone(),
                _ => panic!("{answer:?}"),
            }
        }
        Finding::Untested(_) => panic!("{answer:?}"),
    }
}

/// A cache of this measured size where 1 MiB is reported, on a machine with these further facts.
fn found(size: f64, facts: &[(&str, FactValue)]) -> Answer {
    let mut point = point("memory.levels", "level=1 property=capacity");
    (point.quantity, point.estimator) = (Quantity::Size, record::Estimator::Values);
    let plan = Plan { settings: settings(0.03, 6), points: vec![open(&point)], ..Plan::default() };
    let reported = FactValue::Number { value: f64::from(1 << 20), unit: record::Unit::Bytes };
    let fact = |(key, value): &(&str, FactValue)| record::Fact {
        key: (*key).to_owned(),
        value: value.clone(),
        source: "test".to_owned(),
        within: None,
        assumed: false,
    };
    let mut all: Vec<record::Fact> = facts.iter().map(fact).collect();
    all.push(fact(&("cache.l1d.size", reported)));
    let mut analyst = Analyst::new(&plan, &Machine { facts: all });
    let id = point.id.clone();
    add_trials(&mut analyst, &id, 12, |trial| {
        let values = record::Series {
            values: vec![size * (1.0 + 0.001 * f64::from(trial.round % 5))],
            ..record::Series::new(record::Role::Main, record::Sampling::Values, 1)
        };
        trial.series = vec![values];
    });
    answer(&analyst.analysis(), "first_cache")
}

#[test]
fn a_measured_cache_size_is_compared_with_the_reported_one() {
    let mib = f64::from(1 << 20);
    let same = found(mib * 1.02, &[]);
    assert!(matches!(same.finding, Finding::Undecided(_)), "{same:?}");
    let text = |words: &str| FactValue::Text { text: words.to_owned() };
    let cpus = FactValue::Number { value: 8.0, unit: record::Unit::One };
    for (facts, explained) in [
        (vec![], (None, None)),
        (vec![("environment.hypervisor", text("none"))], (None, None)),
        (vec![("environment.hypervisor", text("KVM"))], (Some("KVM"), None)),
        (vec![("cache.l1d.sharing", cpus)], (None, Some(8.0))),
    ] {
        let less = found(mib / 2.0, &facts);
        let Finding::Decided(Answered {
            range,
            numbers: Numbers::ReportedSize { reported, hypervisor, shared_by, .. },
        }) = &less.finding
        else {
            panic!("{less:?}")
        };
        assert!(range.high < 1.0 && *reported == mib, "{less:?}");
        assert_eq!((hypervisor.as_deref(), *shared_by), explained);
    }
    let more = found(mib * 2.0, &[]);
    assert!(matches!(more.finding, Finding::Decided(_)) && more.finding.range().unwrap().low > 1.0);
}
