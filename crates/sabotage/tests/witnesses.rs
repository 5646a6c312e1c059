//! Every sabotage is caught by what it says, and the right operation beside it is not contradicted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Bench, Row, cpus, find};
use oscope_sabotage::{ALL, End, Sabotage};

/// Rounds of a run: enough for a verdict on evidence, too few for one on precision.
const ROUNDS: &str = "3";

/// Runs of right operations before a contradiction is believed: one that is timed (linearity) can come of
/// a neighbour, and then not every time.
const LOOKS: usize = 4;

fn measured(bench: &Bench, name: &str, points: &[String]) -> Vec<Row> {
    let record = bench.path(name);
    let mut words = vec![
        "run".to_owned(),
        "--rounds".to_owned(),
        ROUNDS.to_owned(),
        "--quiet".to_owned(),
    ];
    words.extend(["--output".to_owned(), record.to_string_lossy().into_owned()]);
    words.extend(points.iter().cloned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    bench.finish(bench.saboteur(&words)).expect_code(&[0]);
    bench.rows(&record)
}

fn name(operation: &str, point: &str) -> String {
    format!("{operation} {point}").trim().to_owned()
}

/// What is wrong with the end of a sabotage, if anything is.
fn complaint(sabotage: &Sabotage, rows: &[Row]) -> Option<String> {
    let row = find(rows, sabotage.id, &sabotage.point());
    if sabotage.second_cpu && cpus() < 2 {
        return (row.verdict != "skipped")
            .then(|| format!("{}: not skipped on one CPU: {row:?}", sabotage.id));
    }
    let contradicted = row.verdict == "contradicted";
    let ends = match sabotage.end {
        End::Contradicted => contradicted && row.reason.contains(sabotage.caught_by),
        End::Failed => row.verdict == "failed" && row.reason.contains(sabotage.caught_by),
        End::NoNumber => contradicted || (row.verdict == "noisy" && row.reason.contains(sabotage.caught_by)),
    };
    let caught = ends && row.typical.is_none();
    (!caught).then(|| {
        format!(
            "{} ({}): expected {:?} by {:?}, came out as {} with {:?}: {}",
            sabotage.id,
            sabotage.mistake,
            sabotage.end,
            sabotage.caught_by,
            row.verdict,
            row.typical,
            row.reason
        )
    })
}

#[test]
fn every_sabotage_is_caught_by_its_witness() {
    let bench = Bench::new();
    let mut points: Vec<String> = ALL
        .iter()
        .map(|sabotage| name(sabotage.id, &sabotage.point()))
        .collect();
    // What bounds are made of.
    points.extend(["syscall.floor", "clock.read.rdtsc", "syscall.pipe.self"].map(str::to_owned));
    let rows = measured(&bench, "wrong.jsonl", &points);
    let complaints: Vec<String> = ALL
        .iter()
        .filter_map(|sabotage| complaint(sabotage, &rows))
        .collect();
    assert!(
        complaints.is_empty(),
        "{} of {}:\n{}",
        complaints.len(),
        ALL.len(),
        complaints.join("\n")
    );
}

#[test]
fn the_right_operations_beside_them_are_not_contradicted() {
    let bench = Bench::new();
    let mut open: Vec<String> = ALL
        .iter()
        .map(|sabotage| name(sabotage.of, &sabotage.point()))
        .collect();
    open.sort();
    open.dedup();
    for look in 0..LOOKS {
        let rows = measured(&bench, &format!("right-{look}.jsonl"), &open);
        let wrong: Vec<&Row> = rows
            .iter()
            .filter(|row| ["contradicted", "failed"].contains(&row.verdict.as_str()))
            .collect();
        if wrong.is_empty() {
            return;
        }
        assert!(look + 1 < LOOKS, "right operations stay contradicted: {wrong:#?}");
        open = wrong.iter().map(|row| row.name()).collect();
    }
}
