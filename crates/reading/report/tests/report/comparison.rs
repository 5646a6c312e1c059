//! The frozen run beside a copy of it in which some things changed.

use crate::fixture::frozen;
use crate::golden::{PLAIN, golden, text};
use crate::pair::{compared, shown};
use report::Form;

#[test]
fn in_a_terminal() {
    for width in [60, 120] {
        shown(false, |view| {
            golden(&format!("comparison-{width}.txt"), |out| {
                report::comparison(view, Form::Terminal(width, PLAIN), out)
            });
        });
    }
    shown(true, |view| {
        golden("comparison-all.txt", |out| report::comparison(view, Form::Terminal(100, PLAIN), out));
    });
}

#[test]
fn in_documents() {
    shown(false, |view| golden("comparison.md", |out| report::comparison(view, Form::Markdown, out)));
    shown(false, |view| {
        golden("comparison.html", |out| {
            let page = text(|out| report::comparison(view, Form::Html, out));
            let from = page.find("<main").unwrap();
            let to = page.find("<script").unwrap();
            writeln!(out, "{}", &page[from..to])
        });
    });
    shown(true, |view| golden("comparison.csv", |out| report::comparison(view, Form::Csv, out)));
    shown(true, |view| {
        let document = text(|out| report::comparison(view, Form::Json, out));
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        let points = &document["comparisons"][0]["points"];
        assert_eq!(points[0]["decision"], "faster");
        assert!(points[0]["factor"]["high"].as_f64().unwrap() < 0.5);
        assert!(document["comparisons"][0]["differs"][0]["key"] == "kernel.release");
        assert!(document["comparisons"][0]["facts"]["compared"].as_u64().unwrap() > 10);
    });
}

/// A point that is undecided because of its machine's state, and another one because of its interval.
fn with_undecided() -> (crate::fixture::Frozen, crate::fixture::Frozen, analysis::Comparison) {
    let (first, second) = (frozen(), crate::pair::later());
    let mut comparison = compared(&first, &second);
    let decided = comparison.points.iter_mut().filter(|point| point.decision.is_decided());
    for (index, point) in decided.take(2).enumerate() {
        point.decision = analysis::Decision::Unclear;
        point.reason = Some(match index {
            0 => analysis::NoDecision::TooWide,
            _ => analysis::NoDecision::MachineState(analysis::Position::Second, analysis::Reason::States),
        });
    }
    (first, second, comparison)
}

#[test]
fn what_could_not_be_decided_is_not_called_unchanged() {
    let (first, second) = (frozen(), crate::pair::later());
    let said = |undecided: usize, not_comparable: usize| {
        let mut comparison = compared(&first, &second);
        comparison.points.retain(|point| point.decision.is_decided() && !point.decision.is_change());
        for point in comparison.points.iter_mut().rev().take(not_comparable) {
            point.decision = analysis::Decision::Incomparable;
        }
        for point in comparison.points.iter_mut().take(undecided) {
            point.decision = analysis::Decision::Unclear;
        }
        let all = comparison.points.len();
        let others = [(crate::pair::compared_record("after.jsonl", &second), comparison)];
        let first = crate::pair::compared_record("before.jsonl", &first);
        let view = report::ComparedView { first, others: &others, all: false, labels: &[], most: usize::MAX };
        (all, text(|out| report::comparison(&view, Form::Terminal(160, PLAIN), out)))
    };
    let (all, whole) = said(0, 0);
    assert!(all > 3 && whole.contains(&format!("no change found in {all} points")), "{whole}");
    for (undecided, not_comparable, expected) in [
        (0, 1, format!("no change found in {} of {all} points: ", all - 1)),
        (0, all, format!("none of {all} points is comparable")),
        (1, 0, format!("1 of {all} points undecided, and no change found in {} others", all - 1)),
        (1, 2, format!("1 of {all} points undecided, and no change found in {} others", all - 3)),
    ] {
        let (_, some) = said(undecided, not_comparable);
        assert!(some.contains(&expected), "{some}");
    }
    for (undecided, expected) in [(all, format!("{all} points undecided")), (2, "not comparable".to_owned())]
    {
        let (_, none) = said(undecided, all - undecided);
        assert!(none.contains(&expected) && !none.contains("no change found"), "{none}");
    }
}

#[test]
fn all_has_the_reason_of_every_undecided_point_where_columns_are_few_too() {
    let (first, second, comparison) = with_undecided();
    let is_wide = |point: &&analysis::Compared| point.reason == Some(analysis::NoDecision::TooWide);
    let too_wide = comparison.points.iter().filter(is_wide).count();
    let others = [(crate::pair::compared_record("after.jsonl", &second), comparison)];
    let mut view = report::ComparedView {
        first: crate::pair::compared_record("before.jsonl", &first),
        others: &others,
        all: true,
        labels: &[],
        most: usize::MAX,
    };
    for form in [Form::Terminal(100, PLAIN), Form::Latex, Form::Markdown] {
        let page = text(|out| report::comparison(&view, form, out));
        for (reason, count) in [("interval of the change is too wide", too_wide), ("several states", 1)] {
            assert_eq!(page.matches(reason).count(), count, "{reason}: {page}");
        }
    }
    view.all = false;
    let page = text(|out| report::comparison(&view, Form::Terminal(160, PLAIN), out));
    assert!(page.contains("the same command with --all has the reasons"), "{page}");
}

