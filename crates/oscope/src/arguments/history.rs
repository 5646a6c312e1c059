//! Arguments of commands that know of earlier runs.

use super::{ChangeRule, Form, Output};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args, Default, Clone)]
pub(crate) struct HistoryFolder {
    /// Directory of earlier records of this machine: they tell how far the next run may lie from this one [default: the state
    /// directory]
    #[arg(long, value_name = "DIR")]
    pub history: Option<PathBuf>,
}

impl HistoryFolder {
    /// The directory that was named.
    pub fn folder(&self) -> Option<&Path> {
        self.history.as_deref()
    }
}

#[derive(Debug, Args)]
pub(crate) struct History {
    /// A directory of records [default: the state directory]; a record, whose machine is meant [default: the newest]; and
    /// areas, operations or points, as for `run`
    #[arg(value_name = "DIR|RECORD|SELECTION")]
    pub what: Vec<String>,
    /// Exit with 1 when the newest run is behind a step: `slower`, `faster` or `changed` by this share or more (slower:3%:
    /// the whole interval is beyond 3 %). Repeatable
    #[arg(long, value_name = "RULE", value_parser = step_rule)]
    pub fail_if: Vec<ChangeRule>,
    /// Steps that are expected, so that no rule finds them: a file of lines such as `2026-11-03 syscall.getppid  # audit`
    #[arg(long, value_name = "FILE")]
    pub acknowledged: Option<PathBuf>,
    /// Records of all machines of this type, with the same processor and as many CPUs: for a fresh virtual machine each night
    #[arg(long)]
    pub one_type: bool,
    /// Every value of every point [default: of up to three points]
    #[arg(long)]
    pub full: bool,
    /// The form
    #[arg(long, value_parser = Form::among(FORMS), default_value = "terminal")]
    pub format: Form,
    #[command(flatten)]
    pub output: Output,
}

/// The forms of a history.
const FORMS: [Form; 6] = [Form::Terminal, Form::Markdown, Form::Html, Form::Latex, Form::Json, Form::Csv];

/// Reads a rule that a step can meet.
fn step_rule(text: &str) -> Result<ChangeRule, String> {
    let rule: ChangeRule = text.parse()?;
    match rule.is_of_shown() {
        true => Ok(rule),
        false => Err("a step is slower, faster or changed, each alone or with a share: slower:3%".to_owned()),
    }
}
