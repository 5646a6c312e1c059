//! `oscope compare`: records, or environments of one, side by side, point by point.

mod halves;
mod subjects;
pub mod table;

use crate::arguments::{ChangeRule, Compare as Arguments, HistoryFolder};
use crate::exit::{Exit, nothing, skipped, unusable, usage};
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
    let ended = compared(operations, arguments);
    if arguments.bisect { ended.map_err(skipped) } else { ended }
}

fn compared(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    let baseline = arguments.baseline.iter().map(|name| baselines::saved(name));
    let paths =
        baseline.chain(arguments.records.iter().cloned().map(Ok)).collect::<anyhow::Result<Vec<_>>>()?;
    let (analysed, paired) = match (arguments.at, paths.as_slice()) {
        (None, _) => analysed(operations, &paths, &arguments.label, &arguments.only, &arguments.history)?,
        (Some(at), [folder]) => {
            let mut around = subjects::around(folder, at, arguments.window)?;
            if !arguments.only.is_empty() {
                let named = around.iter_mut().map(|(subject, analysis)| (subject.name.as_str(), analysis));
                select::keep(operations, &arguments.only, &mut named.collect::<Vec<_>>())?;
            }
            (around, false)
        }
        (Some(_), _) => {
            return Err(usage("with --at, name the one directory that 'oscope watch --keep' wrote"));
        }
    };
    let Some(((first, natively), subjects)) = analysed.split_first() else {
        return Err(usage("name the records to compare"));
    };
    let limits =
        Limits { least: arguments.least.unwrap_or(Limits::default().least), paired, ..Limits::default() };
    let others = subjects.iter().map(|(other, analysis)| {
        let comparison = analysis::compare(&first.compare(natively), &other.compare(analysis), &limits);
        (other.compared_record(), comparison)
    });
    let others: Vec<(ComparedRecord<'_>, Comparison)> = others.collect();
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
    let unfinished = subjects.iter().map(|(subject, _)| subject.unfinished);
    let judged: Vec<Judged<'_>> = others
        .iter()
        .zip(unfinished)
        .map(|((record, comparison), unfinished)| Judged { name: record.name, comparison, unfinished })
        .collect();
    judge(&judged, &arguments.fail_if, arguments.bisect)
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
    let (analysed, paired) = analysed(operations, records, &[], &[], &HistoryFolder::default())?;
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

/// A record that is judged against the first.
struct Judged<'a> {
    name: &'a str,
    comparison: &'a Comparison,
    /// Why its run has not ended by itself.
    unfinished: Option<&'static str>,
}

impl Judged<'_> {
    /// The points that a rule finds, in words.
    fn found(&self, rule: &ChangeRule) -> Vec<String> {
        let met = self.comparison.points.iter().filter(|point| rule.is_met(point));
        let mut found: Vec<String> = met.map(report::compared_words).collect();
        if rule.is_of_lost() {
            let absent = self.comparison.absent.iter();
            found.extend(absent.map(|id| format!("{id} (not in the second)")));
            found.extend(self.unfinished.map(str::to_owned));
        }
        found
    }
}

/// Ends with the code for findings where a rule is met, and says by which points. Where a bisection asks, only what is shown is a
/// finding, and what is missing skips the revision.
fn judge(others: &[Judged<'_>], rules: &[ChangeRule], is_bisection: bool) -> anyhow::Result<Exit> {
    let (mut is_shown, mut is_missing) = (false, false);
    for (rule, other) in rules.iter().flat_map(|rule| others.iter().map(move |other| (rule, other))) {
        let found = other.found(rule);
        if found.is_empty() {
            continue;
        }
        is_shown |= rule.is_of_shown();
        is_missing |= !rule.is_of_shown();
        let place = if others.len() == 1 { String::new() } else { format!(" in {}", other.name) };
        eprintln!("oscope: {rule}{place}: {}", found.join(", "));
    }
    let mut points = others.iter().flat_map(|other| &other.comparison.points);
    if points.all(|point| point.decision == Decision::Incomparable) {
        return Err(nothing("the records have no point that can be compared"));
    }
    Ok(match (is_shown, is_missing) {
        (false, false) => Exit::Success,
        (false, true) if is_bisection => Exit::Skip,
        _ => Exit::Findings,
    })
}
