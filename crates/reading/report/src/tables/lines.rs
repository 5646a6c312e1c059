//! Rows of the reports' table in several records.

use super::row::TableRow;
use crate::View;
use analysis::{Closest, Row, closest};

/// One of the records of a table.
#[derive(Debug, Clone, Copy)]
pub struct TableRecord<'a> {
    /// What it is called: a student's name.
    pub name: &'a str,
    /// What it says of the points of the table.
    pub view: View<'a>,
}

/// What each record says of one row of the table.
pub(super) struct RowOfRecords<'a> {
    /// The row in each record.
    pub(super) rows: Vec<TableRow<'a>>,
    /// Whose prediction was closest.
    pub(super) closest: Vec<Option<Closest>>,
}

/// All rows of the table that some record has.
pub(super) struct Lines<'a>(pub(super) Vec<RowOfRecords<'a>>);

impl<'a> Lines<'a> {
    pub(super) fn of_records(records: &[TableRecord<'a>]) -> Self {
        let all: Vec<Vec<TableRow<'a>>> = records.iter().map(|record| TableRow::all(&record.view)).collect();
        let count = all.iter().map(Vec::len).max().unwrap_or(0);
        Self(
            (0..count)
                .filter_map(|index| {
                    let rows: Vec<TableRow<'a>> =
                        all.iter().filter_map(|rows| rows.get(index).copied()).collect();
                    let found: Vec<Option<&Row>> = rows.iter().map(|row| row.row).collect();
                    found.iter().any(Option::is_some).then(|| RowOfRecords { closest: closest(&found), rows })
                })
                .collect(),
        )
    }

    /// At how many rows this record was closest, and at how many tied.
    pub(super) fn counts(&self, record: usize) -> [usize; 2] {
        [Closest::Nearest, Closest::Tied].map(|wanted| {
            let rows = self.0.iter();
            rows.filter(|row| row.closest.get(record) == Some(&Some(wanted))).count()
        })
    }
}

/// The word for it.
pub(super) fn word(closest: Option<Closest>) -> &'static str {
    match closest {
        Some(Closest::Nearest) => "closest",
        Some(Closest::Tied) => "tied",
        None => "",
    }
}
