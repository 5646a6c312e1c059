//! `oscope lmbench`: a command line of lmbench, answered by points of oscope and printed in lmbench's form, so that scripts go on.

mod answer;
mod line;
mod memory;
mod nearest;
mod network;
mod programs;
mod system;

pub use programs::{Coverage, coverage};

use crate::arguments::{Lmbench, Run};
use crate::commands::run;
use crate::exit::Exit;
use crate::notice::notice;
use crate::select::{Selected, sort};
use crate::{Operations, records};
use analysis::{Row, Verdict};
use answer::{Answer, Stream, Value};
use nearest::nearest;
use record::PointId;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Most time for a line, unless the user says another.
const BUDGET: Duration = Duration::from_secs(20);

pub fn run(operations: Operations, arguments: Lmbench) -> anyhow::Result<Exit> {
    let answers = programs::answers(&arguments.line)?;
    if answers.is_empty() {
        return Ok(Exit::Success);
    }
    let mut selected: Vec<Selected> = Vec::new();
    let mut used: Vec<Vec<PointId>> = Vec::new();
    for answer in &answers {
        let mut ids = Vec::new();
        for wanted in &answer.points {
            let (operation, point) = nearest(operations, wanted)?;
            let id = operation.point_id(&point);
            if !used.iter().flatten().chain(&ids).any(|one| *one == id) {
                selected.push((operation, point));
            }
            ids.push(id);
        }
        used.push(ids);
    }
    sort(operations, &mut selected);
    let settings = Run {
        budget: Some(arguments.budget.unwrap_or(BUDGET)),
        dir: arguments.dir,
        output: arguments.output,
        quiet: true,
        ..Run::default()
    };
    let recorded = run::record(operations, &settings, &selected, &|_| ())?;
    let analysis = analysis::analyse(&records::read(&recorded.path)?);
    let is_complete = show(&answers, &used, &analysis.rows)?;
    if io::stdout().is_terminal() {
        remarks(&answers, &used, &analysis.rows, &recorded.path.display().to_string())?;
    }
    recorded.exit(is_complete)
}

/// Prints what lmbench would, where it would; gives whether every line has its value.
fn show(answers: &[Answer], used: &[Vec<PointId>], rows: &[Row]) -> io::Result<bool> {
    let mut is_complete = true;
    let mut before = String::new();
    for (answer, ids) in answers.iter().zip(used) {
        let values: Option<Vec<Value>> = ids.iter().map(|id| value(id, rows)).collect();
        let Some(values) = values else {
            is_complete = false;
            for why in ids.iter().filter_map(|id| why_not(id, rows)) {
                notice!("oscope: {why}");
            }
            continue;
        };
        // Where two sizes have the same nearest point, one line says it.
        let text = (answer.text)(&values);
        if text == before {
            continue;
        }
        match answer.stream {
            Stream::Error => io::stderr().write_all(text.as_bytes())?,
            Stream::Output => io::stdout().write_all(text.as_bytes())?,
        }
        before = text;
    }
    Ok(is_complete)
}

fn row<'r>(id: &PointId, rows: &'r [Row]) -> Option<&'r Row> {
    rows.iter().find(|row| row.point.id == *id)
}

fn value(id: &PointId, rows: &[Row]) -> Option<Value> {
    let estimate = row(id, rows)?.estimate.as_ref()?;
    Some(Value { typical: estimate.typical, batches: estimate.batches, parameters: id.point.clone() })
}

/// Why a point has no value.
fn why_not(id: &PointId, rows: &[Row]) -> Option<String> {
    let row = row(id, rows)?;
    let why = report::reason(row).unwrap_or_default();
    row.estimate.is_none().then(|| format!("{id}: {}: {why}", row.verdict.word()))
}

/// What lmbench's form has no place for, for who reads it on a terminal.
fn remarks(answers: &[Answer], used: &[Vec<PointId>], rows: &[Row], record: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (answer, ids) in answers.iter().zip(used) {
        for (wanted, id) in answer.points.iter().zip(ids) {
            let Some(row) = row(id, rows) else { continue };
            let spread =
                row.estimate.as_ref().and_then(|estimate| Some((estimate.typical, estimate.interval?)));
            let spread = spread.map_or_else(String::new, |(typical, interval)| {
                format!(" ± {}", quantity::show_percent((interval.high - interval.low) / 2.0 / typical))
            });
            let doubt = if row.verdict == Verdict::Measured { "" } else { ", noisy" };
            let other =
                if *wanted == id.to_string() { String::new() } else { format!(", nearest to {wanted}") };
            writeln!(out, "# {id}{spread}{doubt}{other}")?;
        }
    }
    writeln!(out, "# {record}")
}
