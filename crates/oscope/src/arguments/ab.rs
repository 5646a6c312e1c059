//! Arguments of `oscope ab`.

use super::compare::comparison_form;
use super::values::percent;
use super::{ChangeRule, Form, Output};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Ab {
    /// Runs of each set-up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub rounds: u32,
    /// A command that restores what the set-ups change; it also runs when a run fails or is interrupted
    #[arg(long, value_name = "COMMAND")]
    pub restore: Option<String>,
    /// Directory for the records [default: a new one in the state directory]
    #[arg(long, value_name = "DIR")]
    pub records: Option<PathBuf>,
    /// Smallest change that counts, for example 2% [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub least: Option<f64>,
    /// Also list the points that are the same or undecided
    #[arg(long)]
    pub all: bool,
    /// Exit with 1 when a point is `slower`, `faster`, `changed` or `undecided`, as for compare. Repeatable
    #[arg(long, value_name = "RULE")]
    pub fail_if: Vec<ChangeRule>,
    /// The form
    #[arg(long, value_parser = comparison_form(), default_value = "terminal")]
    pub format: Form,
    #[command(flatten)]
    pub output: Output,
    /// Two shell commands, each of which sets up one side, and what and how to measure, as for `run`
    #[arg(last = true, required = true, num_args = 2.., value_names = ["SETUP_A", "SETUP_B", "RUN_ARGUMENTS"])]
    pub words: Vec<String>,
}
