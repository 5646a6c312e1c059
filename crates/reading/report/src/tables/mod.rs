//! Tables that are asked for alone: the reports' summary table, the statistics over trials, the trials themselves, and the
//! curves that they keep, each on a terminal, as Markdown, as a page, as LaTeX and as CSV.

mod csv;
mod curves;
mod level;
mod lines;
mod missing;
mod records;
mod reports;
pub(crate) use reports::summary;
mod row;
mod statistics;
mod trials;

pub use curves::curves;
pub use lines::TableRecord;
pub(crate) use records::records_blocks;
pub use records::records_table;
pub use statistics::Statistic;
pub(crate) use trials::in_rounds;

use crate::View;
use crate::document::{Block, Form, write};
use std::io::{self, Write};

/// A table that can be asked for alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownTable {
    /// Some thirty rows like those of the tables with which four of the reports end: at most 50 lines of 100 columns,
    /// one page.
    Reports,
    /// A row for each point with statistics over its trials.
    Statistics,
    /// A row for each trial.
    Trials,
}

/// Writes a table, with columns of these statistics.
///
/// # Errors
/// When `out` cannot be written.
pub fn table(
    view: &View<'_>,
    which: ShownTable,
    statistics: &[Statistic],
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let blocks: Vec<Block> = match (which, form) {
        (ShownTable::Reports, Form::Csv) => return csv::reports(view, statistics, out),
        (ShownTable::Statistics, Form::Csv) => return csv::statistics(view, statistics, out),
        (ShownTable::Trials, Form::Csv) => return csv::trials(view, out),
        (ShownTable::Reports, Form::Terminal(width, _)) => reports::blocks(view, statistics, Some(width)),
        (ShownTable::Reports, _) => reports::blocks(view, statistics, None),
        (ShownTable::Statistics, _) => statistics::blocks(view, statistics),
        (ShownTable::Trials, _) => trials::blocks(view),
    };
    write(&blocks, form, out)
}
