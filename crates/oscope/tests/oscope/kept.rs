//! The ring of a watch in `oscope history`: each minute is a run.

use crate::history::{RUN, Run, trial};
use crate::{oscope, outcome, said};
use record::{Journal, Line, Record, Trial};
use std::path::{Path, PathBuf};

/// Writes an hour of a ring, in which each minute has a trial of this cost.
fn write_hour(folder: &Path, hour: u32, cost_ns: impl Fn(u32) -> f64) {
    let place = tempfile::tempdir().unwrap();
    let run = Run { day: 20, ..RUN };
    let record = Record::read(&run.write(place.path())).unwrap();
    let started = format!("2026-11-20T{hour:02}:00:00Z");
    let path = folder.join(format!("watch-{}.oscope.jsonl", started.replace(':', "-")));
    let mut journal = Journal::create(&path).unwrap();
    journal.append(&Line::Header(record::Header { started, ..record.header })).unwrap();
    journal.append(&Line::Machine(record.machine)).unwrap();
    journal.append(&Line::Plan(record.plan.unwrap())).unwrap();
    for minute in 0..60 {
        let started_ns = u64::from(minute) * 60_000_000_000;
        let trial = Trial { started_ns, ..trial(minute + 1, cost_ns(minute), run.id()) };
        journal.append(&Line::Trial(Box::new(trial))).unwrap();
    }
}

/// Writes a ring of two hours; in the second one costs have these factors.
fn write_ring(state: &Path, factor: impl Fn(u32) -> f64) -> PathBuf {
    let folder = state.join("ring");
    std::fs::create_dir(&folder).unwrap();
    let scattered = |minute: u32| 40_000.0 * (1.0 + 0.002 * f64::from(minute * 7 % 11));
    write_hour(&folder, 2, scattered);
    write_hour(&folder, 3, |minute| scattered(minute) * factor(minute));
    folder
}

#[test]
fn a_shift_of_twenty_minutes_is_a_step_at_its_minute() {
    let state = tempfile::tempdir().unwrap();
    let folder = write_ring(state.path(), |minute| if (12..32).contains(&minute) { 1.05 } else { 1.0 });
    let words = ["history", folder.to_str().unwrap(), "--format", "json"];
    let json: serde_json::Value = serde_json::from_str(&said(state.path(), &words)).unwrap();
    assert_eq!(json["runs"].as_array().unwrap().len(), 120);
    let since: Vec<&str> =
        json["steps"].as_array().unwrap().iter().map(|step| step["since"].as_str().unwrap()).collect();
    assert_eq!(since.len(), 2, "{:#}", json["steps"]);
    assert!(since.contains(&"2026-11-20T03:12:00Z") && since.contains(&"2026-11-20T03:32:00Z"), "{since:?}");
    assert!(json["points"][0]["between_runs"].is_null(), "{:#}", json["points"][0]["between_runs"]);
    let errors = crate::refused(state.path(), &["report", words[1]], 3);
    assert!(errors.contains(&format!("oscope compare {} --at", words[1])), "{errors}");
    let errors = crate::refused(state.path(), &["compare", words[1], "--at", "2026-11-20T01:00:00Z"], 2);
    let expected = "nothing was kept on one side of 2026-11-20T01:00:00Z";
    assert!(errors.contains(expected) && errors.contains("to 2026-11-20T03:59:00Z"), "{errors}");
    // The last hour is as the first one: no rule is met.
    let (code, _, errors) =
        outcome(oscope(state.path()).args(["history", words[1], "--fail-if", "slower:3%"]));
    assert_eq!(code, 0, "{errors}");
}

#[test]
fn what_was_kept_before_and_after_a_moment_is_compared() {
    let state = tempfile::tempdir().unwrap();
    let folder = write_ring(state.path(), |minute| if minute < 12 { 1.0 } else { 1.5 });
    let compared = |at: &str, window: &str| {
        let words = ["compare", folder.to_str().unwrap(), "--at", at, "--window", window, "--format", "csv"];
        let csv = said(state.path(), &words);
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let titles = rows.headers().unwrap().clone();
        let row = rows.records().next().unwrap().unwrap();
        let field = |name: &str| row[titles.iter().position(|title| title == name).unwrap()].to_owned();
        (field("decision"), field("change").parse::<f64>().ok())
    };
    for at in ["03:12", "03:12:00", "2026-11-20T03:12:00Z"] {
        let (decision, change) = compared(at, "10m");
        assert_eq!(decision, "slower", "{at}");
        assert!((change.unwrap() / 1.5 - 1.0).abs() < 0.02, "{at}: {change:?}");
    }
    // Nothing changed within this window.
    assert_ne!(compared("02:40", "10m").0, "slower");
}
