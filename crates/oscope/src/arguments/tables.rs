//! Arguments of tables that are shown alone.

use super::values::statistic;
use clap::{Args, ValueEnum};
use report::Statistic;
use std::path::PathBuf;

#[derive(Debug, Args, Default)]
pub(crate) struct Tables {
    /// Only this table: `reports`, 30 rows like those of the tables with which four of the five reports end, on one
    /// screen or page
    #[arg(long, value_enum, value_name = "TABLE", conflicts_with_all = ["full", "brief", "author", "introduction"])]
    pub table: Option<TableName>,
    /// Statistics over the trials as columns of the table that --table names, or else of a table of all points
    #[arg(long, value_parser = statistic(), value_delimiter = ',', value_name = "COLUMN", conflicts_with_all = ["full", "brief", "author", "introduction"])]
    pub columns: Vec<Statistic>,
    /// A table of every trial that counts
    #[arg(long, conflicts_with_all = ["table", "columns", "full", "brief", "author", "introduction"])]
    pub trials: bool,
    /// A table of the curves that trials keep (single loads, latency by working set, second reads by file size), also as JSON
    #[arg(long, conflicts_with_all = ["table", "columns", "trials", "full", "brief", "author", "introduction"])]
    pub curves: bool,
    /// Add these predictions to the record of a blind run (`oscope run --blind`), and show their results
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableName {
    /// Operation, base hardware, software overhead, predicted, measured, deviation
    Reports,
}
