//! What every point should cost, before anything is measured: T0 as numbers, T1 as formulas.

use crate::groups::areas;
use crate::page::Page;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns, Table};
use crate::wording::{joined, many, some_joined};
use crate::{cells, failures};
use analysis::{Predicted, Row};
use quantity::show_interval;
use record::{PointId, Prediction, Range, Term};
use std::io;

/// Writes the predictions.
///
/// `rows` come from an analysis of a record without trials; `predictions` are that record's.
///
/// # Errors
/// When the page cannot be written.
pub fn predictions_text(
    rows: &[Row],
    predictions: &[(PointId, Prediction)],
    page: &mut Page<'_>,
) -> io::Result<()> {
    let columns = columns(cells::has_user(rows));
    let mut table = columns.table();
    let declared = |row: &Row| {
        let of_row = predictions.iter().find(|(id, _)| *id == row.point.id);
        of_row.map(|(_, prediction)| prediction)
    };
    for (index, (area, operations)) in areas(rows).into_iter().enumerate() {
        if index > 0 {
            table.head(Cell::default());
        }
        table.head(Cell::new(area, Paint::Strong));
        for group in operations {
            if let [(row, _)] = group.points.as_slice() {
                table.row(columns.cells(&(format!("  {}", group.name), row)));
                formulas(row, declared(row), &mut table);
                continue;
            }
            table.head(format!("  {}", group.name).into());
            for (row, own) in group.points {
                table.row(columns.cells(&(format!("    {own}"), row)));
                formulas(row, declared(row), &mut table);
            }
        }
    }
    page.table(&table)
}

/// Writes the user's own predictions alone: a run may still be blind.
///
/// # Errors
/// When the page cannot be written.
pub fn user_predictions_text(rows: &[Row], points: usize, page: &mut Page<'_>) -> io::Result<()> {
    let columns = Columns::new(Column::name("", 0, 24, usize::MAX), |row: &&Row| row.point.id.to_string())
        .with(Column::number("user's", 0), |row| Cell::new(cells::user(row), Paint::Strong))
        .with(Column::prose("because", 1, 12, usize::MAX), |row| {
            row.point.user.as_ref().map_or_else(String::new, |user| user.because.clone())
        });
    page.table(&columns.table_of(rows))?;
    let text = format!("{} of {} predicted; the others are blank", rows.len(), many(points, "point"));
    page.text("", "  ", &text, Paint::Faint)
}

fn columns<'r>(has_user: bool) -> Columns<'static, (String, &'r Row)> {
    let name = Column::name("", 0, 24, usize::MAX);
    Columns::new(name, |(name, row): &(String, &Row)| cells::marked(name, row))
        .with(Column::number("hardware", 1), |(_, row)| part(row, |facts| facts.hardware, ""))
        .with(Column::number("software", 1), |(_, row)| part(row, |facts| facts.software, ""))
        .with(Column::number("predicted", 0), |(_, row)| part(row, |facts| facts.total, "–"))
        .with(Column::number("between", 2), |(_, row)| {
            let total = row.from_facts.as_ref().map(|facts| facts.total);
            total.map(|total| show_interval(total.low, total.high, row.quantity())).unwrap_or_default()
        })
        .when(has_user, |columns| {
            columns.with(Column::number("user's", 0), |(_, row)| Cell::new(cells::user(row), Paint::Strong))
        })
}

/// A part of the prediction from facts.
fn part(row: &Row, part: fn(&Predicted) -> Range, none: &str) -> String {
    let facts = row.from_facts.as_ref();
    facts.map_or_else(|| none.to_owned(), |facts| cells::range(part(facts), row.quantity()))
}

/// What a prediction is made of, and why a point has no number yet.
fn formulas(row: &Row, declared: Option<&Prediction>, table: &mut Table) {
    let parts = declared.map_or(&[][..], |prediction| &prediction.from_parts);
    if !parts.is_empty() {
        table.span(6, Cell::new(format!("from parts: {}", formula(parts)), Paint::Faint));
    }
    let assumed = row.from_facts.iter().filter_map(|facts| some_joined(&facts.assumed, ", "));
    for facts in assumed {
        table.span(6, Cell::new(format!("assumed: {facts}"), Paint::Faint));
    }
    for reason in row.unpredicted.iter().filter(|_| row.from_facts.is_none()) {
        let text = format!("no number yet: {}", failures::unpredicted(reason));
        table.span(6, Cell::new(text, Paint::Faint));
    }
}

/// The terms of a prediction, each with what it stands for and whose it is.
fn formula(terms: &[Term]) -> String {
    joined(terms.iter().map(|term| format!("{} ({}, {})", term.formula, term.name, cells::side(term))), " + ")
}
