//! Arguments of `oscope report`.

use super::history::HistoryFolder;
use super::output::Output;
use super::tables::Tables;
use super::values::{Form, frequency, report_form, trigger};
use clap::Args;
use record::Trigger;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// A record [default: the newest]; and what to show of it: topics (`noise`, `predictions`, `answers`, `plots`,
    /// `machines`, `evidence`), areas, operations or points, as for `run` [default: the first screen, and all of it in other forms]
    #[arg(value_name = "RECORD|TOPIC|SELECTION")]
    pub what: Vec<String>,
    /// Show this record, which may also stand without the option
    #[arg(long, value_name = "RECORD")]
    pub record: Option<PathBuf>,
    /// The form
    #[arg(long, value_parser = report_form(), default_value = "terminal")]
    pub format: Form,
    /// Everything: all rows, sweeps, plots, evidence that disagrees, notes, answers; in a paper one subsection per operation
    /// (over a hundred pages for `oscope run all`, instead of some thirty; a paper of up to 40 operations has them anyway)
    #[arg(long)]
    pub full: bool,
    /// With --format latex: only the points of the headline, on some ten pages
    #[arg(long)]
    pub brief: bool,
    /// Give times in core cycles, too: as columns, in a page first; JSON has them anyway
    #[arg(long)]
    pub cycles: bool,
    /// With --format latex: the author of the paper
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
    /// With --format latex: a file with the text of the introduction, such as who did what in how many hours
    #[arg(long, value_name = "FILE")]
    pub introduction: Option<PathBuf>,
    /// Give values at this core clock, for example 3GHz [default: the highest of the run]
    #[arg(long, value_name = "FREQUENCY", value_parser = frequency)]
    pub clock: Option<f64>,
    /// Select samples by this trigger [default: that of the run]
    #[arg(long, value_parser = trigger())]
    pub trigger: Option<Trigger>,
    #[command(flatten)]
    pub tables: Tables,
    #[command(flatten)]
    pub history: HistoryFolder,
    #[command(flatten)]
    pub output: Output,
}
