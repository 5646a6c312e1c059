//! What holds for every width, and what scripts rely on.

use crate::fixture::rows::said;
use crate::fixture::{Frozen, frozen};
use crate::golden::{COLOUR, PLAIN, text};
use analysis::{NoValue, Unpredicted};
use report::{LiveState, Page};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

fn state<'a>(run: &'a Frozen, current: Option<&'a record::PointId>) -> LiveState<'a> {
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
fn no_line_is_wider_than_the_width() {
    let run = frozen();
    let rows = &run.analysis.rows;
    let others = [crate::fixture::drawn(), crate::fixture::crowded()];
    for width in 40..=220 {
        let mut all = text(|out| report::terminal(&run.view(), &mut Page::new(width, PLAIN, out)));
        for other in &others {
            all += &text(|out| report::terminal(&other.view(), &mut Page::new(width, PLAIN, out)));
        }
        all += &text(|out| report::facts_text(run.machine.facts.iter(), &mut Page::new(width, PLAIN, out)));
        all += &text(|out| report::predictions_text(rows, &[], &mut Page::new(width, PLAIN, out)));
        all += &report::live(&state(&run, None), width, 50, PLAIN).join("\n");
        for line in all.lines() {
            assert!(line.width() <= width, "{width}: {line}");
            assert_eq!(line.trim_end(), line, "{width}: spaces at the end");
        }
    }
}

#[test]
fn row_with_a_prediction_from_facts_lacks_only_the_one_from_parts() {
    let said = |has_facts: bool| {
        let mut run = frozen();
        let rows = &mut run.analysis.rows;
        rows.retain(|row| row.from_facts.is_some());
        let row = rows.first_mut().unwrap();
        row.unpredicted.push(Unpredicted {
            tier: analysis::Tier::Parts,
            term: "the calls".to_owned(),
            why: NoValue::FromItself,
        });
        row.from_parts = None;
        row.from_facts.take_if(|_| !has_facts);
        text(|out| report::terminal(&run.view(), &mut Page::new(200, PLAIN, out)))
    };
    assert!(said(true).contains("not predicted from parts: ") && !said(true).contains("not predicted: "));
    assert!(said(false).contains("not predicted: "));
}

#[test]
fn colour_changes_no_letter() {
    let run = frozen();
    for width in [40, 80, 200] {
        let colour = text(|out| report::terminal(&run.view(), &mut Page::new(width, COLOUR, out)));
        let plain = text(|out| report::terminal(&run.view(), &mut Page::new(width, PLAIN, out)));
        let mut bare = colour.clone();
        for rendition in ["0", "1", "2", "31", "32", "33"] {
            bare = bare.replace(&format!("\x1b[{rendition}m"), "");
        }
        assert_eq!(bare, plain);
        assert!(colour.len() > plain.len());
    }
}

#[test]
fn every_point_and_every_word_of_a_verdict_is_on_the_terminal() {
    let run = frozen();
    let page = text(|out| report::terminal(&run.view(), &mut Page::new(200, PLAIN, out)));
    for row in &run.analysis.rows {
        assert!(page.contains(&row.point.id.operation), "{}", row.point.id);
        assert!(page.contains(row.verdict.word()), "{}", row.point.id);
        for said in said(row) {
            assert!(page.contains(said), "{said}");
        }
    }
}

#[test]
fn a_contradicted_row_shows_no_number() {
    let mut run = frozen();
    let page = text(|out| report::terminal(&run.view(), &mut Page::new(200, PLAIN, out)));
    let line =
        page.lines().find(|line| line.contains("syscall.getpid method=libc")).expect("the row is there");
    assert!(line.contains("contradicted"), "{line}");
    run.analysis.rows.retain(|row| row.estimate.is_none());
    let page = text(|out| report::csv(&run.view(), "a", out));
    let mut reader = csv::Reader::from_reader(page.as_bytes());
    for row in reader.records().map(|row| row.expect("a row")) {
        let measured = row.iter().skip(7).take(5).collect::<String>();
        assert_eq!(measured, "", "{row:?}");
    }
}

#[test]
fn the_csv_reads_back() {
    let run = frozen();
    let page = text(|out| report::csv(&run.view(), "a", out));
    let mut reader = csv::Reader::from_reader(page.as_bytes());
    assert_eq!(reader.headers().expect("a heading"), report::columns().as_slice());
    let read: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    assert_eq!(read.len(), run.analysis.rows.len());
    for (fields, row) in read.iter().zip(&run.analysis.rows) {
        assert_eq!(fields.len(), report::columns().len());
        assert_eq!(&fields[6], row.verdict.word());
        let back = fields[7].parse::<f64>().ok();
        assert_eq!(back, row.estimate.as_ref().map(|estimate| estimate.typical), "{}", row.point.id);
        assert_eq!(fields[18].parse::<f64>().ok(), row.ratio(), "{}", row.point.id);
    }
}

#[test]
fn the_json_has_every_row_and_its_unit() {
    let run = frozen();
    let page = text(|out| report::json(&run.view(), out));
    let document: serde_json::Value = serde_json::from_str(&page).expect("it is JSON");
    assert_eq!(document["schema"], report::SCHEMA);
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), run.analysis.rows.len());
    for (json, row) in rows.iter().zip(&run.analysis.rows) {
        assert_eq!(json["operation"], row.point.id.operation.as_str());
        assert_eq!(json["unit"], row.quantity().contract_unit());
        assert_eq!(json["estimate"].is_null(), row.estimate.is_none());
    }
}

