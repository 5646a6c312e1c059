//! The result on a terminal: machine, table, lines of sweeps, troubles, notes, and how it ended.

use crate::document::{Block, terminal::write};
use crate::groups::{OperationRows, areas};
use crate::page::Page;
use crate::plot::{self, Glyphs};
use crate::results::Results;
use crate::style::Paint;
use crate::table::Cell;
use crate::wording::many;
use crate::{View, cells, cores, run_summary, scene, sections};
use analysis::Answer;
use std::io;

/// Writes the view. No line is wider than the page.
///
/// # Errors
/// When the page cannot be written.
pub fn terminal(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let mut first = vec![sections::machine(view)];
    first.extend(summary(view, page.width));
    first.extend(sections::sweeps(view));
    write(&first, page)?;
    plots(view, page)?;
    let said = sections::said(view);
    if !said.is_empty() {
        page.blank()?;
        write(&said, page)?;
    }
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
    let results = Results::of(&view.analysis.rows, width);
    let mut table = results.table();
    for (index, (area, operations)) in areas(&view.analysis.rows).iter().enumerate() {
        if index > 0 {
            table.head(Cell::default());
        }
        table.head(Cell::new(area_heading(area, operations), Paint::Strong));
        operations.iter().for_each(|group| results.add(group, &mut table));
    }
    let legend = |text: String| Block::Text(text, Paint::Faint);
    let mut blocks = vec![Block::Table(table), legend(cells::TIERS.to_owned())];
    blocks.extend(results.has_state.then(|| legend(cores::legend())));
    blocks
}

pub(crate) fn plots(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let glyphs = if page.style.ascii { Glyphs::ASCII } else { Glyphs::UNICODE };
    let room = page.width.saturating_sub(plot::INDENT);
    let drawn = view.analysis.drawings.iter();
    let drawn: Vec<_> =
        drawn.filter_map(|drawing| Some((drawing, plot::plot(drawing, room, &glyphs)?))).collect();
    if !drawn.is_empty() {
        page.heading("plots", Paint::Strong)?;
    }
    let indent = " ".repeat(plot::INDENT);
    for (index, (drawing, (lines, legend))) in drawn.iter().enumerate() {
        if index > 0 {
            page.blank()?;
        }
        page.text("  ", "      ", &scene::title(drawing), Paint::Plain)?;
        let lines: Vec<String> = lines.iter().map(|line| format!("{indent}{line}")).collect();
        page.lines(&lines)?;
        page.text("      ", "      ", legend, Paint::Faint)?;
    }
    Ok(())
}

/// Writes every question with its answer.
///
/// # Errors
/// When the page cannot be written.
pub fn answers_text(answers: &[Answer], page: &mut Page<'_>) -> io::Result<()> {
    let blocks = answers.iter().map(|answer| Block::Answer(Box::new(answer.clone())));
    write(&blocks.collect::<Vec<_>>(), page)
}
