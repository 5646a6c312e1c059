//! What an argument may be: the forms of a result, the profiles, and values that are checked where they are typed.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use quantity::Quantity;
use record::{Profile, Trigger};
use report::{EXCHANGES, Exchange, Statistic, Style};
use std::ops::RangeInclusive;
use std::time::Duration;

/// The forms of a result, of which a command may have some.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The tables that a run ends with
    #[default]
    Terminal,
    /// A document for an issue
    Markdown,
    /// One page for a browser, with plots and every detail
    Html,
    /// A paper for pdflatex, with the reports' sections, tables and figures
    Latex,
    /// All of it, for programs
    Json,
    /// One row per point, for scripts
    Csv,
    /// One line per trial in the form of Go's benchmarks, which benchstat reads
    Benchstat,
    /// Metrics for a monitoring system; the text is in Prometheus' format 0.0.4, too
    Openmetrics,
    /// An HDR histogram log of all iterations, of a run with --tail
    Hdr,
    /// Annotations of GitHub's runners
    #[value(skip)]
    Github,
    /// JUnit XML of a comparison, a test case for each point
    #[value(skip)]
    Junit,
    /// The form of another program
    #[value(skip)]
    Exchange(&'static Exchange),
}

impl Form {
    /// The form of a view, on a terminal of this width and style; those that no view has are shown as there.
    pub fn on(self, width: usize, style: Style) -> report::Form {
        match self {
            Self::Terminal
            | Self::Benchstat
            | Self::Openmetrics
            | Self::Hdr
            | Self::Github
            | Self::Junit
            | Self::Exchange(_) => report::Form::Terminal(width, style),
            Self::Markdown => report::Form::Markdown,
            Self::Html => report::Form::Html,
            Self::Latex => report::Form::Latex,
            Self::Json => report::Form::Json,
            Self::Csv => report::Form::Csv,
        }
    }

    /// Reads one of these forms, which need no explanation.
    pub(super) fn among<const N: usize>(forms: [Self; N]) -> impl TypedValueParser<Value = Self> {
        let possible = forms.iter().filter_map(Self::to_possible_value).map(|form| form.help(None));
        PossibleValuesParser::new(possible).try_map(|typed| Self::from_str(&typed, false))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// trials.parquet, curves.parquet, estimates.parquet and facts.parquet, compressed by zstd
    Parquet,
    /// trials.jsonl, curves.jsonl, estimates.jsonl and facts.jsonl
    Jsonl,
    /// results-summary.jsonl, which `sb result` reads
    Superbench,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableForm {
    Text,
    Json,
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsForm {
    Text,
    Json,
    Csv,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CpuClass {
    /// The most capable cores
    Performance,
    /// The least capable cores
    Efficiency,
}

/// Reads a form of a report: one of oscope, or one of another program.
pub(super) fn report_form() -> impl TypedValueParser<Value = Form> {
    let own = Form::value_variants().iter().filter_map(Form::to_possible_value);
    let of_others = EXCHANGES.iter().map(|form| PossibleValue::new(form.name).help(form.about));
    PossibleValuesParser::new(own.chain(of_others)).try_map(|typed| {
        let exchange = EXCHANGES.iter().find(|form| form.name == typed).map(Form::Exchange);
        exchange.map_or_else(|| Form::from_str(&typed, false), Ok)
    })
}

/// What the help says of `--versus`.
pub(super) fn versus_help() -> String {
    format!(
        "Measure every point natively and in this environment, alternating; may be given several times. {}",
        crate::environments::list()
    )
}

/// Reads one of these words, each with its value and what the help says of it.
fn one_of<T, const N: usize>(words: [(&'static str, T, &'static str); N]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let possible = words.each_ref().map(|(word, _, help)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(possible).try_map(move |typed| {
        let found = words.iter().find(|(word, ..)| *word == typed);
        found.map(|(_, value, _)| value.clone()).ok_or("no such value")
    })
}

pub(super) fn profile() -> impl TypedValueParser<Value = Profile> {
    one_of([
        ("quick", Profile::Quick, "A first look: 6 rounds or more, less than half of the time"),
        (
            "standard",
            Profile::Standard,
            "12 rounds or more, 30 s for the processor, 130 s for kernel services",
        ),
        (
            "thorough",
            Profile::Thorough,
            "24 rounds or more, eight times the time, larger points, intervals of 1 %",
        ),
    ])
}

pub(super) fn trigger() -> impl TypedValueParser<Value = Trigger> {
    one_of([
        ("quiet", Trigger::Quiet, "Wait for a quiet core; samples taken meanwhile count"),
        ("off", Trigger::Off, "Do not wait; all samples count"),
        ("sham", Trigger::Sham, "Do not wait; samples count for which the core was quiet in another trial"),
    ])
}

pub(super) fn statistic() -> impl TypedValueParser<Value = Statistic> {
    one_of([
        ("min", Statistic::Minimum, "Smallest"),
        ("mean", Statistic::Mean, "Arithmetic mean"),
        ("max", Statistic::Maximum, "Largest"),
        ("sd", Statistic::Deviation, "Standard deviation"),
    ])
}

/// A value that was read, if it is a right one; else `why` not.
fn checked<T>(
    read: Result<T, quantity::ParseError>,
    is_right: impl FnOnce(&T) -> bool,
    why: &str,
) -> Result<T, String> {
    let value = read.map_err(|error| error.to_string())?;
    if is_right(&value) { Ok(value) } else { Err(why.to_owned()) }
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let why = "the time must be greater than zero, for example 30s";
    checked(quantity::parse_duration(text), |time| !time.is_zero(), why)
}

pub(super) fn frequency(text: &str) -> Result<f64, String> {
    let why = "not the clock of a core; use 10MHz to 100GHz, for example 3GHz";
    checked(quantity::parse_value(text, Quantity::Frequency), |clock| CLOCKS.contains(clock), why)
}

/// Clocks in hertz that a core may have.
const CLOCKS: RangeInclusive<f64> = 1e7..=1e11;

pub(super) fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok().filter(|rate| RATES.contains(rate));
    rate.ok_or_else(|| {
        "must be a number of iterations per second from 0.1 to 1000000, such as 1000".to_owned()
    })
}

/// Iterations per second of a schedule.
const RATES: RangeInclusive<f64> = 0.1..=1e6;

pub(super) fn percent(text: &str) -> Result<f64, String> {
    let why = "must be above 0% and at most 100%, such as 3%";
    checked(quantity::parse_percent(text), |share| *share > 0.0 && *share <= 1.0, why)
}

#[derive(Debug, Args)]
pub(crate) struct TextOrJson {
    /// The form
    #[arg(long, value_enum, default_value_t = PlainForm::Text)]
    format: PlainForm,
    /// Short for --format json
    #[arg(long)]
    json: bool,
}

impl TextOrJson {
    /// Whether JSON is asked for, in either way.
    pub fn is_json(&self) -> bool {
        self.json || self.format == PlainForm::Json
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlainForm {
    Text,
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_have_a_unit_and_are_those_of_cores() {
        assert_eq!(frequency("3GHz"), Ok(3e9));
        assert_eq!(frequency("2600 MHz"), Ok(2.6e9));
        for wrong in ["3", "3 ns", "0GHz", "-3GHz", "3 Hz", "3000 GHz", "fast"] {
            assert!(frequency(wrong).is_err(), "{wrong}");
        }
    }
}
