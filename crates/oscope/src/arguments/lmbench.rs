//! The words of `oscope lmbench`.

use super::values::duration;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    after_help = "The output goes where lmbench writes it, mostly to standard error; what its form has no place for (interval, \
                  noise, record) to standard output, if that is a terminal. No line is printed without a value. docs/PEERS.md \
                  lists the programs."
)]
pub(crate) struct Lmbench {
    /// Time limit for the rounds [default: 20 s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Directory in which files are measured [default: as for run]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Write the record to this file [default: a new file in the state directory]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// A program of lmbench, with its words: `bw_mem 64m rd`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub line: Vec<String>,
}
