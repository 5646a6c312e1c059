//! A row of the reports' table.

use super::level;
use crate::style::Paint;
use crate::table::Cell;
use crate::{View, cells};
use analysis::Row;
use record::PointId;
use reference::{SUMMARY_ROWS, SummaryRow};

/// A row of the table, with what the run says of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableRow<'a> {
    /// What it is.
    pub(super) summary: &'static SummaryRow,
    /// What was found; `None` where the run does not have its point.
    pub(super) row: Option<&'a Row>,
}

impl<'a> TableRow<'a> {
    /// All rows, in their order.
    pub(super) fn all(view: &View<'a>) -> Vec<Self> {
        let rows = &view.analysis.rows;
        SUMMARY_ROWS
            .iter()
            .map(|summary| Self {
                summary,
                row: rows.iter().find(|row| {
                    row.point.id.operation == summary.operation && row.point.id.point == summary.point
                }),
            })
            .collect()
    }

    /// Its point.
    pub(super) fn id(&self) -> PointId {
        PointId::new(self.summary.operation, self.summary.point)
    }

    /// What it is called on this machine: loads and streams with the cache that holds their working set.
    pub(super) fn label(&self, view: &View<'_>) -> String {
        let level = self.summary.working_set;
        match level.and_then(|bytes| {
            level::level(view.machine, level::largest_found(&view.analysis.rows), bytes as f64)
        }) {
            Some(level) => format!("{} ({level})", self.summary.label),
            None => self.summary.label.to_owned(),
        }
    }

    /// What a cell says of its row; nothing where the run does not have it.
    pub(super) fn text(&self, text: impl Fn(&Row) -> String) -> String {
        self.row.map(text).unwrap_or_default()
    }

    /// Its time in round trips, where the run has both.
    pub(super) fn in_round_trips(&self, view: &View<'_>) -> Option<f64> {
        let (operation, point) = self.summary.round_trip?;
        let found = view
            .analysis
            .rows
            .iter()
            .find(|row| row.point.id.operation == operation && row.point.id.point == point);
        Some(self.row?.typical()? / found?.typical().filter(|time| *time > 0.0)?)
    }

    /// The measured value, or why there is none.
    pub(super) fn measured_cell(&self) -> Cell {
        self.row.map_or_else(|| Cell::new(NOT_MEASURED, Paint::Faint), cells::measured_cell)
    }

    /// The sign of its verdict.
    pub(super) fn mark_cell(&self) -> Cell {
        self.row.map(cells::mark_cell).unwrap_or_default()
    }

    /// The verdict's word, where the run has the point.
    pub(super) fn verdict(&self) -> &'static str {
        self.row.map_or(NOT_MEASURED, |row| row.verdict.word())
    }
}

/// Stands in place of a value that the run does not have.
const NOT_MEASURED: &str = "not measured";
