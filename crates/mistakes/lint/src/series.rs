//! Series: rows that are the trials of one measurement, and the rows that summarise them.

use crate::params::Params;
use crate::statistics::ends;
use crate::table::{Row, Table, grouped};
use quantity::Printed;

/// One number in ten ends in a zero, and programs leave it out; a larger share of short ones has another cause.
const SHORTENED: f64 = 0.35;

/// The trials of one table of a report, in their order.
#[derive(Debug)]
pub(crate) struct Series<'t> {
    /// The parameters that they share.
    pub essence: Params,
    /// The rows, one per trial; at least one.
    pub rows: Vec<&'t Row>,
    /// The first of them, for what all have in common.
    pub first: &'t Row,
    /// The results as printed.
    pub values: Vec<f64>,
    /// One unit of their last printed place.
    pub place: f64,
}

impl<'t> Series<'t> {
    fn of(essence: Params, rows: Vec<&'t Row>) -> Option<Self> {
        let figures: Vec<Printed> = rows.iter().filter_map(|row| row.measured).collect();
        let values = figures.iter().map(|figure| figure.value).collect();
        Some(Self { essence, first: rows.first()?, values, place: place(&figures), rows })
    }

    pub fn unit(&self) -> &'t str {
        &self.first.unit_text
    }

    /// Rows that report the same quantity of the same operation and parameters without a trial.
    pub fn summaries<'a>(&'a self, table: &'t Table) -> impl Iterator<Item = &'t Row> + 'a {
        table.rows.iter().filter(|row| {
            !row.params.is_trial()
                && row.params.is_plain()
                && self.first.same_quantity(row)
                && row.params.essence() == self.essence
        })
    }

    /// Whether a summary gives the median, which outliers and modes do not move.
    pub fn has_median(&self, table: &Table) -> bool {
        self.summaries(table).any(Row::is_median)
    }

    /// Whether a row in the unit of the trials may summarise just these: as many as it says, if it says so.
    pub fn is_summarised_by(&self, row: &Row) -> bool {
        let trials = row.params.number("trials");
        self.unit() == row.unit_text && trials.is_none_or(|trials| trials == self.rows.len() as f64)
    }
}

/// All series of a table: rows with a `trial`, by report, section, operation, parameters and unit.
pub(crate) fn all_series(table: &Table) -> Vec<Series<'_>> {
    let trials = table.rows.iter().filter(|row| row.params.is_trial() && row.measured.is_some());
    let keyed = trials.map(|row| {
        let (report, section) = (row.report.clone(), row.section.clone());
        let point = row.params.essence();
        ((point, report, section, row.operation.clone(), row.unit_text.clone(), row.quantity), row)
    });
    grouped(keyed).into_iter().filter_map(|((essence, ..), rows)| Series::of(essence, rows)).collect()
}

/// One unit of the last printed place: of the finest trial, where only zeros at the end of some were left out; otherwise
/// of the coarsest.
fn place(figures: &[Printed]) -> f64 {
    let above = figures.iter().filter(|figure| figure.value != 0.0);
    let places: Vec<f64> = above.map(|figure| figure.place).collect();
    let (finest, coarsest) = ends(&places);
    let shortened = places.iter().filter(|place| **place > 1.5 * finest).count();
    match places.len() {
        0 => figures.iter().map(|figure| figure.place).fold(0.0, f64::max),
        // Only decimals are left out, and leave a whole number at the most.
        all if coarsest <= 1.0 && shortened as f64 <= (SHORTENED * all as f64).max(1.0) => finest,
        _ => coarsest,
    }
}
