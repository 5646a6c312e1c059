//! Runs of one machine: measured some minutes apart, or read from the records or the CSV tables of a directory.

use crate::oscope_run::OscopeRun;
use crate::report_csv;
use analysis::{Analysis, Analyst, Estimate, Interval, Row, Verdict, common_clock};
use anyhow::{Context, Result, ensure};
use quantity::Quantity;
use record::{Machine, Plan, PlannedPoint, PointId, Record};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run, as it was analysed.
pub struct Run {
    pub machine: Machine,
    pub plan: Plan,
    pub analysis: Analysis,
}

/// Measures this number of runs that begin so far apart, into records of this directory.
pub fn measure(
    oscope: &OscopeRun<'_>,
    runs: usize,
    every: Duration,
    arguments: &[&str],
    folder: &Path,
) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for run in 1..=runs {
        let began = Instant::now();
        eprintln!("run {run} of {runs}");
        oscope.record_into(arguments, &folder.join(format!("run-{run:02}.oscope.jsonl")))?;
        if run < runs {
            std::thread::sleep(every.saturating_sub(began.elapsed()));
        }
    }
    Ok(())
}

/// The runs of a directory and of those in it: its records in order of time at one clock, or else its CSV tables.
pub fn read(folder: &Path) -> Result<Vec<Run>> {
    let mut files = files(folder, 1).with_context(|| folder.display().to_string())?;
    files.sort();
    let named =
        |suffix: &'static str| files.iter().filter(move |path| path.to_string_lossy().ends_with(suffix));
    let mut records: Vec<Record> = named(".jsonl").filter_map(|path| readable(path)).collect();
    let runs = if records.is_empty() {
        named(".csv").map(|path| from_csv(path)).collect::<Result<Vec<_>>>()?
    } else {
        records.sort_by(|one, other| one.header.started.cmp(&other.header.started));
        at_one_clock(records)
    };
    ensure!(runs.len() > 1, "{}: {} runs; two are needed", folder.display(), runs.len());
    Ok(runs)
}

/// The runs of these records, in their order, at one clock.
pub fn read_records(paths: &[PathBuf]) -> Vec<Run> {
    at_one_clock(paths.iter().filter_map(|path| readable(path)).collect())
}

/// The files of a directory, and of those in it down to this depth.
fn files(folder: &Path, depth: usize) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            found.push(path);
        } else if path.is_dir() && depth > 0 {
            found.extend(files(&path, depth - 1)?);
        }
    }
    Ok(found)
}

/// A record, unless it is damaged, which is said.
fn readable(path: &Path) -> Option<Record> {
    let read = Record::read(path).inspect_err(|error| eprintln!("left out: {error}"));
    read.ok().filter(|record| record.plan.is_some())
}

fn at_one_clock(records: Vec<Record>) -> Vec<Run> {
    let analysts = records.into_iter().filter_map(|record| {
        let plan = record.plan.clone()?;
        Some((Analyst::from_record(&record, &plan), record.machine, plan))
    });
    let analysts: Vec<(Analyst, Machine, Plan)> = analysts.collect();
    let clocks: Vec<_> = analysts.iter().map(|(analyst, machine, _)| (machine, analyst.clock())).collect();
    let clock = common_clock(&clocks);
    let runs = analysts.into_iter().map(|(analyst, machine, plan)| {
        let analysis = analyst.at_clock(clock).analysis();
        Run { machine, plan, analysis }
    });
    runs.collect()
}

/// What `oscope report --format csv` wrote, which has no trials.
fn from_csv(path: &Path) -> Result<Run> {
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<report_csv::Row> = report_csv::read(&text).with_context(|| path.display().to_string())?;
    let rows = rows.iter().filter_map(row_of).collect();
    let analysis = Analysis { rows, ..Analysis::default() };
    Ok(Run { machine: Machine::default(), plan: Plan::default(), analysis })
}

/// The row of a time or a bandwidth that has a number with an interval.
fn row_of(row: &report_csv::Row) -> Option<Row> {
    let quantity = match row.quantity.as_str() {
        "latency" => Quantity::Latency,
        "bandwidth" => Quantity::Bandwidth,
        _ => return None,
    };
    let verdict = if row.verdict == "measured" { Verdict::Measured } else { Verdict::Noisy };
    let interval = Some(Interval::at_level(row.low?, row.high?, 0.95));
    let estimate = Estimate { typical: row.typical?, interval, ..Estimate::default() };
    let id = PointId::new(&row.operation, &row.point);
    let point = PlannedPoint { area: row.area.clone(), quantity, ..PlannedPoint::new(id) };
    Some(Row { verdict, estimate: Some(estimate), ..Row::new(point) })
}
