//! What is typed behind `oscope fleet`.

use super::values::{FleetForm, percent};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Many machines.
#[derive(Debug, Args)]
pub(crate) struct Fleet {
    #[command(subcommand)]
    pub command: FleetCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Read the records of many machines: which are of one type, which are not like the others and in what, how far
    /// machines and runs lie apart, and how many of them a precision needs
    Report(FleetReport),
}

#[derive(Debug, Args)]
pub(crate) struct FleetReport {
    /// The directory of the records: MACHINE.oscope.jsonl, MACHINE.2.oscope.jsonl, …, or a directory for each machine
    pub folder: PathBuf,
    /// The form
    #[arg(long, value_enum, default_value_t = FleetForm::Terminal)]
    pub format: FleetForm,
    /// All points, machines and problems
    #[arg(long)]
    pub full: bool,
    /// Half width of a mean for which machines and runs are counted
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "1%")]
    pub precision: f64,
    /// Exit with 1 when a machine is odd
    #[arg(long)]
    pub strict: bool,
    /// Write to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
