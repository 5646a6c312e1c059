//! Trials: the rows that repeat one measurement, and the row that sums them up.

use crate::params::Params;
use crate::table::{Row, Table};

/// Fewer trials than this show nothing about how they are spread.
pub(crate) const FEWEST: usize = 5;

/// The trials of one table of a report, in their order.
#[derive(Debug)]
pub(crate) struct Series<'t> {
    /// What they have in common.
    pub essence: Params,
    /// The rows, one per trial.
    pub rows: Vec<&'t Row>,
}

impl<'t> Series<'t> {
    pub fn first(&self) -> Option<&'t Row> {
        self.rows.first().copied()
    }

    /// The results as they are printed.
    pub fn values(&self) -> Vec<f64> {
        let printed = self.rows.iter().filter_map(|row| row.measured);
        printed.map(|figure| figure.value).collect()
    }

    /// One unit of the last place of the coarsest.
    pub fn place(&self) -> f64 {
        let places = self.rows.iter().filter_map(|row| row.measured);
        places.map(|figure| figure.place).fold(0.0, f64::max)
    }

    /// Rows that tell the same thing once more, without a trial: same report, operation, parameters and quantity.
    pub fn summaries<'a>(&'a self, table: &'t Table) -> impl Iterator<Item = &'t Row> + 'a {
        let first = self.first();
        table.rows.iter().filter(move |row| {
            !row.params.is_trial()
                && row.params.is_plain()
                && row.params.essence() == self.essence
                && first.is_some_and(|first| {
                    first.report == row.report
                        && first.operation == row.operation
                        && first.quantity == row.quantity
                })
        })
    }
}

/// All series of a table: rows with a `trial`, by report, section, operation, parameters and unit.
pub(crate) fn all(table: &Table) -> Vec<Series<'_>> {
    let mut series: Vec<Series<'_>> = Vec::new();
    for row in table
        .rows
        .iter()
        .filter(|row| row.params.is_trial() && row.measured.is_some())
    {
        let essence = row.params.essence();
        let same = series.iter_mut().rev().find(|series| {
            series.essence == essence
                && series.first().is_some_and(|first| {
                    (
                        &first.report,
                        &first.section,
                        &first.operation,
                        &first.unit_text,
                        first.quantity,
                    ) == (
                        &row.report,
                        &row.section,
                        &row.operation,
                        &row.unit_text,
                        row.quantity,
                    )
                })
        });
        match same {
            Some(series) => series.rows.push(row),
            None => series.push(Series {
                essence,
                rows: vec![row],
            }),
        }
    }
    series
}

/// Series with enough trials to say something of their spread.
pub(crate) fn long(table: &Table) -> Vec<Series<'_>> {
    let mut series = all(table);
    series.retain(|series| series.rows.len() >= FEWEST);
    series
}
