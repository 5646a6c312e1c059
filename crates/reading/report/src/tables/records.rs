//! Several records in the form of the reports' table, each with its own predictions, and who was closest.

use super::csv;
use super::lines::{Lines, TableRecord, word};
use super::row::TableRow;
use crate::document::{Block, Form, write};
use crate::style::Paint;
use crate::table::{Cell, Column, Columns, ShownIn, Table};
use crate::wording::many;
use crate::{brief_machine, cells};
use analysis::{Closest, Row};
use quantity::show;
use record::UserPrediction;
use std::io::{self, Write};

/// Writes several records in the form of the reports' table.
///
/// # Errors
/// When `out` cannot be written.
pub fn records_table(records: &[TableRecord<'_>], form: Form, out: &mut dyn Write) -> io::Result<()> {
    let lines = Lines::of_records(records);
    match form {
        Form::Csv => csv::records(records, &lines, out),
        _ => {
            let title = Block::Title("records in the reports' table".to_owned());
            let all: Vec<Block> = std::iter::once(title).chain(blocks(records, &lines)).collect();
            write(&all, form, out)
        }
    }
}

/// Several records in the form of the reports' table, inside another document; nothing where none has a row of it.
pub(crate) fn records_blocks(records: &[TableRecord<'_>]) -> Vec<Block> {
    let lines = Lines::of_records(records);
    if lines.0.is_empty() { Vec::new() } else { blocks(records, &lines) }
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
    let tied: usize = (0..records.len()).map(|index| lines.counts(index)[1]).max().unwrap_or(0);
    if most == 0 && tied > 0 {
        return format!("no prediction was closest: {} tied", many(tied, "row"));
    }
    if most == 0 {
        return "no prediction was closest: two records with predictions by their users of a row that both measured are needed"
            .to_owned();
    }
    let names = records.iter().zip(&counts).filter(|(_, count)| **count == most);
    let names: Vec<&str> = names.map(|(record, _)| record.name).collect();
    format!("closest most often: {}, at {}", names.join(" and "), many(most, "row"))
}

/// A line for each record: its machine, and how well its user predicted.
fn who(records: &[TableRecord<'_>], lines: &Lines<'_>) -> Table {
    let name = Column::name("", 0, 8, usize::MAX).titled("record");
    let predicted = Column::number("predicted", 0).titled("rows predicted and measured");
    let off = Column::number("off by", 0).titled("off by, geometric mean");
    let program = Column::number("oscope's", 2).titled("oscope's, over the same rows");
    let columns = Columns::new(name, |(_, record): &(usize, &TableRecord<'_>)| record.name)
        .with(Column::number("closest", 0), |(index, _)| lines.counts(*index)[0].to_string())
        .with(Column::number("tied", 1), |(index, _)| lines.counts(*index)[1].to_string())
        .with(predicted, |(_, record)| user_accuracy(record).map_or(0, |user| user.points).to_string())
        .with(off, |(_, record)| cells::factor(user_accuracy(record).map(|user| user.mean)))
        .with(program, |(_, record)| {
            cells::factor(user_accuracy(record).and_then(|user| Some(user.shown?.program)))
        })
        .with(Column::prose("machine", 3, 24, usize::MAX), |(_, record)| {
            brief_machine::in_three_lines(&record.view).into_iter().next().unwrap_or_default()
        });
    let table = columns.table_of(records.iter().enumerate()).captioned(
        "closest: nearer to its own measured value than the others to theirs, wherever in the intervals these are; \
         off by: geometric mean of the factors either way over measured rows",
    );
    Table { is_headed_on_pages: true, ..table }
}

fn user_accuracy<'a>(record: &TableRecord<'a>) -> Option<&'a analysis::UserAccuracy> {
    record.view.analysis.accuracy.user.as_ref()
}

/// A row of the table in one record, and whether its prediction was closest.
struct InRecord<'a> {
    name: &'a str,
    of: &'a TableRow<'a>,
    closest: Option<Closest>,
}

impl InRecord<'_> {
    /// What the prediction that stands for a record says: its user's, else the program's.
    fn predicted<T: Default>(
        &self,
        by_user: impl Fn(&UserPrediction, &Row) -> T,
        by_program: impl Fn(&Row) -> T,
    ) -> T {
        self.of
            .row
            .map(|row| match &row.point.user {
                Some(user) => by_user(user, row),
                None => by_program(row),
            })
            .unwrap_or_default()
    }

    /// A part of it.
    fn part(&self, by_user: fn(&UserPrediction) -> Option<f64>, by_program: fn(&Row) -> String) -> String {
        self.predicted(
            |user, row| by_user(user).map(|value| show(value, None, row.quantity())).unwrap_or_default(),
            by_program,
        )
    }
}

/// For each row of the table a line for each record.
fn rows(records: &[TableRecord<'_>], lines: &Lines<'_>) -> Table {
    let name = Column::name("", 0, 10, usize::MAX).titled("record");
    let label = Column::word("operation", 0).only_in(ShownIn::Documents).not_below_headings();
    let columns = Columns::new(label, |row: &InRecord<'_>| row.of.summary.label)
        .with(name, |row| format!("  {}", row.name))
        .with(Column::number("hardware", 3).titled("base hardware"), |row| {
            row.part(|user| user.hardware, cells::hardware)
        })
        .with(Column::number("software", 3).titled("software overhead"), |row| {
            row.part(|user| user.software, cells::software)
        })
        .with(Column::number("predicted", 0), |row| row.part(|user| Some(user.typical), cells::total))
        .with(Column::word("by", 1).titled("predicted by"), |row| {
            Cell::new(row.predicted(|_, _| "user", cells::tier), Paint::Faint)
        })
        .with(Column::number("measured", 0), |row| row.of.measured_cell())
        .with(Column::word("", 0), |row| row.of.mark_cell())
        .with(Column::number("deviation", 2), |row| row.of.text(cells::deviation))
        .with(Column::number("ratio", 0).titled("measured / predicted"), |row| {
            row.predicted(|_, row| cells::user_ratio(row), cells::ratio)
        })
        .with(Column::word("closest", 0), |row| Cell::new(word(row.closest), Paint::Good));
    let mut table = Table { is_headed_on_pages: true, ..columns.table() };
    for line in &lines.0 {
        let label = line.rows.first().map_or("", |row| row.summary.label);
        table.head(Cell::new(label, Paint::Strong));
        for ((record, of), closest) in records.iter().zip(&line.rows).zip(&line.closest) {
            table.row(columns.cells(&InRecord { name: record.name, of, closest: *closest }));
        }
    }
    table.captioned(
        "predicted by: the user of the record, else oscope (T1 from measured parts, T0 from facts); ratio = measured / \
         predicted; ~ noisy",
    )
}
