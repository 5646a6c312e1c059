//! The reports' table, blind runs, and records of a class side by side, as the lab sheet has them.

use crate::{measured, refused, said};
use std::path::{Path, PathBuf};

/// Points of the table that take little time.
const QUICK: [&str; 3] =
    ["call.procedure arguments=0", "syscall.getppid method=libc", "clock.read.monotonic"];

/// A blind record of these three points, and the predictions of the first of them.
fn blind(state: &Path, name: &str, guess: &str) -> (PathBuf, PathBuf) {
    let mine = state.join(format!("{name}.toml"));
    std::fs::write(&mine, format!("\"call.procedure arguments=0\" = \"{guess}\"\n")).unwrap();
    let record = measured(state, name, &[&["--blind", "--rounds", "6"], &QUICK[..]].concat());
    (record.into(), mine)
}

/// The line of an operation in the CSV form.
fn line(state: &Path, record: &str, operation: &str) -> String {
    let csv = said(state, &["report", record, "--format", "csv"]);
    let start = format!("{operation},");
    csv.lines().find(|line| line.starts_with(&start)).unwrap().to_owned()
}

/// Whether the result of an operation is hidden: without a value, and with the reason.
fn is_hidden(state: &Path, record: &str, operation: &str) -> bool {
    let line = line(state, record, operation);
    let is_hidden = line.contains("hidden: the run is blind");
    assert!(!is_hidden || line.contains(",skipped,,,,,,0,,0,"), "{line}");
    is_hidden
}

