//! `oscope museum` as a user sees it: over a record that was frozen, and once over a new one.
//!
//! After a change that is meant, `OSCOPE_BLESS=1 cargo test -p oscope museum` writes the new texts; look at them.

use crate::{oscope, outcome};
use std::path::{Path, PathBuf};

/// The exhibits of the frozen record, and one that it lacks.
const HUNG: [&str; 8] = [
    "clock-behind-cpuid",
    "ticks-as-cycles",
    "call-alone",
    "getpid-library",
    "semaphore-refused",
    "stride",
    "two-states",
    "ring-assumed",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/museum")
}

fn output(arguments: &[&str]) -> (i32, String, String) {
    let state = tempfile::tempdir().unwrap();
    outcome(oscope(state.path()).args(arguments).env("COLUMNS", "100"))
}

fn from_the_record(format: &str) -> String {
    let record = folder().join("record.jsonl");
    let mut arguments = vec!["museum", "--record", record.to_str().unwrap(), "--format", format];
    arguments.extend(HUNG);
    let (code, text, error) = output(&arguments);
    assert_eq!(code, 0, "{error}");
    text
}

#[test]
fn a_record_is_shown_as_it_was_agreed_upon() {
    for (format, name) in [("terminal", "museum.txt"), ("markdown", "museum.md"), ("json", "museum.json")] {
        let (text, path) = (from_the_record(format), folder().join(name));
        if std::env::var_os("OSCOPE_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(text == expected, "{name} differs; look at it:\n{text}");
    }
}

#[test]
fn the_list_is_short_and_names_every_choice() {
    let (code, text, _) = output(&["museum", "--list"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = text.lines().collect();
    assert!((42..80).contains(&lines.len()), "{}", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.contains("stride") && text.contains("E17"));
    let (code, some, _) = output(&["museum", "--list", "E11"]);
    assert!(code == 0 && some.lines().count() < 8 && some.contains("clock-behind-cpuid"), "{some}");
}

#[test]
fn what_is_no_exhibit_is_refused_with_what_there_is() {
    let (code, _, error) = output(&["museum", "mona-lisa"]);
    assert_eq!(code, 2);
    assert!(error.contains("--list"), "{error}");
    let (code, _, error) = output(&["museum", "E18"]);
    assert!(code == 2 && error.contains("large arrays on the stack"), "{error}");
    assert_eq!(output(&["museum", "--record", "/no/such/record"]).0, 3);
}

#[test]
fn an_exhibit_is_measured_and_its_record_shows_it_again() {
    let place = tempfile::tempdir().unwrap();
    let record = place.path().join("new.jsonl");
    let path = record.to_str().unwrap();
    let (code, text, error) =
        output(&["museum", "loop-alone", "call-alone", "--quiet", "--budget", "3s", "-o", path]);
    assert_eq!(code, 0, "{error}");
    assert!(text.contains("too high") && text.lines().last() == Some(path), "{text}");
    let (code, again, _) = output(&["museum", "--record", path, "loop-alone", "call-alone"]);
    assert_eq!(code, 0);
    assert!(text.starts_with(&again), "{again}");
    assert_eq!(output(&["report", path, "--format", "csv"]).0, 0);
}
