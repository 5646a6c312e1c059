//! Every operation once for real, with its witnesses on; the numbers do not matter. Alone in its file, so
//! that no other test runs beside it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use assert_cmd::Command;
use std::time::Duration;

fn oscope() -> Command {
    let mut command = Command::cargo_bin("oscope").unwrap();
    command.timeout(Duration::from_secs(120));
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn every_operation_runs_once_for_real_and_none_is_contradicted() {
    let state = tempfile::tempdir().unwrap();
    let record = state.path().join("record");
    oscope()
        .args([
            "run",
            "--rounds",
            "6",
            "--quiet",
            "--with-reference-methods",
            "--output",
        ])
        .arg(&record)
        .assert()
        .code(0);
    let csv = oscope()
        .args(["report", "--format", "csv"])
        .arg(&record)
        .assert()
        .code(0);
    let csv = text(&csv.get_output().stdout);
    let mut lines = csv.lines();
    assert_eq!(
        lines.next().unwrap(),
        "operation,point,area,method,quantity,unit,verdict,typical,low,high,best,deviation,trials,batches,\
         set_aside,hardware,software,predicted,ratio,reason"
    );
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(rows.len() >= 40, "{} rows", rows.len());
    for operation in operations::ALL {
        assert!(
            rows.iter().any(|row| row[0] == operation.id),
            "{} has no row",
            operation.id
        );
    }
    for row in &rows {
        // Noisy is right on a busy machine, skipped on a small one.
        assert!(["noisy", "skipped", "measured"].contains(&row[6]), "{row:?}");
    }
}