#[test]
fn a_blind_run_shows_nothing_before_it_is_predicted() {
    let state = tempfile::tempdir().unwrap();
    let (record, mine) = blind(state.path(), "blind.oscope", "1 ns");
    let (path, mine) = (record.to_str().unwrap(), mine.to_str().unwrap());
    // What the journal holds of these points, as every form would print it.
    let raw = std::fs::read_to_string(&record).unwrap();
    assert!(raw.lines().any(|line| line.contains("\"line\":\"trial\"")));
    for form in ["terminal", "markdown", "html", "latex"] {
        let shown = said(state.path(), &["report", path, "--full", "--format", form]);
        assert!(shown.contains("the run is blind"), "{form}: {shown}");
    }
    let json = said(state.path(), &["report", path, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert!(rows.len() == 3 && rows.iter().all(|row| row["verdict"] == "skipped"), "{json}");
    let benchmarks = said(state.path(), &["report", path, "--format", "benchstat"]);
    let mut results = benchmarks.lines().filter(|line| line.starts_with("Benchmark"));
    assert!(results.all(|line| line.ends_with(" 1 1 skipped")), "{benchmarks}");
    for operation in QUICK.map(|point| point.split(' ').next().unwrap()) {
        assert!(is_hidden(state.path(), path, operation));
    }
    let table = said(state.path(), &["report", path, "--table", "reports"]);
    assert!(table.contains("hidden: the run is blind") && !table.contains(" ns"), "{table}");
    let explained = said(state.path(), &["explain", "call.procedure arguments=0", "--record", path]);
    assert!(explained.contains("hidden: the run is blind"), "{explained}");

    // The first prediction opens its own point alone, and stands.
    let shown = said(state.path(), &["report", path, "--predictions", mine, "--table", "reports"]);
    assert!(shown.contains("user's"), "{shown}");
    assert!(!is_hidden(state.path(), path, "call.procedure"));
    assert!(is_hidden(state.path(), path, "clock.read.monotonic"));
    std::fs::write(mine, "\"call.procedure\" = \"3 ns\"\n").unwrap();
    let errors = refused(state.path(), &["report", path, "--predictions", mine], 2);
    assert!(errors.contains("still to be predicted"), "{errors}");
    std::fs::write(mine, "\"call.procedure\" = \"3 ns\"\nclock.read.monotonic = \"25 ns\"\n").unwrap();
    let errors = refused(state.path(), &["report", path, "--predictions", mine], 0);
    assert!(errors.contains("1 predicted, 1 predicted before"), "{errors}");
    let line = line(state.path(), path, "call.procedure");
    assert!(line.contains(",,1,") && !line.contains(",,3,"), "{line}");
    assert!(!is_hidden(state.path(), path, "clock.read.monotonic"));
}

#[test]
fn curves_of_a_record_are_exported() {
    let state = tempfile::tempdir().unwrap();
    let words = ["memory.latency.timed bytes=16KiB", "--with-flawed-methods", "--rounds", "1"];
    let path = measured(state.path(), "timed.oscope", &words);
    let csv = said(state.path(), &["report", &path, "--curves", "--format", "csv"]);
    let places =
        csv.lines().filter(|line| line.starts_with("memory.latency.timed,bytes=16KiB,latency,ns,,1,"));
    let places = places.count();
    assert!(places > 100 && places + 1 == csv.lines().count(), "{csv}");
    let json = said(state.path(), &["report", &path, "--curves", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["curves"][0]["values"].as_array().unwrap().len(), places);
    let errors = refused(state.path(), &["report", &path, "--curves", "--format", "benchstat"], 2);
    assert!(errors.contains("csv and json"), "{errors}");
    let errors = refused(state.path(), &["report", &path, "--cycles", "--format", "benchstat"], 2);
    assert!(errors.contains("--cycles has the forms"), "{errors}");
}

#[test]
fn only_a_blind_record_takes_predictions_afterwards() {
    let state = tempfile::tempdir().unwrap();
    let path = measured(state.path(), "open.oscope", &["call.procedure arguments=0", "--rounds", "1"]);
    let before = std::fs::read(&path).unwrap();
    let mine = state.path().join("mine.toml");
    std::fs::write(&mine, "\"call.procedure\" = \"1 ns\"\n").unwrap();
    let errors = refused(state.path(), &["report", &path, "--predictions", mine.to_str().unwrap()], 2);
    assert!(errors.contains("was not blind"), "{errors}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn records_of_a_class_stand_in_one_table() {
    let state = tempfile::tempdir().unwrap();
    let names = ["anna", "ben", "cleo"];
    let records = names.map(|name| blind(state.path(), name, if name == "ben" { "900 ns" } else { "80 us" }));
    for (record, mine) in records.iter().take(2) {
        let words = ["report", record.to_str().unwrap(), "--predictions", mine.to_str().unwrap()];
        said(state.path(), &words);
    }
    let records: Vec<&str> = records.iter().map(|(record, _)| record.to_str().unwrap()).collect();
    let words = |form: &'static str| {
        ["compare", "--table", "reports", "--format", form].into_iter().chain(records.iter().copied())
    };
    for form in ["terminal", "markdown", "html"] {
        let shown = said(state.path(), &words(form).collect::<Vec<_>>());
        assert!(names.iter().all(|name| shown.contains(name)), "{shown}");
        assert!(shown.contains("procedure call"), "{shown}");
    }
    let csv = said(state.path(), &words("csv").collect::<Vec<_>>());
    let of = |name: &str| {
        let start = format!("{name},");
        csv.lines().find(|line| line.starts_with(&start) && line.contains(",call.procedure,")).unwrap()
    };
    // Noisy rows do not count: on a busy machine there may be no winner, but never the one that is further off.
    assert!(!of("anna").starts_with("anna,closest"), "{csv}");
    assert!(of("cleo").contains(",skipped,"), "{csv}");
    let errors = refused(state.path(), &["compare", "--table", "reports", records[0]], 2);
    assert!(errors.contains("2 to 30 records"), "{errors}");
}

/// The commands of the lab sheet.
fn commands() -> Vec<&'static str> {
    let sheet = include_str!("../../../../docs/COURSE.md");
    sheet
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with("oscope "))
        .collect()
}

#[test]
fn the_commands_of_the_lab_sheet_work_as_they_stand() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path();
    let program = Path::new(env!("CARGO_BIN_EXE_oscope"));
    let all = commands();
    assert!(all.len() >= 15, "{all:?}");
    std::fs::write(folder.join("results.csv"), "operation,unit,measured\nsyscall.getppid,ns,120\n").unwrap();
    for command in all {
        // A run of all rows takes a minute.
        let quick = match command.starts_with("oscope run") {
            true => " --rounds 1 --quiet --profile quick",
            false => "",
        };
        // What a student writes into the template.
        if command.starts_with("oscope predict table") {
            let template = std::fs::read_to_string(folder.join("mine.toml")).unwrap();
            assert_eq!(
                template.lines().filter(|line| line.starts_with("[\"")).count(),
                reference::SUMMARY_ROWS.len(),
                "{template}"
            );
            let filled = template.replacen("typical = \"\"", "typical = \"90 ns\"", 1);
            std::fs::write(folder.join("mine.toml"), filled).unwrap();
        }
        if command.contains("--predictions") && command.starts_with("oscope report") {
            let more = "\"call.procedure\" = \"1 ns\"\n\"syscall.getppid method=libc\" = \"80 ns\"\n";
            std::fs::write(folder.join("mine.toml"), more).unwrap();
        }
        let ran = programs::command("sh")
            .args(["-c", &format!("{command}{quick}")])
            .env("PATH", program.parent().unwrap())
            .env("XDG_STATE_HOME", folder)
            .current_dir(folder)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let code = ran.status.code();
        // The table of the lab is the student's own; it may have findings.
        let is_fine = code == Some(0) || command.starts_with("oscope lint") && code == Some(1);
        assert!(is_fine, "{command}: {code:?} {}", String::from_utf8_lossy(&ran.stderr));
        if command.starts_with("oscope run") {
            std::fs::copy(folder.join("mine.oscope"), folder.join("theirs.oscope")).unwrap();
        }
    }
}
