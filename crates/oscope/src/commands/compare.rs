//! `oscope compare`: records, or environments of one, side by side, point by point.

mod opened;
pub mod table;

use super::report::labels;
use crate::arguments::{Compare as Arguments, ComparedForm};
use crate::exit::{CliError, Exit, unwritable, usage};
use crate::{Operations, records, select, terminal};
use analysis::{Compared, Comparison, Decision, Limits};
use opened::{Opened, opened};
use quantity::show_percent;
use report::{ComparedRecord, ComparedView, Style};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;

pub fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.table.is_some() {
        return table::run(operations, arguments);
    }
    let paths = paths(arguments)?;
    let (opened, paired) = opened(operations, &paths, &arguments.label, &arguments.only)?;
    let Some((first, others)) = opened.split_first() else {
        return Err(usage("name the records to compare"));
    };
    let limits = Limits {
        least: arguments.least.unwrap_or(Limits::default().least),
        paired,
        ..Limits::default()
    };
    let compared = |other| analysis::compare(&first.compare(), &Opened::compare(other), &limits);
    let others: Vec<(ComparedRecord<'_>, Comparison)> = others
        .iter()
        .map(|other| (other.compared_record(), compared(other)))
        .collect();
    let is_headline = arguments.only.is_empty() && !arguments.all;
    let labels = if is_headline {
        labels(operations)
    } else {
        Vec::new()
    };
    let view = ComparedView {
        first: first.compared_record(),
        others: &others,
        all: arguments.all,
        labels: &labels,
        most: arguments.most.unwrap_or(usize::MAX),
    };
    write(&view, arguments)?;
    judge(&others, &arguments.fail_if)
}

/// The baseline, if one is named, and the records.
fn paths(arguments: &Arguments) -> anyhow::Result<Vec<PathBuf>> {
    let baseline = arguments.baseline.iter().map(|name| records::baseline(name));
    let mut paths = baseline.collect::<anyhow::Result<Vec<PathBuf>>>()?;
    paths.extend(arguments.records.iter().cloned());
    Ok(paths)
}

/// Shows what the differences between two records, or between what a record holds natively and in its environments, are
/// made of.
pub fn explain(
    operations: Operations,
    records: &[PathBuf],
    only: &[String],
    width: usize,
) -> anyhow::Result<()> {
    // What the wanted points are made of need not be wanted.
    let (opened, is_within) = opened(operations, records, &[], &[])?;
    let Some((first, others)) = opened.split_first() else {
        return Ok(());
    };
    if records.len() == 1 && !is_within {
        return Err(usage(format!(
            "{}: it has no environments; 'oscope run --versus NAME' measures in one",
            first.name
        )));
    }
    let mut wanted = first.analysis.clone();
    if !only.is_empty() {
        select::keep(operations, only, &mut wanted)?;
    }
    let mut out = std::io::stdout().lock();
    for other in others {
        let mut points = analysis::decompositions(&first.analysis, &other.analysis);
        points.retain(|point| wanted.row(&point.id).is_some());
        let names = [first.name.as_str(), other.name.as_str()];
        let style = terminal::style_of_output();
        report::decompositions_terminal(names, &points, !only.is_empty(), width, style, &mut out)?;
    }
    Ok(())
}

fn write(view: &ComparedView<'_>, arguments: &Arguments) -> anyhow::Result<()> {
    written(arguments, |width, style, out| {
        show(view, arguments.format, width, style, out)
    })
}

/// Writes to the file that the user named, or to standard output.
fn written(
    arguments: &Arguments,
    write: impl FnOnce(usize, Style, &mut dyn Write) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    match &arguments.output {
        None => {
            let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
            write(width, style, &mut std::io::stdout().lock())?;
        }
        Some(file) => {
            let wrap = |error: std::io::Error| unwritable(file, &error);
            let mut out = BufWriter::new(File::create(file).map_err(wrap)?);
            write(120, Style::default(), &mut out).map_err(wrap)?;
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
        ComparedForm::Latex => report::comparison_latex(view, out),
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
    let each = rules
        .iter()
        .flat_map(|rule| others.iter().map(move |other| (rule, other)));
    for (rule, (other, comparison)) in each {
        let met: Vec<String> = comparison
            .points
            .iter()
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
        let place = match others.len() {
            1 => String::new(),
            _ => format!(" in {}", other.name),
        };
        eprintln!("oscope: {word}{least}{place}: {}", met.join(", "));
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
