//! Workers that lie, crash, talk without end or not at all: each is a failed row, and the run goes on.

use crate::common::{Bench, Row, find};
use oscope_sabotage::liar;

/// Operations that are measured beside the liars.
const GOOD: [&str; 2] = ["syscall.floor", "clock.frequency clock=counter"];

/// Measures the liars of these modes and some good operations; gives the rows.
fn run(bench: &Bench, modes: &[&str], good: &[&str], rounds: &str) -> Vec<Row> {
    let record = bench.path("record.jsonl");
    let points: Vec<String> = modes.iter().map(|mode| format!("{} mode={mode}", liar::ID)).collect();
    let mut command = bench.run(&record, rounds, &points);
    command.args(good);
    // Where all lie nothing is measured.
    bench.finish(command).expect_code(&[if good.is_empty() { 4 } else { 0 }]);
    bench.rows(&record)
}

/// Asserts that the lie was found out.
#[track_caller]
fn is_failed(rows: &[Row], mode: &str) {
    let row = find(rows, liar::ID, &format!("mode={mode}"));
    assert_eq!(row.verdict, "failed", "{row:?}");
    assert!(row.typical.is_none() && row.reason.len() > 10, "{row:?}");
}

#[test]
fn every_lie_is_a_failed_row_and_the_others_are_measured() {
    let bench = Bench::new();
    let modes: Vec<&str> = liar::modes().chain([liar::HONEST]).collect();
    let rows = run(&bench, &modes, &GOOD, "2");
    liar::modes().for_each(|mode| is_failed(&rows, mode));
    for (operation, point) in
        [(liar::ID, "mode=honest"), ("syscall.floor", ""), ("clock.frequency", "clock=counter")]
    {
        let row = find(&rows, operation, point);
        assert!(["noisy", "measured"].contains(&row.verdict.as_str()), "{row:?}");
    }
}

#[test]
fn the_reason_names_the_fault() {
    let bench = Bench::new();
    let said = [
        ("segmentation_fault", "signal 11"),
        ("abort", "signal 6"),
        ("stderr", "it hurts"),
        ("endless", "longer than"),
        ("negative_times", "backwards"),
        ("unequal_columns", "columns"),
        ("other_point", "syscall.floor"),
    ];
    let rows = run(&bench, &said.map(|(mode, _)| mode), &GOOD, "1");
    for (mode, words) in said {
        let row = find(&rows, liar::ID, &format!("mode={mode}"));
        assert!(row.reason.contains(words), "{words:?} is not said: {row:?}");
    }
}

#[test]
fn workers_that_exit_early_are_failed_rows() {
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    let mut command = bench.run(&record, "2", &["syscall"]);
    command.env("SABOTEUR_DEAF", "1");
    bench.finish(command).expect_code(&[4]);
    assert!(bench.rows(&record).iter().all(|row| row.verdict == "failed" && row.reason.contains("status 9")));
}

/// Takes the supervisor's whole timeout, 20 seconds for each; meanwhile others may measure.
#[test]
fn workers_that_hang_are_killed() {
    let bench = Bench::beside_others();
    let modes: Vec<&str> = liar::slow_modes().collect();
    let rows = run(&bench, &modes, &[], "1");
    modes.iter().for_each(|mode| is_failed(&rows, mode));
}
