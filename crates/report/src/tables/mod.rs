//! Tables that are asked for alone: the reports' summary table, the statistics over trials, and the trials themselves, each
//! on a terminal, as Markdown, as a page, as LaTeX and as CSV.

mod csv;
mod level;
mod missing;
mod records;
mod reports;
mod statistics;
mod trials;

pub(crate) use records::records_blocks;
pub use records::{TableRecord, records_table};
pub use statistics::Statistic;

use crate::View;
use crate::document::{self, Block};
use crate::page::Page;
use crate::style::Style;
use std::io::{self, Write};

/// A table that can be asked for alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownTable {
    /// Some thirty rows with which the reports end: at most 50 lines of 100 columns, one page.
    Reports,
    /// A row for each point with statistics over its trials.
    Statistics,
    /// A row for each trial.
    Trials,
}

/// The form of such a table.
#[derive(Debug, Clone, Copy)]
pub enum TableForm {
    /// For a terminal of this width.
    Terminal(usize, Style),
    /// Markdown.
    Markdown,
    /// A page that a browser shows and prints.
    Html,
    /// A page for pdflatex.
    Latex,
    /// Numbers in base units with all digits.
    Csv,
}

/// Writes a table, with columns of these statistics.
///
/// # Errors
/// When `out` cannot be written.
pub fn table(
    view: &View<'_>,
    which: ShownTable,
    statistics: &[Statistic],
    form: TableForm,
    out: &mut dyn Write,
) -> io::Result<()> {
    let blocks: Vec<Block> = match (which, form) {
        (ShownTable::Reports, TableForm::Csv) => return csv::reports(view, statistics, out),
        (ShownTable::Statistics, TableForm::Csv) => return csv::statistics(view, statistics, out),
        (ShownTable::Trials, TableForm::Csv) => return csv::trials(view, out),
        (ShownTable::Reports, TableForm::Terminal(width, _)) => {
            reports::blocks(view, statistics, Some(width))
        }
        (ShownTable::Reports, _) => reports::blocks(view, statistics, None),
        (ShownTable::Statistics, _) => statistics::blocks(view, statistics),
        (ShownTable::Trials, _) => trials::blocks(view),
    };
    write(&blocks, form, out)
}

/// Writes a document in this form; as CSV, of which a document holds nothing, nothing.
fn write(blocks: &[Block], form: TableForm, out: &mut dyn Write) -> io::Result<()> {
    match form {
        TableForm::Terminal(width, style) => {
            document::terminal::write(blocks, &mut Page { width, style, out })
        }
        TableForm::Markdown => document::markdown::write(blocks, out),
        TableForm::Html => document::html::write(&title(blocks), blocks, out),
        TableForm::Latex => document::latex::write_whole(blocks, out),
        TableForm::Csv => Ok(()),
    }
}

/// What a page is called.
fn title(blocks: &[Block]) -> String {
    let title = blocks.iter().find_map(|block| match block {
        Block::Title(title) => Some(title.as_str()),
        _ => None,
    });
    format!("oscope: {}", title.unwrap_or("table"))
}
