//! Every view of the frozen run against what was agreed upon.
//!
//! After a change that is meant, `OSCOPE_BLESS=1 cargo test -p oscope-report` writes the new texts into
//! `tests/goldens/`; look at them before you commit them.

use crate::fixture::{Frozen, crowded, drawn, frozen, predicted_by_user, three};
use crate::golden::{COLOUR, PLAIN, golden, text};
use record::{Formula, Machine, PointId, Prediction, Term, TermSide};
use report::{LiveState, Page, Style};
use std::io::{self, Write};

#[test]
fn terminal() {
    let run = frozen();
    for width in [40, 80, 120, 200] {
        golden(&format!("terminal-{width}.txt"), |out| {
            report::terminal(&run.view(), &mut Page::new(width, PLAIN, out))
        });
    }
    golden("terminal-colour.txt", |out| report::terminal(&run.view(), &mut Page::new(100, COLOUR, out)));
}

#[test]
fn terminal_of_a_run_that_was_killed_at_once() {
    let mut run = frozen();
    run.end = None;
    run.machine = Machine::default();
    run.analysis = analysis::Analysis::from_rows(Vec::new(), 0, Vec::new());
    golden("terminal-empty.txt", |out| report::terminal(&run.view(), &mut Page::new(80, PLAIN, out)));
}

/// The part of a page from this heading to the next.
fn section(run: &Frozen, heading: &str, width: usize, style: Style) -> String {
    let page = text(|out| report::terminal(&run.view(), &mut Page::new(width, style, out)));
    let from = page.find(&format!("\n{heading}")).expect("the section is there");
    let indented = |line: &&str| line.is_empty() || line.starts_with(' ');
    let mut lines = page[from..].lines().skip(1);
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.take_while(indented).collect();
    format!("{first}\n{}\n", rest.join("\n").trim_end())
}

#[test]
fn plots() {
    let run = drawn();
    for width in [60, 80, 120] {
        golden(&format!("plots-{width}.txt"), |out| write!(out, "{}", section(&run, "plots", width, PLAIN)));
    }
    let ascii = Style { ascii: true, ..PLAIN };
    golden("plots-ascii.txt", |out| write!(out, "{}", section(&run, "plots", 80, ascii)));
    golden("plots.md", |out| report::markdown(&run.view(), out));
}

#[test]
fn many_rows_that_are_noisy_for_few_reasons() {
    let run = crowded();
    for width in [60, 100] {
        golden(&format!("noisy-{width}.txt"), |out| {
            write!(out, "{}", section(&run, "~ noisy", width, PLAIN))
        });
    }
    golden("noisy.md", |out| report::markdown(&run.view(), out));
}

#[test]
fn documents() {
    let run = frozen();
    golden("report.md", |out| report::markdown(&run.view(), out));
    golden("report.csv", |out| report::csv(&run.view(), "a", out));
    golden("report.json", |out| report::json(&three().view(), out));
}

#[test]
fn predictions_of_the_user() {
    let run = predicted_by_user();
    for width in [80, 160] {
        golden(&format!("user-{width}.txt"), |out| {
            report::terminal(&run.view(), &mut Page::new(width, PLAIN, out))
        });
    }
    golden("user.md", |out| report::markdown(&run.view(), out));
    golden("user.csv", |out| report::csv(&run.view(), "a", out));
    golden("user-predictions.txt", |out| {
        report::predictions_text(&run.analysis.rows, &[], &mut Page::new(100, PLAIN, out))
    });
    let document = text(|out| report::json(&run.view(), out));
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["user_predictions"]["name"], "mine.toml");
    assert!(document["accuracy"]["user"]["mean_factor"].as_f64().unwrap() > 1.0);
    let predicted = document["rows"].as_array().unwrap().iter();
    let predicted = predicted.filter(|row| row["user_predicted"]["typical"].is_number()).count();
    assert_eq!(predicted, 4);
}

#[test]
fn values_stand_beside_those_of_the_corpus() {
    let run = frozen();
    let text = |width| {
        text(|out| report::topics(&run.view(), &[report::Topic::Machines], &mut Page::new(width, PLAIN, out)))
    };
    let headings =
        |text: &str| text.lines().rfind(|line| line.contains(" here ")).unwrap_or_default().to_owned();
    // Where not all fit, some do.
    let narrow = headings(&text(100));
    let shown = reference::CORPUS.iter().filter(|machine| narrow.contains(machine.name)).count();
    assert!((1..reference::CORPUS.len()).contains(&shown), "{narrow}");
    let text = text(200);
    let of_point = text.lines().find(|line| line.trim_start().starts_with("cpu=same ")).unwrap();
    for machine in reference::CORPUS {
        assert!(headings(&text).contains(machine.name), "{text}");
        let points = machine.points().unwrap();
        let point =
            points.iter().find(|one| one.operation == "switch.process.pipe" && one.point == "cpu=same");
        let (low, high) = (point.unwrap().low.unwrap(), point.unwrap().high.unwrap());
        let value = point.unwrap().typical.unwrap();
        let shown = quantity::show(value, Some((high - low) / 2.0), quantity::Quantity::Latency);
        assert!(of_point.contains(&shown), "{shown} in {of_point}");
    }
    // A point that no machine of the corpus has stands alone.
    assert!(text.contains("fault.anonymous"), "{text}");
}

