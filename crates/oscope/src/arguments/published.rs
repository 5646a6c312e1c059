//! Arguments of the commands on what others published: their figures, their methods, the mistakes in tables.

use super::values::{FindingsForm, Form, TableForm, duration, profile};
use clap::Args;
use record::Profile;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct ListReference {
    /// An operation, of the reports or of oscope, or the beginning of its id. All, if none is given
    pub id: Option<String>,
    /// Include single trials
    #[arg(long)]
    pub trials: bool,
    /// The form
    #[arg(long, value_enum, default_value_t = TableForm::Text)]
    pub format: TableForm,
}

/// The forms of the museum.
const FORMS: [Form; 3] = [Form::Terminal, Form::Markdown, Form::Json];

#[derive(Debug, Args)]
pub(crate) struct Museum {
    /// Exhibits: their names, or codes of mistakes (E11). All, if none is given
    pub selection: Vec<String>,
    /// List the exhibits; measure nothing
    #[arg(long)]
    pub list: bool,
    /// Show the exhibits from this record; measure nothing
    #[arg(long, alias = "from", value_name = "RECORD", conflicts_with_all = ["output", "dir", "budget", "profile"])]
    pub record: Option<PathBuf>,
    /// How long and how hard to try
    #[arg(long, value_parser = profile(), default_value = "quick")]
    pub profile: Profile,
    /// Time limit for the rounds, for example 2m [default: 75 s; standard: 5 min, thorough: 20 min]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Directory in which files are measured [default: as for run]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Write the record to this file [default: a new file in the state directory]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The form
    #[arg(long, value_parser = Form::among(FORMS), default_value = "terminal")]
    pub format: Form,
    /// Print the result only
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Lint {
    /// A table of measurements in CSV, as `oscope report --format csv` writes it; `-` for standard input
    #[arg(required_unless_present = "rules")]
    pub file: Option<PathBuf>,
    /// Print the rules: what each finds, an example, why it is a mistake, and when a finding is wrong
    #[arg(long, conflicts_with = "file")]
    pub rules: bool,
    /// Facts about the machines: a CSV with the columns report, clock_ghz, l3_bytes, memory_bytes, network, storage
    #[arg(long, value_name = "FILE")]
    pub machines: Option<PathBuf>,
    /// The form
    #[arg(long, value_enum, default_value_t = FindingsForm::Text)]
    pub format: FindingsForm,
}
