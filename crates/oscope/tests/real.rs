//! Every operation for real, with its witnesses on; the numbers do not matter. Alone in its file, so
//! that no other test runs beside it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use assert_cmd::Command;
use measure::{Operation, Point};
use record::{Breach, Need, Profile, Witness};
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
                       user_predicted,user_ratio,state,quiet_share,slowdown,untriggered,clock_share,core_hz,\
                       next_run_low,next_run_high,between_runs,earlier_records,residual,machine,kernel,started,record";

/// The rows of a run of n rounds over these points, by operation, point, verdict and reason.
fn rows(rounds: &str, selection: &[String]) -> Vec<[String; 4]> {
    let state = tempfile::tempdir().unwrap();
    let record = state.path().join("record");
    let words =
        ["run", "--profile", "quick", "--rounds", rounds, "--quiet", "--with-flawed-methods", "--output"];
    oscope().env("XDG_STATE_HOME", state.path()).args(words).arg(&record).args(selection).assert().code(0);
    let csv = oscope().args(["report", "--format", "csv"]).arg(&record).assert().code(0);
    let csv = text(&csv.get_output().stdout);
    let mut lines = csv.lines();
    assert_eq!(lines.next().unwrap(), COLUMNS);
    let cells = lines.map(|line| line.splitn(20, ',').collect::<Vec<_>>());
    cells.map(|row| [row[0], row[1], row[6], row[19]].map(str::to_owned)).collect()
}

/// Whether an operation has a point for every machine: those that need a sibling, a node or a peer are left out where
/// there is none.
fn is_for_all(operation: &Operation) -> bool {
    let is_for_all = |point: &Point| {
        let needs = operation.all_needs(point);
        let seldom = [Need::SiblingCpu, Need::RemoteCpu, Need::Peer, Need::RemoteDirectory];
        !needs.iter().any(|need| seldom.contains(need))
    };
    operation.points_of(Profile::Standard).iter().any(is_for_all)
}

/// Runs before a row is believed to be wrong: on a busy machine, evidence that is timed is broken now and
/// then, but not for the same point again and again.
const RUNS: usize = 3;

/// The point of a row, as it is typed.
fn name([operation, point, ..]: &[String; 4]) -> String {
    format!("{operation} {point}").trim_end().to_owned()
}

/// Noisy is right on a busy machine, skipped on a small one.
fn is_right(row: &[String; 4]) -> bool {
    ["noisy", "skipped", "measured"].contains(&row[2].as_str())
}

/// The first point of each operation with evidence that contradicts only if three trials or more agree; one trial is enough for all
/// other evidence.
fn judged_by_three() -> Vec<[String; 2]> {
    let is_if_consistent = |witness: &Witness| witness.breach == Breach::IfConsistent;
    let first = |operation: &&Operation| {
        let mut points = operation.points_of(Profile::Quick).into_iter();
        let point = points.find(|point| operation.witnesses_at(point).iter().any(is_if_consistent))?;
        Some([operation.id.to_owned(), point.text()])
    };
    flawed::all_operations().iter().filter_map(first).collect()
}

#[test]
fn every_operation_runs_for_real_and_none_is_contradicted() {
    let first = rows("1", &["all".to_owned()]);
    assert!(first.len() >= 110, "{} rows", first.len());
    for operation in flawed::all_operations().iter().filter(|operation| is_for_all(operation)) {
        assert!(first.iter().any(|row| row[0] == operation.id), "{} has no row", operation.id);
    }
    let by_three = judged_by_three();
    let mut open = first;
    open.retain(|row| !is_right(row) || by_three.iter().any(|point| row[..2] == point[..]));
    for run in 1..=RUNS {
        let mut wrong = rows("3", &open.iter().map(name).collect::<Vec<_>>());
        // Others of its operation come along with the name of one that has only one point.
        wrong.retain(|row| !is_right(row) && open.iter().any(|old| old[..2] == row[..2]));
        wrong.iter().for_each(|row| programs::note_contradiction(&name(row)));
        if wrong.is_empty() {
            break;
        }
        assert!(run < RUNS, "in {RUNS} runs: {wrong:?}");
        open = wrong;
    }
}
