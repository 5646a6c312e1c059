//! A comparison on a terminal: what differs between the machines, the changes, and how many there are.

use super::summary::{Forest, answer};
use super::{
    ComparedRecord, ComparedView, change, clocks, decision, differs, interval, lines, listed, settings, value,
};
use crate::columns::{Cell, Column, Table};
use crate::page::Page;
use crate::style::{Paint, Style};
use analysis::{Compared, Comparison, Decision};
use std::io::{self, Write};

/// Differences between machines that are named before the rest is only counted.
const MOST_DIFFERENCES: usize = 8;

/// Writes the comparison for a terminal of this width. No line is wider.
///
/// # Errors
/// When `out` cannot be written.
pub fn comparison_terminal(
    view: &ComparedView<'_>,
    width: usize,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page { width, style, out };
    record("first   ", &view.first, &mut page)?;
    for (other, comparison) in view.others {
        record("second  ", other, &mut page)?;
        page.blank()?;
        page.text("", "  ", &answer(comparison), Paint::Strong)?;
        if let Some(line) = clocks(comparison) {
            page.text("", "  ", &line, Paint::Plain)?;
        }
        machines(&view.first, other, comparison, &mut page)?;
        table(view, comparison, &mut page)?;
        page.blank()?;
        for line in lines(view, other, comparison) {
            page.text("", "  ", &line, Paint::Plain)?;
        }
    }
    Ok(())
}

fn record(label: &str, record: &ComparedRecord<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let text = format!("{}, {}", record.name, record.header.started);
    page.text(label, "        ", &text, Paint::Plain)
}

fn machines(
    first: &ComparedRecord<'_>,
    second: &ComparedRecord<'_>,
    comparison: &Comparison,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let settings = settings(first, second);
    if comparison.machines.is_empty() && settings.is_empty() {
        return page.heading("machine and settings are the same in both", Paint::Plain);
    }
    page.heading("what differs", Paint::Strong)?;
    for line in settings {
        page.text("  ", "      ", &line, Paint::Plain)?;
    }
    for fact in comparison.machines.iter().take(MOST_DIFFERENCES) {
        page.text("  ", "      ", &differs(fact), Paint::Plain)?;
    }
    match comparison.machines.len().saturating_sub(MOST_DIFFERENCES) {
        0 => Ok(()),
        more => page.text(
            "  ",
            "      ",
            &format!("and {more} more facts (--format json)"),
            Paint::Faint,
        ),
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::name("", 0, 20, usize::MAX).whole_before(2),
        Column::number("first", 2),
        Column::number("second", 2),
        Column::number("change", 0),
        Column::word("interval", 3),
        Column::word("", 4),
        Column::word("decision", 0),
    ]
}

fn table(view: &ComparedView<'_>, comparison: &Comparison, page: &mut Page<'_>) -> io::Result<()> {
    let mut table = Table::new(columns());
    let forest = Forest::of(listed(view, comparison), page.style.ascii);
    for point in listed(view, comparison) {
        table.row(cells(point, &forest));
        if let Some(reason) = super::reason(point).filter(|_| point.decision == Decision::Incomparable) {
            table.span(4, Cell::new(reason, Paint::Faint));
        }
    }
    if listed(view, comparison).next().is_none() {
        return Ok(());
    }
    page.blank()?;
    let heading = table.heading(page.width, page.style);
    page.lines(&heading)?;
    let body = table.body(page.width, page.style);
    page.lines(&body)?;
    page.text("", "  ", &forest.heading(), Paint::Faint)
}

fn cells(point: &Compared, forest: &Forest) -> Vec<Cell> {
    let paint = match point.decision {
        Decision::Slower => Paint::Bad,
        Decision::Faster => Paint::Good,
        Decision::Incomparable | Decision::Unclear => Paint::Faint,
        _ => Paint::Plain,
    };
    let noisy = if point.noisy { "~ " } else { "" };
    vec![
        point.id.to_string().into(),
        value(point.first, point).into(),
        value(point.second, point).into(),
        Cell::new(change(point), paint),
        interval(point).into(),
        format!("{:25}", forest.line(point)).into(),
        Cell::new(format!("{noisy}{}", decision(point)), paint),
    ]
}
