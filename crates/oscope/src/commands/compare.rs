//! `oscope compare`: records, or environments of one, side by side, point by point.

mod subjects;
pub mod table;

use crate::arguments::{ChangeRule, Compare as Arguments};
use crate::exit::{Exit, nothing, unusable, usage};
use crate::operation_list::labels;
use crate::{Operations, baselines, output, select, terminal};
use analysis::{Comparison, Decision, Limits};
use report::{ComparedRecord, ComparedView, Page};
use std::path::PathBuf;
use subjects::analysed;

pub fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.table.is_some() {
        return table::run(operations, arguments);
    }
    let baseline = arguments.baseline.iter().map(|name| baselines::saved(name));
    let paths =
        baseline.chain(arguments.records.iter().cloned().map(Ok)).collect::<anyhow::Result<Vec<_>>>()?;
    let (analysed, paired) = analysed(operations, &paths, &arguments.label, &arguments.only)?;
    let Some(((first, natively), others)) = analysed.split_first() else {
        return Err(usage("name the records to compare"));
    };
    let limits =
        Limits { least: arguments.least.unwrap_or(Limits::default().least), paired, ..Limits::default() };
    let compared = others.iter().map(|(other, analysis)| {
        let comparison = analysis::compare(&first.compare(natively), &other.compare(analysis), &limits);
        (other.compared_record(), comparison)
    });
    let others: Vec<(ComparedRecord<'_>, Comparison)> = compared.collect();
    let is_headline = arguments.only.is_empty() && !arguments.all;
    let view = ComparedView {
        first: first.compared_record(),
        others: &others,
        all: arguments.all,
        labels: &if is_headline { labels(operations) } else { Vec::new() },
        most: arguments.most.unwrap_or(usize::MAX),
    };
    output::write(&arguments.output, output::marks(arguments.format), |width, style, out| {
        report::comparison(&view, arguments.format.on(width, style), out)
    })?;
    judge(&others, &arguments.fail_if)
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
    let (analysed, paired) = analysed(operations, records, &[], &[])?;
    let Some(((first, natively), others)) = analysed.split_first() else {
        return Ok(());
    };
    if let ([path], false) = (records, paired) {
        return Err(unusable(path, "it has no environments; 'oscope run --versus NAME' measures in one"));
    }
    let mut wanted = natively.clone();
    if !only.is_empty() {
        select::keep(operations, only, &mut [(&first.name, &mut wanted)])?;
    }
    let mut out = std::io::stdout().lock();
    for (other, analysis) in others {
        let mut points = analysis::decompositions(natively, analysis);
        points.retain(|point| wanted.row(&point.id).is_some());
        let names = [first.name.as_str(), other.name.as_str()];
        let page = &mut Page::new(width, terminal::style_of_output(), &mut out);
        report::decompositions_terminal(names, &points, !only.is_empty(), page)?;
    }
    Ok(())
}

/// Ends with the code for findings where a rule is met, and says by which points.
fn judge(others: &[(ComparedRecord<'_>, Comparison)], rules: &[ChangeRule]) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    let each = rules.iter().flat_map(|rule| others.iter().map(move |other| (rule, other)));
    for (rule, (other, comparison)) in each {
        let met = comparison.points.iter().filter(|point| rule.is_met(point));
        let met: Vec<String> = met.map(|point| point.id.to_string()).collect();
        if met.is_empty() {
            continue;
        }
        exit = Exit::Findings;
        let place = if others.len() == 1 { String::new() } else { format!(" in {}", other.name) };
        eprintln!("oscope: {rule}{place}: {}", met.join(", "));
    }
    let mut points = others.iter().flat_map(|(_, comparison)| &comparison.points);
    if points.all(|point| point.decision == Decision::Incomparable) {
        return Err(nothing("the records have no point that can be compared"));
    }
    Ok(exit)
}
