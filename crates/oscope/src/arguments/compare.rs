//! Arguments of `oscope compare`.

use super::at::{At, parse_at};
use super::values::{duration, percent};
use super::{ChangeRule, Form, HistoryFolder, Output, TableName};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// The forms of a comparison.
const FORMS: [Form; 6] = [Form::Terminal, Form::Markdown, Form::Html, Form::Latex, Form::Json, Form::Csv];

/// Reads a form of a comparison.
pub(super) fn comparison_form() -> impl TypedValueParser<Value = Form> {
    const GITHUB: &str = "github";
    const JUNIT: &str = "junit";
    let own = FORMS.iter().filter_map(Form::to_possible_value).map(|form| form.help(None));
    let of_others = [GITHUB, JUNIT].map(PossibleValue::new);
    PossibleValuesParser::new(own.chain(of_others)).try_map(|typed| match &*typed {
        GITHUB => Ok(Form::Github),
        JUNIT => Ok(Form::Junit),
        typed => Form::from_str(typed, false),
    })
}

#[derive(Debug, Args, Default)]
pub(crate) struct Compare {
    /// The records: each is compared with the first. Of one record, every environment is compared with the native points; if
    /// it has no environments, it is compared with the newest record, which must be another one
    #[arg(required_unless_present = "baseline", value_name = "RECORD")]
    pub records: Vec<PathBuf>,
    /// Several runs on each side: the records before are those of the first side, these are those of the second. What runs
    /// differ by is in every interval; where the runs of both sides alternate, the nth of one is compared with the nth of
    /// the other. --label names the sides
    #[arg(long, value_name = "RECORD", num_args = 1.., conflicts_with = "table")]
    pub with: Vec<PathBuf>,
    /// Compare with this baseline, which `oscope baseline` saved: its records are the first side; without a record, the newest
    /// one is compared
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// Compare what `oscope watch --keep DIR` kept before and after this moment: a time of day (03:12, UTC), which means the last
    /// one, or 2026-11-27T03:12:00Z. The record is the directory
    #[arg(long, value_name = "TIME", value_parser = parse_at, conflicts_with_all = ["baseline", "label", "table"])]
    pub at: Option<At>,
    /// How much before and after that moment
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h")]
    pub window: Duration,
    /// Name of a record, once for each, in their order [default: the name of its file]
    #[arg(long, value_name = "NAME")]
    pub label: Vec<String>,
    /// Compare only these points: areas, operations or points, as for `run`
    #[arg(long, value_name = "SELECTION")]
    pub only: Vec<String>,
    /// Smallest change that counts, for example 2% [default: 1%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub least: Option<f64>,
    /// Also list the points that are the same or undecided
    #[arg(long)]
    pub all: bool,
    /// List at most N points, the largest changes first
    #[arg(long, value_name = "N")]
    pub most: Option<usize>,
    /// Exit with 1 when a point is shown to be `slower`, `faster` or `changed` by this share or more (slower:3%: the whole
    /// interval is beyond 3 %); when it is `undecided`: a change of this share is neither shown nor excluded (undecided:3%); or when
    /// it is `lost`: it has a number in the first record and none in the second, or the second run did not end. Repeatable
    #[arg(long, value_name = "RULE")]
    pub fail_if: Vec<ChangeRule>,
    /// End as `git bisect run` expects: 1 only for a change that is shown; 125, which skips the revision, where the last record
    /// cannot be read, no point can be compared, or points are `lost` or `undecided` in the way of a --fail-if; 128, which ends
    /// the bisection, for wrong arguments and other records
    #[arg(long, requires = "fail_if")]
    pub bisect: bool,
    /// Show 2 to 30 records in one table as `oscope report --table` has it, each with its own predictions, and whose were
    /// closest
    #[arg(long, value_enum, value_name = "TABLE", conflicts_with_all = ["baseline", "only", "least", "all", "most", "fail_if", "bisect"])]
    pub table: Option<TableName>,
    #[command(flatten)]
    pub history: HistoryFolder,
    /// The form
    #[arg(long, value_parser = comparison_form(), default_value = "terminal")]
    pub format: Form,
    #[command(flatten)]
    pub output: Output,
}
