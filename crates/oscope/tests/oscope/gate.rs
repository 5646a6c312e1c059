//! `oscope gate`: runs of commands of others, and what is refused.

use crate::{oscope, outcome, refused};
use programs::command;
use serde_json::Value;
use std::fs;

/// What a gate of a command says as JSON; with neighbours all the time it has no gated value and ends with 4.
fn gated(words: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let options = ["gate", "--rounds", "6", "--budget", "3s", "--format", "json"];
    let (code, json, errors) = outcome(oscope(folder.path()).args(options).args(words));
    let json: Value = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{errors}"));
    assert_eq!(code, if json["gated"].is_null() { 4 } else { 0 }, "{errors}");
    json
}

#[test]
fn value_is_read_from_the_output_and_has_its_unit() {
    let print = "echo 'first 1 us'; echo 'speed 5.5 us'";
    let json = gated(&["--value", "([0-9.]+) us", "--unit", "us", "--", "sh", "-c", print]);
    assert_eq!((&json["unit"], &json["ungated"]["value"]), (&"ns".into(), &5500.0.into()));
    let runs = json["runs"].as_array().unwrap();
    assert!(runs.len() >= 6 && runs.iter().all(|run| run["wall_ns"].as_f64() > Some(0.0)), "{json:#}");
    let excluded: u64 = json["excluded"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    let marked = runs.iter().filter(|run| !run["excluded"].is_null()).count();
    assert_eq!(excluded, marked as u64, "{json:#}");
    let json = gated(&["--value", "([0-9,]+) ops/s", "--unit", "ops/s", "--", "echo", "1,234 ops/s"]);
    assert_eq!((&json["unit"], &json["ungated"]["value"]), (&"ops/s".into(), &1234.0.into()));
}

/// The console output of google-benchmark 1.7.1, as Debian has it.
const GOOGLE_BENCHMARK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oscope/google_benchmark.txt");

#[test]
fn google_benchmark_is_read_by_the_line_of_the_page() {
    let page = include_str!("../../../../docs/GATE.md");
    let line = page.lines().find(|line| line.contains("--benchmark_filter=")).unwrap();
    let value = line.split('\'').nth(1).unwrap();
    let unit = line.split("--unit ").nth(1).unwrap().split(' ').next().unwrap();
    let printed = fs::read_to_string(GOOGLE_BENCHMARK).unwrap();
    let words =
        |value: &str, unit: &str| gated(&["--value", value, "--unit", unit, "--", "cat", GOOGLE_BENCHMARK]);
    let json = words(value, unit);
    let time = |name: &str| {
        let line = printed.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    };
    assert_eq!((&json["unit"], &json["ungated"]["value"]), (&"ns".into(), &time("BM_getppid").into()));
    // Another benchmark and its unit.
    let json = words(&value.replace("BM_getppid", "BM_pipe/4096").replace("ns", "us"), "us");
    let ns = json["ungated"]["value"].as_f64().unwrap();
    assert!((ns / 1e3 - time("BM_pipe/4096")).abs() < 1e-9, "{json:#}");
}

#[test]
fn wall_time_is_the_value_of_a_command_without_one() {
    let json = gated(&["--", "true"]);
    let run = &json["runs"][0];
    assert_eq!((&run["value"], &json["unit"]), (&run["wall_ns"], &"ns".into()));
}

#[test]
fn command_without_a_value_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (words, code, reason) in [
        (&["--", "sh", "-c", "echo broken >&2; exit 3"][..], 4, "failed in run 1 (exit status: 3): broken"),
        (&["--", "no-such-program"], 2, "'no-such-program' cannot be started"),
        (&["--value", "x=([0-9]+)", "--", "echo", "y=1"], 4, "its last line is 'y=1'"),
        (
            &["--value", "x=(.*)", "--", "echo", "x=fast"],
            4,
            "'fast', which --value matches in run 1, is not a number",
        ),
        (&["--budget", "1s", "--", "sleep", "600"], 4, "had not ended after 1 s"),
        (&["--", "sh", "-c", "yes"], 4, "more than 16 MiB"),
        (&["--value", "[0-9]+", "--", "true"], 2, "one pair of parentheses"),
        (&["--value", "([0-9]+)", "--unit", "parsec", "--", "true"], 2, "not a unit"),
        (&["--cpu", "4095", "--", "true"], 2, "CPU 4095 is not among those"),
        (&[], 2, "COMMAND"),
    ] {
        let errors = refused(folder.path(), &[&["gate"], words].concat(), code);
        assert!(errors.contains(reason), "{words:?}: {errors}");
    }
}

#[test]
fn interrupt_ends_the_command_and_all_that_it_started() {
    // A number that no other process has in its arguments.
    let mark = format!("86400.{}", std::process::id());
    let script = format!("sleep {mark} & wait");
    let program = env!("CARGO_BIN_EXE_oscope");
    let words =
        ["--preserve-status", "-s", "INT", "2", program, "gate", "--budget", "1h", "--", "sh", "-c", &script];
    let ended = command("timeout").args(words).output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", String::from_utf8_lossy(&ended.stderr));
    let lines = fs::read_dir("/proc").unwrap().flatten();
    let left = lines.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let left =
        left.filter(|line| line.starts_with(b"sleep\0") && String::from_utf8_lossy(line).contains(&mark));
    assert_eq!(left.count(), 0);
}
