//! The frozen run beside a copy of it in which some things changed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;
mod golden;

use analysis::{Compare, Comparison, Limits, compare};
use fixture::{Frozen, frozen};
use golden::{PLAIN, golden};
use record::FactValue;
use report::{ComparedView, Side};

/// The same run on a machine with another kernel, where one operation got dearer, one cheaper, one was changed and
/// one was not tried.
fn later() -> Frozen {
    let mut run = frozen();
    let rows = &mut run.analysis.rows;
    rows.pop();
    let factors = [1.25, 0.4, 1.0, 1.002];
    for (row, factor) in rows.iter_mut().filter(|row| row.trials.len() >= 6).zip(factors) {
        let scale = |value: &mut f64| *value *= factor;
        row.trials.iter_mut().for_each(|trial| scale(&mut trial.typical));
        scale(&mut row.estimate.as_mut().unwrap().typical);
    }
    let last = rows.iter_mut().rfind(|row| row.estimate.is_some()).unwrap();
    last.point.revision += 1;
    let kernel = run
        .machine
        .facts
        .iter_mut()
        .find(|fact| fact.key == "kernel.release");
    kernel.unwrap().value = FactValue::Text {
        text: "6.19.1".to_owned(),
    };
    run.plan.settings.cpu = Some(3);
    run
}

fn compared(first: &Frozen, second: &Frozen) -> Comparison {
    fn side(run: &Frozen) -> Compare<'_> {
        Compare {
            machine: &run.machine,
            plan: &run.plan,
            analysis: &run.analysis,
        }
    }
    compare(&side(first), &side(second), &Limits::default())
}

fn side<'a>(name: &'a str, run: &'a Frozen) -> Side<'a> {
    Side {
        name,
        header: &run.header,
        machine: &run.machine,
        plan: &run.plan,
    }
}

fn shown(all: bool, show: impl Fn(&ComparedView<'_>)) {
    let (first, second) = (frozen(), later());
    let others = [(side("after.jsonl", &second), compared(&first, &second))];
    show(&ComparedView {
        first: side("before.jsonl", &first),
        others: &others,
        all,
    });
}

#[test]
fn in_a_terminal() {
    for width in [60, 120] {
        shown(false, |view| {
            golden(&format!("comparison-{width}.txt"), |out| {
                report::comparison_terminal(view, width, PLAIN, out)
            });
        });
    }
    shown(true, |view| {
        golden("comparison-all.txt", |out| {
            report::comparison_terminal(view, 100, PLAIN, out)
        });
    });
}

#[test]
fn in_documents() {
    shown(false, |view| {
        golden("comparison.md", |out| report::comparison_markdown(view, out))
    });
    shown(false, |view| {
        golden("comparison.html", |out| {
            let mut bytes = Vec::new();
            report::comparison_html(view, &mut bytes)?;
            let page = String::from_utf8(bytes).unwrap();
            let from = page.find("<main").unwrap();
            let to = page.find("<script").unwrap();
            writeln!(out, "{}", &page[from..to])
        });
    });
    shown(true, |view| {
        golden("comparison.csv", |out| report::comparison_csv(view, out))
    });
    shown(true, |view| {
        let mut bytes = Vec::new();
        report::comparison_json(view, &mut bytes).unwrap();
        let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let points = &document["comparisons"][0]["points"];
        assert_eq!(points[0]["decision"], "faster");
        assert!(points[0]["factor"]["high"].as_f64().unwrap() < 0.5);
        assert!(document["comparisons"][0]["differs"][0]["key"] == "kernel.release");
    });
}

#[test]
fn a_record_is_the_same_as_itself() {
    let run = frozen();
    let comparison = compared(&run, &run);
    assert!(comparison.machines.is_empty());
    assert!(comparison.points.iter().all(|point| !point.decision.is_change()));
    assert!(comparison.only_first.is_empty() && comparison.only_second.is_empty());
}
