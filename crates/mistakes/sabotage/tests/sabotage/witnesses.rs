//! Every sabotage is caught by what it says, and the right operation beside it is not contradicted.

use crate::common::{Bench, Row, cpus, find};
use oscope_sabotage::{Caught, End, Sabotage, all};

/// Rounds of a run: enough for a verdict on evidence, too few for one on precision.
const ROUNDS: &str = "3";

/// Runs before a disturbance is believed: what is timed (linearity, bounds) can come of a neighbour, and then
/// not every time.
const LOOKS: usize = 8;

/// What the bounds of sabotaged operations are made of.
const BOUNDS: [&str; 3] = ["syscall.floor", "clock.read.rdtsc", "syscall.pipe.self"];

fn measured(bench: &Bench, name: &str, points: &[String]) -> Vec<Row> {
    let record = bench.path(name);
    bench.finish(bench.run(&record, ROUNDS, points)).expect_code(&[0]);
    bench.rows(&record)
}

/// Those that need no remote file system: a test of its own makes one for the others.
fn here() -> impl Iterator<Item = &'static Sabotage> {
    all().filter(|sabotage| !sabotage.remote)
}

/// How the measurement of a sabotage ended.
enum Outcome {
    Caught,
    /// The machine was too busy to tell: worth another look.
    Disturbed(String),
    Missed(String),
}

/// Whether what should catch a sabotage speaks against it.
pub fn is_seen(sabotage: &Sabotage, row: &Row) -> bool {
    match sabotage.caught_by {
        Caught::By(counter) => row.broken.iter().any(|broken| broken == counter),
        Caught::Words(words) => row.reason.contains(words),
    }
}

fn outcome(sabotage: &Sabotage, rows: &[Row]) -> Outcome {
    let row = find(rows, sabotage.id, sabotage.right().1);
    let text = format!(
        "{} ({}): expected {:?} by {:?}, came out as {row:?}",
        sabotage.id, sabotage.mistake, sabotage.end, sabotage.caught_by
    );
    if sabotage.second_cpu && cpus() < 2 {
        return if row.verdict == "skipped" { Outcome::Caught } else { Outcome::Missed(text) };
    }
    // The right operation is skipped, too: without root, or without a driver for idle states.
    if sabotage.of.ends_with("idle=polling") && row.verdict == "skipped" {
        programs::has("idle loop that polls when it is asked to", false);
        return Outcome::Caught;
    }
    if counts_device(sabotage) && row.verdict == "skipped" {
        programs::has("directory on a device whose flushes the kernel counts", false);
        return Outcome::Caught;
    }
    let seen = is_seen(sabotage, row);
    let verdict = match sabotage.end {
        End::Contradicted => "contradicted",
        End::Failed => "failed",
        End::Starved | End::Noisy => "noisy",
    };
    match (row.typical, seen && row.verdict == verdict) {
        (Some(_), true) if sabotage.end == End::Noisy && names(sabotage, row) => Outcome::Caught,
        (None, true) => Outcome::Caught,
        (None, false) if row.verdict == "noisy" => Outcome::Disturbed(text),
        // Other witnesses saw it; this one is not asked of trials of which the gate left too little.
        (None, false) if row.verdict == verdict => Outcome::Disturbed(text),
        // Seen, but not in most of the trials.
        (Some(_), _) if seen && row.verdict == "noisy" => Outcome::Disturbed(text),
        // Where other programs keep a CPU busy it is never idle.
        (Some(_), false) if row.verdict == "noisy" && watches_idle(sabotage) => Outcome::Disturbed(text),
        // A bound that was not measured cannot be passed.
        (Some(_), _) if bound_is_missing(sabotage, rows) => Outcome::Disturbed(text),
        _ => Outcome::Missed(text),
    }
}

/// Whether the kernel's counts of the device of the files are the witness.
fn counts_device(sabotage: &Sabotage) -> bool {
    let counted = ["device.requests", "device.written", "device.flushes"];
    matches!(sabotage.caught_by, Caught::By(counter) if counted.contains(&counter))
}

/// Whether the witness looks at what a CPU does while it is idle.
fn watches_idle(sabotage: &Sabotage) -> bool {
    matches!(sabotage.caught_by, Caught::By(counter) if counter.starts_with("idle."))
}

/// Whether the reason of the verdict names the witness.
fn names(sabotage: &Sabotage, row: &Row) -> bool {
    matches!(sabotage.caught_by, Caught::By(counter) if row.reason.contains(&format!("{counter}: ")))
}

fn bound_is_missing(sabotage: &Sabotage, rows: &[Row]) -> bool {
    matches!(sabotage.caught_by, Caught::Words(_)) && find(rows, "syscall.floor", "").typical.is_none()
}

#[test]
fn every_sabotage_is_caught_by_its_witness() {
    let bench = Bench::new();
    let mut open: Vec<&Sabotage> = here().collect();
    let mut disturbed = Vec::new();
    for look in 0..LOOKS {
        let mut points: Vec<String> = open.iter().map(|sabotage| sabotage.name()).collect();
        points.extend(BOUNDS.map(str::to_owned));
        let rows = measured(&bench, &format!("wrong-{look}.jsonl"), &points);
        let (mut missed, mut again) = (Vec::new(), Vec::new());
        disturbed.clear();
        for sabotage in open {
            match outcome(sabotage, &rows) {
                Outcome::Caught => {}
                Outcome::Disturbed(text) => {
                    disturbed.push(text);
                    again.push(sabotage);
                }
                Outcome::Missed(text) => missed.push(text),
            }
        }
        assert!(
            missed.is_empty(),
            "{} of {} are missed:\n{}",
            missed.len(),
            all().count(),
            missed.join("\n")
        );
        open = again;
        if open.is_empty() {
            break;
        }
    }
    assert!(disturbed.is_empty(), "the machine is too busy to tell:\n{}", disturbed.join("\n"));
}

#[test]
fn the_right_operations_beside_them_are_not_contradicted() {
    let bench = Bench::new();
    let mut open: Vec<String> = here().map(|sabotage| sabotage.of.to_owned()).collect();
    open.sort();
    open.dedup();
    for look in 0..LOOKS {
        let rows = measured(&bench, &format!("right-{look}.jsonl"), &open);
        let is_wrong = |row: &&Row| ["contradicted", "failed"].contains(&row.verdict.as_str());
        let wrong: Vec<&Row> = rows.iter().filter(is_wrong).collect();
        wrong.iter().for_each(|row| programs::note_contradiction(&row.name()));
        if wrong.is_empty() {
            break;
        }
        assert!(look + 1 < LOOKS, "right operations stay contradicted: {wrong:#?}");
        open = wrong.iter().map(|row| row.name()).collect();
    }
}