#[test]
fn the_live_table_fits_and_shows_the_current_point() {
    let run = frozen();
    for row in run.analysis.rows.iter() {
        let state = state(&run, Some(&row.point.id));
        for height in 0..40 {
            let lines = report::live(&state, 80, height, PLAIN);
            assert!(lines.len() <= height, "{height}");
            let marked = lines.iter().skip(3).filter(|line| line.starts_with('▸')).count();
            assert_eq!(marked, usize::from(height >= 4), "{height}: {}\n{}", row.point.id, lines.join("\n"));
        }
    }
}

#[test]
fn waiting_for_a_quiet_core_has_a_line_within_the_height() {
    let run = frozen();
    let waiting = LiveState {
        waited: Some(0.12),
        quiet_share: Some(0.34),
        ..state(&run, run.analysis.rows.first().map(|row| &row.point.id))
    };
    for height in 0..40 {
        let lines = report::live(&waiting, 80, height, PLAIN);
        assert!(lines.len() <= height, "{height}");
        let said = lines.get(1).is_some_and(|line| line.ends_with("quiet for 34 % of the time"));
        assert_eq!(said, height >= 2, "{height}");
    }
    assert!(!report::live(&state(&run, None), 80, 10, PLAIN).join("").contains("waiting"));
}

#[test]
fn a_round_without_rows_has_a_line_too() {
    let mut run = frozen();
    run.analysis.rows.clear();
    let line = report::plain_line(&state(&run, None));
    assert_eq!(line, "round 3, 8 s, 1 min 11 s left: 14 of 22 points measured");
    assert_eq!(report::live(&state(&run, None), 80, 10, PLAIN).len(), 1);
}

/// A reader that has gone away.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_broken_pipe_is_seen_to_be_one() {
    let run = frozen();
    let view = run.view();
    for result in [
        report::terminal(&view, &mut Page::new(80, PLAIN, &mut Closed)),
        report::markdown(&view, &mut Closed),
        report::csv(&view, "a", &mut Closed),
        report::json(&view, &mut Closed),
        report::facts_text(run.machine.facts.iter(), &mut Page::new(80, PLAIN, &mut Closed)),
        report::describe_json(&run.machine, &mut Closed),
        report::predictions_text(&run.analysis.rows, &[], &mut Page::new(80, PLAIN, &mut Closed)),
    ] {
        let error = result.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn a_live_table_of_many_points_fits_small_terminals() {
    let mut run = frozen();
    let some = run.analysis.rows.clone();
    run.analysis.rows = (0..150)
        .map(|at| {
            let mut row = some[at % some.len()].clone();
            row.point.id.operation = format!("{}.of_family_{at}", row.point.id.operation);
            row
        })
        .collect();
    let rows = &run.analysis.rows;
    for (width, height) in [(80, 24), (40, 12), (40, 4), (120, 60)] {
        for current in [0, 74, 149] {
            let lines = report::live(&state(&run, Some(&rows[current].point.id)), width, height, PLAIN);
            assert_eq!(lines.len(), height, "{lines:#?}");
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:#?}");
            let marked = lines.iter().skip(3).filter(|line| line.contains('▸')).count();
            assert_eq!(marked, usize::from(height > 3), "{lines:#?}");
            let last = lines.last().expect("a line");
            assert!(height == 4 || last.contains("above"), "{last}");
        }
    }
}
