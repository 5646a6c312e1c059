//! What every point should cost, before anything is measured: T0 as numbers, T1 as formulas.

use crate::cells;
use crate::groups::areas;
use crate::style::{Paint, Style};
use crate::table::{Cell, Column, Table};
use analysis::Row;
use quantity::show_interval;
use record::{PointId, Prediction, Term, TermSide};
use std::io::{self, Write};

/// Writes the predictions for a terminal of this width.
///
/// `rows` come from an analysis of a record without trials; `predictions` are that record's.
///
/// # Errors
/// When `out` cannot be written.
pub fn predictions_text(
    rows: &[Row],
    predictions: &[(PointId, Prediction)],
    width: usize,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let user = cells::has_user(rows);
    let mut columns = vec![
        Column::name("", 0, 24, usize::MAX),
        Column::number("hardware", 1),
        Column::number("software", 1),
        Column::number("predicted", 0),
        Column::number("between", 2),
    ];
    if user {
        columns.push(Column::number("user's", 0));
    }
    let mut table = Table::new(columns);
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
                add(&format!("  {}", group.name), row, declared(row), &mut table);
                continue;
            }
            table.head(format!("  {}", group.name).into());
            for (row, own) in group.points {
                add(&format!("    {own}"), row, declared(row), &mut table);
            }
        }
    }
    for line in table.heading(width, style).iter().chain(&table.body(width, style)) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn add(name: &str, row: &Row, declared: Option<&Prediction>, table: &mut Table) {
    let quantity = row.quantity();
    let facts = row.from_facts.as_ref();
    let name = Cell::from(cells::marked(name, row));
    let mut all: Vec<Cell> = match facts {
        Some(facts) => vec![
            name,
            cells::range(facts.hardware, quantity).into(),
            cells::range(facts.software, quantity).into(),
            cells::range(facts.total, quantity).into(),
            show_interval(facts.total.low, facts.total.high, quantity).into(),
        ],
        None => vec![name, "".into(), "".into(), "–".into(), "".into()],
    };
    // Cells of a column that is not there are not looked at.
    all.push(Cell::new(cells::user(row), Paint::Strong));
    table.row(all);
    let parts = declared.map_or(&[][..], |prediction| &prediction.from_parts);
    if !parts.is_empty() {
        table.span(6, Cell::new(format!("from parts: {}", formula(parts)), Paint::Faint));
    }
    if facts.is_none() {
        for reason in &row.unpredicted {
            table.span(
                6,
                Cell::new(format!("no number yet: {}", crate::failures::unpredicted(reason)), Paint::Faint),
            );
        }
    }
}

/// The terms of a prediction, each with what it stands for and whose it is.
fn formula(terms: &[Term]) -> String {
    let term = |term: &Term| {
        let side = match term.side {
            TermSide::Hardware => "hardware",
            TermSide::Software => "software",
        };
        format!("{} ({}, {side})", term.formula, term.name)
    };
    terms.iter().map(term).collect::<Vec<_>>().join(" + ")
}
