//! Several records in the form of the reports' table, each with its own predictions, and who was closest.

use super::csv;
use super::form::{TableForm, write};
use super::lines::{Lines, TableRecord, word};
use super::row::TableRow;
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, ShownIn, Table};
use crate::wording::many;
use crate::{cells, facts};
use analysis::{Closest, Row};
use quantity::{show, show_ratio};
use std::io::{self, Write};

/// Writes several records in the form of the reports' table.
///
/// # Errors
/// When `out` cannot be written.
pub fn records_table(records: &[TableRecord<'_>], form: TableForm, out: &mut dyn Write) -> io::Result<()> {
    let lines = Lines::of(records);
    match form {
        TableForm::Csv => csv::records(records, &lines, out),
        _ => {
            let title = Block::Title("records in the reports' table".to_owned());
            let all: Vec<Block> = std::iter::once(title).chain(blocks(records, &lines)).collect();
            write(&all, form, out)
        }
    }
}

/// Several records in the form of the reports' table, inside another document; nothing where none has a row of it.
pub(crate) fn records_blocks(records: &[TableRecord<'_>]) -> Vec<Block> {
    let lines = Lines::of(records);
    match lines.0.is_empty() {
        true => Vec::new(),
        false => blocks(records, &lines),
    }
}

fn blocks(records: &[TableRecord<'_>], lines: &Lines<'_>) -> Vec<Block> {
    vec![
        Block::lead(answer(records, lines)),
        Block::Table(who(records, lines)),
        Block::Part("rows".to_owned(), vec![Block::Table(rows(records, lines))]),
    ]
}

/// Who was closest most often.
fn answer(records: &[TableRecord<'_>], lines: &Lines<'_>) -> String {
    let counts: Vec<usize> = (0..records.len()).map(|index| lines.counts(index)[0]).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return "no prediction was closest: it takes two records with predictions by their users of a row that is \
                measured in both"
            .to_owned();
    }
    let names = records.iter().zip(&counts).filter(|(_, count)| **count == most);
    let names: Vec<&str> = names.map(|(record, _)| record.name).collect();
    format!("closest most often: {}, at {}", names.join(" and "), many(most, "row"))
}

/// A line for each record: its machine, and how well its user predicted.
fn who(records: &[TableRecord<'_>], lines: &Lines<'_>) -> Table {
    let mut table = Table::new(vec![
        Column::name("", 0, 8, usize::MAX).titled("record"),
        Column::number("closest", 0),
        Column::number("tied", 1),
        Column::number("predicted", 0).titled("rows predicted and measured"),
        Column::number("off by", 0).titled("off by, geometric mean"),
        Column::number("oscope's", 2).titled("oscope's, over the same rows"),
        Column::prose("machine", 3, 24, usize::MAX),
    ]);
    for (index, record) in records.iter().enumerate() {
        let [alone, tied] = lines.counts(index);
        let user = record.view.analysis.accuracy.user.as_ref();
        let machine = facts::in_three_lines(record.view.machine);
        let factor =
            |value: Option<f64>| value.filter(|value| value.is_finite()).map_or_else(String::new, show_ratio);
        table.row(vec![
            record.name.into(),
            alone.to_string().into(),
            tied.to_string().into(),
            user.map_or(0, |user| user.points).to_string().into(),
            factor(user.map(|user| user.mean)).into(),
            factor(user.and_then(|user| Some(user.shown?.program))).into(),
            machine.into_iter().next().unwrap_or_default().into(),
        ]);
    }
    table.caption = Some(
        "closest: nearer to its own measured value than the others to theirs, wherever in the intervals these are; \
         off by: geometric mean of the factors either way over measured rows"
            .to_owned(),
    );
    table
}

/// For each row of the table a line for each record.
fn rows(records: &[TableRecord<'_>], lines: &Lines<'_>) -> Table {
    let mut table = Table::new(vec![
        Column::word("operation", 0).only_in(ShownIn::Documents),
        Column::name("", 0, 10, usize::MAX).titled("record"),
        Column::number("hardware", 3).titled("base hardware"),
        Column::number("software", 3).titled("software overhead"),
        Column::number("predicted", 0),
        Column::word("by", 1).titled("predicted by"),
        Column::number("measured", 0),
        Column::word("", 0).only_in(ShownIn::Terminals),
        Column::number("deviation", 2),
        Column::number("ratio", 0).titled("measured / predicted"),
        Column::word("closest", 0),
    ]);
    for line in &lines.0 {
        let label = line.rows.first().map_or("", |row| row.summary.label);
        table.head(Cell::new(label, Paint::Strong));
        for ((record, of), closest) in records.iter().zip(&line.rows).zip(&line.closest) {
            table.row(row_cells(label, record, of, *closest));
        }
    }
    table.caption = Some(
        "predicted by: the user of the record, else oscope (T1 from measured parts, T0 from facts); ratio = measured / \
         predicted; ~ noisy"
            .to_owned(),
    );
    table
}

fn row_cells(
    label: &str,
    record: &TableRecord<'_>,
    of: &TableRow<'_>,
    closest: Option<Closest>,
) -> Vec<Cell> {
    let own = Own::of(of);
    let (measured, mark, paint) = of.value();
    vec![
        label.into(),
        format!("  {}", record.name).into(),
        own.hardware.into(),
        own.software.into(),
        own.total.into(),
        Cell::new(own.by, Paint::Faint),
        Cell::new(measured, paint),
        Cell::new(mark, paint),
        of.row.map(cells::deviation).unwrap_or_default().into(),
        own.ratio.filter(|ratio| ratio.is_finite()).map_or_else(String::new, show_ratio).into(),
        Cell::new(word(closest), Paint::Good),
    ]
}

/// The prediction that stands for a record: its user's, else the program's.
struct Own {
    hardware: String,
    software: String,
    total: String,
    by: &'static str,
    ratio: Option<f64>,
}

impl Own {
    fn of(of: &TableRow<'_>) -> Self {
        let text = |row: &Row, value: f64| show(value, None, row.quantity());
        let user = of.row.and_then(|row| Some((row, row.point.user.as_ref()?)));
        match (user, of.row) {
            (Some((row, user)), _) => {
                let part = |value: Option<f64>| value.map(|value| text(row, value)).unwrap_or_default();
                Self {
                    hardware: part(user.hardware),
                    software: part(user.software),
                    total: text(row, user.typical),
                    by: "user",
                    ratio: row.user_ratio(),
                }
            }
            (None, Some(row)) => Self {
                hardware: cells::predicted(row, |predicted| predicted.hardware),
                software: cells::predicted(row, |predicted| predicted.software),
                total: cells::predicted(row, |predicted| predicted.total),
                by: cells::tier(row),
                ratio: row.ratio(),
            },
            (None, None) => Self {
                hardware: String::new(),
                software: String::new(),
                total: String::new(),
                by: "",
                ratio: None,
            },
        }
    }
}
