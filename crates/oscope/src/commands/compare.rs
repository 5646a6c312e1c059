//! `oscope compare`: records, or environments of one, side by side, point by point.

mod github;
mod halves;
mod judged;
mod junit;
mod sides;
mod subjects;
pub mod table;

use crate::arguments::{Compare as Arguments, HistoryFolder};
use crate::exit::{Exit, nothing, of_bisection, unusable, usage};
use crate::{Operations, output, select, terminal};
use analysis::{Comparison, Limits};
use judged::show_and_judge;
use report::{ComparedRecord, Page};
use sides::{ComparedRuns, sides};
use std::path::PathBuf;
use subjects::analysed;

pub fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.table.is_some() {
        return table::run(operations, arguments);
    }
    let ended = compared(operations, arguments);
    if arguments.bisect { ended.map_err(of_bisection) } else { ended }
}

fn compared(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    let (sides, paired) = sides(operations, arguments)?;
    let Some((first, others)) = sides.split_first() else {
        return Err(usage("name the records to compare"));
    };
    let limits =
        Limits { least: arguments.least.unwrap_or(Limits::default().least), paired, ..Limits::default() };
    let (before, unfinished) = (first.runs(), others.iter().map(ComparedRuns::unfinished));
    let others = others.iter().filter_map(|other| {
        let comparison =
            analysis::compare_runs(&before, &other.runs(), first.does_alternate_with(other), &limits)?;
        Some((other.compared_record()?, comparison))
    });
    let others: Vec<(ComparedRecord<'_>, Comparison)> = others.collect();
    let Some(first) = first.compared_record() else { return Err(nothing("the first side has no record")) };
    show_and_judge(operations, arguments, first, &others, &unfinished.collect::<Vec<_>>())
}

/// Shows what the differences between two records, or between what a record holds natively and in its environments, are
/// made of.
pub fn explain(
    operations: Operations,
    records: &[PathBuf],
    only: &[String],
    width: usize,
) -> anyhow::Result<()> {
    // What the wanted points are made of need not be wanted.
    let (analysed, paired) = analysed(operations, records, &[], &[], &HistoryFolder::default())?;
    let Some(((first, natively), others)) = analysed.split_first() else {
        return Ok(());
    };
    if let ([path], false) = (records, paired) {
        return Err(unusable(path, "it has no environments; 'oscope run --versus NAME' measures in one"));
    }
    let mut wanted = natively.clone();
    if !only.is_empty() {
        select::keep(operations, only, &mut [(&first.name, &mut wanted)])?;
    }
    let mut out = output::standard();
    for (other, analysis) in others {
        let mut points = analysis::decompositions(natively, analysis);
        points.retain(|point| wanted.row(&point.id).is_some());
        let names = [first.name.as_str(), other.name.as_str()];
        let page = &mut Page::new(width, terminal::style_of_output(), &mut out);
        report::decompositions_terminal(names, &points, !only.is_empty(), page)?;
    }
    Ok(())
}
