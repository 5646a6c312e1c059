//! Arguments of tables that are shown alone.

use clap::{Args, ValueEnum};
use report::Statistic;
use std::path::PathBuf;

#[derive(Debug, Args, Default)]
pub(crate) struct Tables {
    /// One table alone: `reports`, the 30 rows with which the five reports end, on one screen or page
    #[arg(long, value_enum, value_name = "TABLE", conflicts_with_all = ["full", "brief", "author"])]
    pub table: Option<TableName>,
    /// Statistics over the trials as columns: of the table that --table names, else of a table of all points
    #[arg(long, value_enum, value_delimiter = ',', value_name = "COLUMN", conflicts_with_all = ["full", "brief", "author"])]
    pub columns: Vec<StatisticName>,
    /// Every trial that counts, as a table
    #[arg(long, conflicts_with_all = ["table", "columns", "full", "brief", "author"])]
    pub trials: bool,
    /// Write these predictions into the record of a blind run (`oscope run --blind`), and show what they predict
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
}

impl Tables {
    /// The columns that are asked for.
    pub fn statistics(&self) -> Vec<Statistic> {
        self.columns.iter().map(|name| (*name).into()).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableName {
    /// Operation, base hardware, software overhead, predicted, measured, deviation
    Reports,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatisticName {
    /// Smallest
    Min,
    /// Arithmetic mean
    Mean,
    /// Largest
    Max,
    /// Standard deviation
    Sd,
}

impl From<StatisticName> for Statistic {
    fn from(name: StatisticName) -> Self {
        match name {
            StatisticName::Min => Self::Minimum,
            StatisticName::Mean => Self::Mean,
            StatisticName::Max => Self::Maximum,
            StatisticName::Sd => Self::Deviation,
        }
    }
}
