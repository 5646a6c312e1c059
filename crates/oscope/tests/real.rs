//! Every operation for real, with its witnesses on; the numbers do not matter. Alone in its file, so
//! that no other test runs beside it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use assert_cmd::Command;
use measure::{Operation, Point};
use record::{Need, Profile};
use std::time::Duration;

fn oscope() -> Command {
    let mut command = Command::cargo_bin("oscope").unwrap();
    command.timeout(Duration::from_secs(400));
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const COLUMNS: &str = "operation,point,area,method,quantity,unit,verdict,typical,low,high,best,deviation,trials,\
                       batches,set_aside,hardware,software,predicted,ratio,reason,user_hardware,user_software,\
                       user_predicted,user_ratio";

/// The rows of a run of six rounds over everything, by operation, point, verdict and reason.
fn rows() -> Vec<[String; 4]> {
    let state = tempfile::tempdir().unwrap();
    let record = state.path().join("record");
    let words = [
        "run",
        "--profile",
        "quick",
        "--rounds",
        "6",
        "--quiet",
        "--with-reference-methods",
        "--output",
    ];
    oscope().args(words).arg(&record).assert().code(0);
    let csv = oscope()
        .args(["report", "--format", "csv"])
        .arg(&record)
        .assert()
        .code(0);
    let csv = text(&csv.get_output().stdout);
    let mut lines = csv.lines();
    assert_eq!(lines.next().unwrap(), COLUMNS);
    let cells = lines.map(|line| line.splitn(20, ',').collect::<Vec<_>>());
    cells
        .map(|row| [row[0], row[1], row[6], row[19]].map(str::to_owned))
        .collect()
}

/// Whether an operation has a point for every machine: those that need a sibling, a node or a peer are left out where
/// there is none.
fn is_for_all(operation: &Operation) -> bool {
    let is_for_all = |point: &Point| {
        let needs = operation.all_needs(point);
        let seldom = [Need::SiblingCpu, Need::RemoteCpu, Need::Peer];
        !needs.iter().any(|need| seldom.contains(need))
    };
    (operation.points)(Profile::Standard).iter().any(is_for_all)
}

/// Runs before a row is believed to be wrong: on a busy machine, evidence that is timed is broken now and
/// then, but not for the same point again and again.
const RUNS: usize = 3;

#[test]
fn every_operation_runs_for_real_and_none_is_contradicted() {
    let mut wrong: Option<Vec<[String; 4]>> = None;
    for _ in 0..RUNS {
        let rows = rows();
        assert!(rows.len() >= 110, "{} rows", rows.len());
        for operation in operations::ALL.iter().filter(|operation| is_for_all(operation)) {
            assert!(
                rows.iter().any(|row| row[0] == operation.id),
                "{} has no row",
                operation.id
            );
        }
        // Noisy is right on a busy machine, skipped on a small one.
        let right = |row: &[String; 4]| ["noisy", "skipped", "measured"].contains(&row[2].as_str());
        let before = |row: &[String; 4]| {
            wrong
                .as_ref()
                .is_none_or(|wrong| wrong.iter().any(|old| old[..2] == row[..2]))
        };
        let again: Vec<_> = rows
            .into_iter()
            .filter(|row| !right(row) && before(row))
            .collect();
        if again.is_empty() {
            return;
        }
        wrong = Some(again);
    }
    panic!("in {RUNS} runs: {wrong:?}");
}
