//! `oscope compare`: records, or environments of one, side by side, point by point.

mod opened;
mod output;
pub mod table;

use crate::arguments::{Compare as Arguments, ComparedForm, Rule};
use crate::exit::{CliError, Exit, usage};
use crate::labels::labels;
use crate::{Operations, records, select, terminal};
use analysis::{Comparison, Decision, Limits};
use opened::{Opened, opened};
use output::written;
use report::{ComparedRecord, ComparedView, Form, Style};
use std::io::Write;
use std::path::PathBuf;

pub fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.table.is_some() {
        return table::run(operations, arguments);
    }
    let paths = paths(arguments)?;
    let (opened, paired) = opened(operations, &paths, &arguments.label, &arguments.only)?;
    let Some((first, others)) = opened.split_first() else {
        return Err(usage("name the records to compare"));
    };
    let limits =
        Limits { least: arguments.least.unwrap_or(Limits::default().least), paired, ..Limits::default() };
    let compared = |other| analysis::compare(&first.compare(), &Opened::compare(other), &limits);
    let others: Vec<(ComparedRecord<'_>, Comparison)> =
        others.iter().map(|other| (other.compared_record(), compared(other))).collect();
    let is_headline = arguments.only.is_empty() && !arguments.all;
    let labels = if is_headline { labels(operations) } else { Vec::new() };
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
    written(arguments, |width, style, out| show(view, arguments.format, width, style, out))
}

fn show(
    view: &ComparedView<'_>,
    form: ComparedForm,
    width: usize,
    style: Style,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let form = match form {
        ComparedForm::Terminal => Form::Terminal(width, style),
        ComparedForm::Markdown => Form::Markdown,
        ComparedForm::Html => Form::Html,
        ComparedForm::Latex => Form::Latex,
        ComparedForm::Json => Form::Json,
        ComparedForm::Csv => Form::Csv,
    };
    report::comparison(view, form, out)
}

/// Ends with the code for findings where a rule is met, and says by which points.
fn judge(others: &[(ComparedRecord<'_>, Comparison)], rules: &[Rule]) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    let each = rules.iter().flat_map(|rule| others.iter().map(move |other| (rule, other)));
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
        let place = match others.len() {
            1 => String::new(),
            _ => format!(" in {}", other.name),
        };
        eprintln!("oscope: {rule}{place}: {}", met.join(", "));
    }
    let mut points = others.iter().flat_map(|(_, comparison)| &comparison.points);
    if points.all(|point| point.decision == Decision::Incomparable) {
        return Err(
            CliError(Exit::Nothing, "the records have no point that can be compared".to_owned()).into()
        );
    }
    Ok(exit)
}