/// Noise is no change of an area, and no number of rounds decides what is undecided for another reason than its width.
#[test]
fn means_and_rounds_are_of_the_points_that_they_can_be_of() {
    let (first, second, mut comparison) = with_undecided();
    let lines = |comparison: &analysis::Comparison| {
        let others = [(crate::pair::compared_record("after.jsonl", &second), comparison.clone())];
        let view = report::ComparedView {
            first: crate::pair::compared_record("before.jsonl", &first),
            others: &others,
            all: false,
            labels: &[],
            most: usize::MAX,
        };
        text(|out| report::comparison(&view, Form::Terminal(200, PLAIN), out))
    };
    assert!(lines(&comparison).contains("geometric mean"), "{}", lines(&comparison));
    for point in &mut comparison.points {
        point.decision = analysis::Decision::Unclear;
        point.reason = Some(analysis::NoDecision::TooFewTrials);
    }
    let page = lines(&comparison);
    assert!(!page.contains("geometric mean") && !page.contains("the rounds in both runs"), "{page}");
}

/// More bandwidth is less cost: what is slower has one sign, whatever is measured.
#[test]
fn what_is_slower_has_one_sign() {
    shown(true, |view| {
        let csv = text(|out| report::comparison(view, Form::Csv, out));
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let titles = rows.headers().unwrap().clone();
        let at = |title: &str| titles.iter().position(|one| one == title).unwrap();
        let (decision, cost) = (at("decision"), at("cost"));
        for row in rows.records().map(Result::unwrap) {
            let cost = row[cost].parse::<f64>();
            match &row[decision] {
                "slower" => assert!(cost.unwrap() > 1.0, "{row:?}"),
                "faster" => assert!(cost.unwrap() < 1.0, "{row:?}"),
                _ => {}
            }
        }
    });
}

#[test]
fn a_record_is_the_same_as_itself() {
    let run = frozen();
    let comparison = compared(&run, &run);
    assert!(comparison.facts.differing.is_empty());
    assert!(comparison.points.iter().all(|point| !point.decision.is_change()));
    assert!(comparison.only_first.is_empty() && comparison.only_second.is_empty());
}

#[test]
fn a_common_change_is_blamed_on_the_machine_only_where_nothing_else_differs() {
    let blamed = |second: &crate::fixture::Frozen| {
        let first = frozen();
        let mut comparison = compared(&first, second);
        comparison.common = Some(1.2);
        let others = [(crate::pair::compared_record("after.jsonl", second), comparison)];
        let view = report::ComparedView {
            first: crate::pair::compared_record("before.jsonl", &first),
            others: &others,
            all: false,
            labels: &[],
            most: usize::MAX,
        };
        let text = text(|out| report::comparison(&view, Form::Terminal(200, PLAIN), out));
        assert!(text.contains("half of the costs with a decision changed by +20 % or more"), "{text}");
        (text.contains("check its clock"), text.contains("what differs between the runs may explain it"))
    };
    assert_eq!(blamed(&frozen()), (true, false));
    let mut filtered = frozen();
    filtered.plan.settings.cpu = Some(3);
    assert_eq!(blamed(&filtered), (false, true));
}

#[test]
fn the_common_clock_is_said_first() {
    let (mut first, mut second) = (frozen(), frozen());
    let clocks = |run: &mut crate::fixture::Frozen, highest: f64, reference: f64| {
        run.analysis.highest_hz = Some(highest);
        run.analysis.reference_hz = Some(reference);
    };
    let lines = |first: &crate::fixture::Frozen, second: &crate::fixture::Frozen| {
        let others = [(crate::pair::compared_record("after.jsonl", second), compared(first, second))];
        let view = report::ComparedView {
            first: crate::pair::compared_record("before.jsonl", first),
            others: &others,
            all: false,
            labels: &[],
            most: usize::MAX,
        };
        let [terminal, json] = [Form::Terminal(200, PLAIN), Form::Json]
            .map(|form| text(|out| report::comparison(&view, form, out)));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        (terminal, json["comparisons"][0]["clocks"].clone())
    };
    clocks(&mut first, 3.25e9, 3.25e9);
    clocks(&mut second, 3.06e9, 3.25e9);
    let (page, json) = lines(&first, &second);
    let says =
        "the first ran at up to 3.25 GHz, the second at up to 3.06 GHz: both are compared at 3.25 GHz; ";
    let (at, from) = (page.find(says), page.find("of the "));
    assert!(at.is_some() && at < from, "{page}");
    assert_eq!((json["at_hz"].clone(), json["carried"].clone()), (3.25e9.into(), 0.into()));
    clocks(&mut second, 3.06e9, 3.06e9);
    let (page, json) = lines(&first, &second);
    assert!(page.contains("each has the values of its own clock"), "{page}");
    assert_eq!(json["at_hz"], serde_json::Value::Null);
    clocks(&mut second, 3.25e9, 3.25e9);
    let (page, json) = lines(&first, &second);
    assert!(!page.contains("ran at up to") && json.is_null(), "{page}");
}

#[test]
fn several_records_are_a_matrix() {
    let (first, second, third) = (frozen(), crate::pair::later(), frozen());
    let others = [
        (crate::pair::compared_record("new", &second), compared(&first, &second)),
        (crate::pair::compared_record("again", &third), compared(&first, &third)),
    ];
    let mut view = report::ComparedView {
        first: crate::pair::compared_record("old", &first),
        others: &others,
        all: false,
        labels: &[],
        most: usize::MAX,
    };
    for width in [80, 160] {
        golden(&format!("matrix-{width}.txt"), |out| {
            report::comparison(&view, Form::Terminal(width, PLAIN), out)
        });
    }
    golden("matrix.md", |out| report::comparison(&view, Form::Markdown, out));
    let label = |point| report::Label { operation: "switch.process.pipe", point, label: "process switch" };
    let labels = [label("cpu=same"), label("cpu=none")];
    view.labels = &labels;
    let text = text(|out| report::comparison(&view, Form::Markdown, out));
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<&str> = rows.skip(2).collect();
    assert!(matches!(rows.as_slice(), [row] if row.starts_with("| process switch | ")), "{text}");
}
