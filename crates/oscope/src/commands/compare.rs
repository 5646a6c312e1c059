//! `oscope compare`: records side by side, point by point.

use super::report::read;
use crate::arguments::{Compare as Arguments, ComparedForm};
use crate::exit::{CliError, Exit, unwritable, usage};
use crate::{Operations, records, select, terminal};
use analysis::{Analysis, Analyst, Compare, Compared, Comparison, Decision, Limits};
use quantity::show_percent;
use record::{Plan, Record};
use report::{ComparedRecord, ComparedView, Style};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A record with what it says.
struct Opened {
    name: String,
    record: Record,
    plan: Plan,
    analysis: Analysis,
}

/// A record before its values are given at a clock.
struct Read {
    name: String,
    record: Record,
    plan: Plan,
    analyst: Analyst,
}

impl Read {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let record = read(path)?;
        let Some(plan) = record.plan.clone() else {
            return Err(usage(format!(
                "{}: the run ended before its plan was written: there is nothing to compare",
                path.display()
            )));
        };
        Ok(Self {
            name: path.display().to_string(),
            analyst: Analyst::of(&record, &plan),
            record,
            plan,
        })
    }

    /// With values at this clock of the core, or at its own, of the points that are wanted.
    fn opened(
        self,
        clock_hz: Option<f64>,
        operations: Operations,
        only: &[String],
    ) -> anyhow::Result<Opened> {
        let mut analysis = self.analyst.at_clock(clock_hz).analysis();
        if !only.is_empty() {
            select::keep(operations, only, &mut analysis)?;
        }
        Ok(Opened {
            name: self.name,
            record: self.record,
            plan: self.plan,
            analysis,
        })
    }
}

impl Opened {
    fn compared_record(&self) -> ComparedRecord<'_> {
        ComparedRecord {
            name: &self.name,
            header: &self.record.header,
            machine: &self.record.machine,
            plan: &self.plan,
        }
    }

    fn compare(&self) -> Compare<'_> {
        Compare {
            machine: &self.record.machine,
            plan: &self.plan,
            analysis: &self.analysis,
        }
    }
}

pub fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    let read = paths(arguments)?
        .iter()
        .map(|path| Read::open(path))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let clocks = read
        .iter()
        .map(|read| (&read.record.machine, read.analyst.clock()));
    let clock = analysis::common_clock(&clocks.collect::<Vec<_>>());
    let opened = read
        .into_iter()
        .map(|read| read.opened(clock, operations, &arguments.only));
    let opened = opened.collect::<anyhow::Result<Vec<Opened>>>()?;
    let Some((first, others)) = opened.split_first() else {
        return Err(usage("name the records to compare"));
    };
    let limits = Limits {
        least: arguments.least.unwrap_or(Limits::default().least),
        ..Limits::default()
    };
    let compared = |other| analysis::compare(&first.compare(), &Opened::compare(other), &limits);
    let others: Vec<(ComparedRecord<'_>, Comparison)> = others
        .iter()
        .map(|other| (other.compared_record(), compared(other)))
        .collect();
    let view = ComparedView {
        first: first.compared_record(),
        others: &others,
        all: arguments.all,
    };
    write(&view, arguments)?;
    judge(&others, &arguments.fail_if)
}

/// The records that are named; with one, the newest beside it.
fn paths(arguments: &Arguments) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = arguments.records.clone();
    if paths.len() == 1 {
        paths.push(records::newest()?);
    }
    Ok(paths)
}

fn write(view: &ComparedView<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.output {
        None => {
            let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
            show(
                view,
                arguments.format,
                width,
                style,
                &mut std::io::stdout().lock(),
            )?;
        }
        Some(file) => {
            let wrap = |error: std::io::Error| unwritable(file, &error);
            let mut out = BufWriter::new(File::create(file).map_err(wrap)?);
            show(view, arguments.format, 120, Style::default(), &mut out).map_err(wrap)?;
            out.flush().map_err(wrap)?;
        }
    }
    Ok(())
}

fn show(
    view: &ComparedView<'_>,
    form: ComparedForm,
    width: usize,
    style: Style,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    match form {
        ComparedForm::Terminal => report::comparison_terminal(view, width, style, out),
        ComparedForm::Markdown => report::comparison_markdown(view, out),
        ComparedForm::Html => report::comparison_html(view, out),
        ComparedForm::Json => report::comparison_json(view, out),
        ComparedForm::Csv => report::comparison_csv(view, out),
    }
}

/// A change with which the command fails: `slower:3%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    what: Which,
    least: f64,
}

/// Which changes a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Slower,
    Faster,
    Changed,
    Undecided,
}

impl Which {
    const ALL: [(&'static str, Self); 4] = [
        ("slower", Self::Slower),
        ("faster", Self::Faster),
        ("changed", Self::Changed),
        ("undecided", Self::Undecided),
    ];

    fn is(self, decision: Decision) -> bool {
        match self {
            Self::Slower => decision == Decision::Slower,
            Self::Faster => decision == Decision::Faster,
            Self::Changed => decision.is_change(),
            Self::Undecided => decision == Decision::Unclear,
        }
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, least) = text.split_once(':').unwrap_or((text, "0%"));
        let what = Which::ALL.iter().find(|(name, _)| *name == word);
        let (_, what) =
            what.ok_or("a rule is slower, faster or changed and a share (slower:3%), or undecided")?;
        let least = quantity::parse_percent(least).map_err(|error| error.to_string())?;
        Ok(Self { what: *what, least })
    }
}

impl Rule {
    /// Whether a point is shown to have changed so, and by so much.
    fn is_met(&self, point: &Compared) -> bool {
        let is_far = |cost: f64| cost.max(1.0 / cost) >= 1.0 + self.least;
        let is_far = self.what == Which::Undecided || point.cost().is_none_or(is_far);
        self.what.is(point.decision) && is_far
    }
}

/// Ends with the code for findings where a rule is met, and says by which points.
fn judge(others: &[(ComparedRecord<'_>, Comparison)], rules: &[Rule]) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    for rule in rules {
        let points = others.iter().flat_map(|(_, comparison)| &comparison.points);
        let met: Vec<String> = points
            .filter(|point| rule.is_met(point))
            .map(|point| point.id.to_string())
            .collect();
        if met.is_empty() {
            continue;
        }
        exit = Exit::Findings;
        let (word, _) = Which::ALL
            .iter()
            .find(|(_, which)| *which == rule.what)
            .copied()
            .unwrap_or(("changed", Which::Changed));
        let least = match rule.what {
            Which::Undecided => String::new(),
            _ => format!(" by {} or more", show_percent(rule.least)),
        };
        eprintln!("oscope: {word}{least}: {}", met.join(", "));
    }
    let mut points = others.iter().flat_map(|(_, comparison)| &comparison.points);
    if points.all(|point| point.decision == Decision::Incomparable) {
        return Err(CliError(
            Exit::Nothing,
            "the records have no point that can be compared".to_owned(),
        )
        .into());
    }
    Ok(exit)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rules_are_read() {
        let rule: Rule = "slower:3%".parse().unwrap();
        assert_eq!((rule.what, rule.least), (Which::Slower, 0.03));
        assert_eq!("changed".parse::<Rule>().unwrap().least, 0.0);
        assert!("worse:3%".parse::<Rule>().is_err());
        assert!("slower:fast".parse::<Rule>().is_err());
    }
}
