//! The end of a blind run, and predictions that are made after it: nothing is shown before it was predicted.

use crate::exit::{CliError, Exit, usage};
use crate::labels::labels;
use crate::records::read_all;
use crate::user_predictions::Predictions;
use crate::{Operations, select, terminal};
use record::{Journal, Line, Record};
use report::View;
use std::io::Write;
use std::path::Path;

/// Says how to predict what was measured, and shows what was predicted before.
///
/// # Errors
/// When the record cannot be read again.
pub fn conclude(operations: Operations, path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let (mut record, hidden) = read_all(path)?;
    let (analysis, plan) = (analysis::analyse(&record), record.plan.take());
    let has_number = analysis.rows.iter().any(|row| row.estimate.is_some());
    if let Some(plan) = plan.filter(|_| has_number) {
        let view = View {
            header: &record.header,
            machine: &record.machine,
            peer: record.peer.as_ref(),
            plan: &plan,
            analysis: &analysis,
            end: record.end.as_ref(),
        };
        let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
        report::first_screen(&view, &labels(operations), width, style, out)?;
    }
    writeln!(out, "{}", still_hidden(hidden, path))?;
    Ok(())
}

/// How many points are hidden, and how to see them.
fn still_hidden(hidden: usize, path: &Path) -> String {
    let points = match hidden {
        0 => return "blind run: every point was predicted, nothing is hidden".to_owned(),
        1 => "1 point is".to_owned(),
        many => format!("{many} points are"),
    };
    format!(
        "blind run: {points} hidden until predicted: oscope predict --template {} > mine.toml, then \
         oscope report {} --predictions mine.toml",
        select::TABLE,
        path.display()
    )
}

/// Writes predictions of hidden points into the record of a blind run. The first prediction of a point stands: a later one,
/// which could know the result, is left out. Says on standard error what became of them.
///
/// # Errors
/// When the run was not blind, the file is wrong or predicts nothing that is hidden, or the record cannot be written.
pub fn predict(operations: Operations, path: &Path, file: &Path) -> anyhow::Result<()> {
    let wrap = |error: record::JournalError| match error {
        error @ record::JournalError::File { .. } => CliError(Exit::File, error.to_string()).into(),
        other => usage(other.to_string()),
    };
    let (mut journal, record): (Journal, Record) = Journal::resume(path).map_err(wrap)?;
    let shown = path.display();
    let Some(mut plan) = record.plan.filter(|plan| plan.settings.blind) else {
        return Err(usage(format!(
            "{shown}: the run was not blind (oscope run --blind): its results could be seen before these predictions"
        )));
    };
    let applied = Predictions::read(file, &crate::records::now(), operations)?.add(&mut plan)?;
    journal.append(&Line::Plan(plan)).map_err(wrap)?;
    drop(journal);
    let again = match applied.again {
        0 => String::new(),
        again => format!(", {again} predicted before, whose first prediction stands"),
    };
    let (_, hidden) = read_all(path)?;
    let hidden = match hidden {
        0 => "nothing is hidden".to_owned(),
        hidden => format!("{hidden} still hidden"),
    };
    eprintln!("oscope: {} predicted{again}; {hidden}", applied.points);
    Ok(())
}
