//! The result on a terminal: machine, table, lines of sweeps, troubles, notes, and how it ended.

use crate::document::{Block, terminal::write};
use crate::groups::{OperationRows, areas};
use crate::page::Page;
use crate::plot::{self, Glyphs};
use crate::results::Results;
use crate::style::Paint;
use crate::table::Cell;
use crate::wording::many;
use crate::{View, cells, cores, cycles, next_run, pairs, run_summary, scaling, sections, tails};
use analysis::Answer;
use std::io;

/// Writes the view. No line is wider than the page.
///
/// # Errors
/// When the page cannot be written.
pub fn terminal(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let mut blocks = vec![sections::machine(view)];
    blocks.extend(tails::all(view, page.width));
    blocks.extend(summary(view, page.width));
    blocks.extend(sections::sweeps(view));
    blocks.extend(scaling::scaling(view));
    blocks.extend(pairs::pairs(view));
    blocks.extend(plots(view, page));
    blocks.extend(sections::said(view));
    write(&blocks, page)?;
    page.blank()?;
    let mut last: Vec<Block> = sections::accuracy(view).collect();
    last.push(Block::lead(run_summary::outcome(view)));
    write(&last, page)
}

/// The area with its number of points and their verdicts.
fn area_heading(area: &str, operations: &[OperationRows<'_>]) -> String {
    let rows = operations.iter().flat_map(OperationRows::rows);
    let points = many(rows.clone().count(), "point");
    format!("{area}: {points}, {}", run_summary::verdicts(rows))
}

/// The results, and what their columns mean.
fn summary(view: &View<'_>, width: usize) -> Vec<Block> {
    if view.analysis.rows.is_empty() {
        return Vec::new();
    }
    let results = Results::new(view, width);
    let mut table = results.table();
    for (index, (area, operations)) in areas(&view.analysis.rows).iter().enumerate() {
        if index > 0 {
            table.head(Cell::default());
        }
        table.head(Cell::new(area_heading(area, operations), Paint::Strong));
        operations.iter().for_each(|group| results.add(group, &mut table));
    }
    let mut blocks = vec![Block::Table(table), Block::Text(cells::TIERS.to_owned(), Paint::Faint)];
    blocks.extend(view.has_cycles.then(|| Block::Text(cycles::MEANING.to_owned(), Paint::Faint)));
    blocks.extend(next_run::sources(&view.analysis.rows).map(|text| Block::Text(text, Paint::Faint)));
    blocks.extend(cores::at_clock(view.analysis).map(|text| Block::Text(text, Paint::Faint)));
    blocks.extend(results.has_state.then(|| Block::Text(cores::legend(), Paint::Faint)));
    blocks
}

/// The plots of sweeps, where the page has room for them.
pub(crate) fn plots(view: &View<'_>, page: &Page<'_>) -> Option<Block> {
    let glyphs = if page.style.ascii { Glyphs::ASCII } else { Glyphs::UNICODE };
    sections::plots(view, page.width.saturating_sub(plot::INDENT), &glyphs)
}

/// Writes every question with its answer.
///
/// # Errors
/// When the page cannot be written.
pub fn answers_text(answers: &[Answer], page: &mut Page<'_>) -> io::Result<()> {
    let blocks = answers.iter().map(|answer| Block::Answer(Box::new(answer.clone())));
    write(&blocks.collect::<Vec<_>>(), page)
}
