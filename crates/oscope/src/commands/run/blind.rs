//! The end of a blind run, and predictions that are made after it: nothing is shown before it was predicted.

use crate::exit::unusable;
use crate::notice::notice;
use crate::operation_list::labels_of;
use crate::records::{self, read_all, unreadable};
use crate::user_predictions::Predictions;
use crate::{Operations, select, terminal};
use record::{Journal, Line};
use std::io::Write;
use std::path::Path;

/// Says how to predict what was measured, and shows what was predicted before.
pub fn conclude(operations: Operations, path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    let (record, hidden) = read_all(path)?;
    let analysis = analysis::analyse(&record);
    let has_number = analysis.rows.iter().any(|row| row.estimate.is_some());
    if let Some(view) = records::view(&record, &analysis).filter(|_| has_number) {
        report::first_screen(&view, &labels_of(view.plan, operations), &mut terminal::page_of_output(out))?;
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
        "blind run: {points} hidden until predicted: fill in their rows of your predictions file (an empty one: oscope \
         predict --template {}), then oscope report {} --predictions FILE",
        select::TABLE,
        path.display()
    )
}

/// Writes predictions of hidden points into the record of a blind run. The first prediction of a point stands: a later one,
/// which could know the result, is left out. Says on standard error what became of them.
pub fn predict(operations: Operations, path: &Path, file: &Path) -> anyhow::Result<()> {
    let (mut journal, record) = Journal::resume(path).map_err(unreadable)?;
    let Some(mut plan) = record.plan.filter(|plan| plan.settings.blind) else {
        let why =
            "the run was not blind (oscope run --blind): its results could be seen before these predictions";
        return Err(unusable(path, why));
    };
    let added = Predictions::read(file, operations)?.apply(&mut plan)?;
    journal.append(&Line::Plan(plan)).map_err(unreadable)?;
    drop(journal);
    let again = match added.again {
        0 => String::new(),
        again => format!(", {again} predicted before, whose first prediction stands"),
    };
    let (_, hidden) = read_all(path)?;
    let hidden = match hidden {
        0 => "nothing is hidden".to_owned(),
        hidden => format!("{hidden} still hidden"),
    };
    notice!("oscope: {} predicted{again}; {hidden}", added.points);
    Ok(())
}
