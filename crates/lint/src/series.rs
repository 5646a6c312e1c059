//! Trials: the rows that repeat one measurement, and the row that sums them up.

use crate::params::Params;
use crate::table::{Row, Table};

/// Fewer trials than this show nothing about how they are spread.
pub(crate) const FEWEST: usize = 5;

/// One number in ten ends in a zero, and programs leave it out; more than this share of short ones is another thing.
const SHORTENED: f64 = 0.35;

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

    /// One unit of the last place to which the trials are told: of the finest, where only zeros at the end of some were
    /// left out; otherwise of the coarsest.
    pub fn place(&self) -> f64 {
        let figures = || self.rows.iter().filter_map(|row| row.measured);
        let places: Vec<f64> = figures()
            .filter(|figure| figure.value != 0.0)
            .map(|figure| figure.place)
            .collect();
        let finest = places.iter().copied().fold(f64::INFINITY, f64::min);
        let coarsest = places.iter().copied().fold(0.0, f64::max);
        let shortened = places.iter().filter(|place| **place > 1.5 * finest).count();
        match places.len() {
            0 => figures().map(|figure| figure.place).fold(0.0, f64::max),
            // Only decimals are left out, and leave a whole number at the most.
            all if coarsest <= 1.0 && shortened as f64 <= (SHORTENED * all as f64).max(1.0) => finest,
            _ => coarsest,
        }
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
