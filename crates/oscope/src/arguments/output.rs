//! Arguments of commands that write a result.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args, Default)]
pub(crate) struct Output {
    /// Write to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub replace: Replace,
}

#[derive(Debug, Args, Default, Clone, Copy)]
pub(crate) struct Replace {
    /// Replace a file whatever it holds. Without it only an empty file is replaced, and one that oscope wrote in the same
    /// form: never a record, and never text as a terminal shows it, which has no mark of oscope
    #[arg(long)]
    pub force: bool,
}