#[test]
fn evidence_counts_the_witnesses_of_every_row() {
    let mut run = frozen();
    let row = run.analysis.rows.iter_mut().find(|row| !row.witnesses.is_empty()).unwrap();
    let mut broken = row.witnesses[0].clone();
    (broken.witness.counter, broken.witness.positive) = ("migrations".to_owned(), false);
    let unread = analysis::Judged { counted: None, ..broken.clone() };
    broken.broken = 1;
    row.witnesses.extend([broken, unread]);
    for (width, parts) in [
        (
            160,
            &["quiet", "1 of 1", "0 of 2", "✗ migrations, – migrations", "calls.getppid", "✗ contradicted"][..],
        ),
        (40, &["1 of 1", "0 of 2"]),
    ] {
        let topics = [report::Topic::Evidence];
        let text = text(|out| report::topics(&run.view(), &topics, &mut Page::new(width, PLAIN, out)));
        for part in parts {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
    }
}

#[test]
fn narrow_terminals_keep_the_areas_that_have_room() {
    let run = frozen();
    let topics = [report::Topic::Machines];
    let text = text(|out| report::topics(&run.view(), &topics, &mut Page::new(40, PLAIN, out)));
    assert!(text.lines().any(|line| line.starts_with("machine ") && line.contains(" all")), "{text}");
}

#[test]
fn machine() {
    let machine = frozen().machine;
    for width in [40, 80, 200] {
        golden(&format!("describe-{width}.txt"), |out| {
            report::facts_text(machine.facts.iter(), &mut Page::new(width, PLAIN, out))
        });
    }
    golden("describe.json", |out| report::describe_json(&machine, out));
}

fn live_lines(run: &Frozen, size: (usize, usize), out: &mut dyn Write) -> io::Result<()> {
    let current = PointId::new("memory.latency", "bytes=1MiB page_size=4KiB access=random");
    let state = state(run, Some(&current));
    let lines = report::live(&state, size.0, size.1, PLAIN);
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn state<'a>(run: &'a Frozen, current: Option<&'a PointId>) -> LiveState<'a> {
    LiveState {
        round: 3,
        tried: 5,
        in_round: 8,
        elapsed_s: 8.2,
        left_s: Some(71.4),
        measured: 14,
        total: 22,
        waited: Some(0.01),
        quiet_share: Some(0.98),
        current,
        rows: &run.analysis.rows,
    }
}

#[test]
fn live_table() {
    let run = frozen();
    for size in [(40, 12), (80, 12), (80, 40), (200, 24)] {
        golden(&format!("live-{}x{}.txt", size.0, size.1), |out| live_lines(&run, size, out));
    }
    let begin = state(&run, None);
    let states = [
        LiveState { round: 1, left_s: None, ..begin },
        begin,
        LiveState { waited: Some(0.12), quiet_share: Some(0.34), ..begin },
    ];
    golden("live-plain.txt", |out| {
        let mut lines = states.iter().map(report::plain_line);
        lines.try_for_each(|line| writeln!(out, "{line}"))
    });
}

#[test]
fn predictions() {
    let mut rows = frozen().analysis.rows;
    let id = PointId::new("switch.process.pipe", "cpu=same");
    for row in &mut rows {
        (row.estimate, row.from_parts) = (None, None);
        row.trials.clear();
    }
    let term = |name: &str, side, formula| Term { name: name.to_owned(), side, formula };
    let from_parts = vec![
        term(
            "the counter's own reads",
            TermSide::Hardware,
            Formula::part("clock.read.fenced", "").times(2.0),
        ),
        term(
            "write and read in one task",
            TermSide::Software,
            Formula::part("syscall.pipe.self", "").times(2.0),
        ),
        term(
            "block, wake and switch",
            TermSide::Software,
            Formula::part("wakeup.eventfd", "cpu=same").times(2.0),
        ),
    ];
    let predictions = [(id, Prediction { from_facts: Vec::new(), from_parts })];
    for width in [40, 80, 200] {
        golden(&format!("predictions-{width}.txt"), |out| {
            report::predictions_text(&rows, &predictions, &mut Page::new(width, PLAIN, out))
        });
    }
}

#[test]
fn forms_that_other_tools_read() {
    let run = frozen();
    golden("report.benchstat", |out| report::benchstat(&run.view(), out));
    golden("report.openmetrics", |out| report::openmetrics(&run.view(), out));
}
