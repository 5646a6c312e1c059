//! `oscope report history`: the values of points over the runs of a machine.

use crate::arguments::{Form, Report};
use crate::exit::{Exit, nothing, usage};
use crate::history::{Differs, History, PastRun};
use crate::operation_list::operation;
use crate::{Operations, output, records, select};
use analysis::{Analysis, EarlierRuns, PointHistory, Row};
use record::{Machine, PlannedPoint, PointId, SummaryRow};
use report::HistoryView;
use std::collections::HashSet;
use std::path::Path;

/// Points of which every value is shown; of more, a line each.
const FEW: usize = 3;

pub(super) fn run(
    operations: Operations,
    arguments: &Report,
    named: Option<&Path>,
    words: &[String],
) -> anyhow::Result<Exit> {
    refuse(arguments)?;
    let mut history = History::read(arguments.history.folder())?;
    history.warn();
    let newest = match named {
        Some(path) => Some(history.take(path)?),
        None => history.newest().cloned(),
    };
    let Some(newest) = newest else {
        return Err(nothing(
            "there is no record with estimates in the directory; make one with 'oscope run'",
        ));
    };
    let (runs, left_out) = runs_of_the_machine(&history, &newest);
    let points = points(operations, &runs, words)?;
    let rows: Vec<&[SummaryRow]> = runs.iter().map(|run| run.rows.as_slice()).collect();
    let alike = alike(&runs, &newest);
    let points: Vec<PointHistory> =
        points.into_iter().map(|point| PointHistory::new(point, &rows, &alike)).collect();
    let view = HistoryView {
        runs: &shown(&runs),
        is_detailed: arguments.full || points.len() <= FEW,
        points: &points,
        left_out: &left_out,
    };
    let form = arguments.format;
    output::write(&arguments.output, output::marks(form), |width, style, out| {
        report::history(&view, form.on(width, style), out)
    })?;
    Ok(Exit::Success)
}

/// Fails when something is asked for that a history does not have.
fn refuse(arguments: &Report) -> anyhow::Result<()> {
    if matches!(arguments.format, Form::Benchstat | Form::Openmetrics | Form::Hdr) {
        return Err(usage("history has the forms terminal, markdown, html, latex, json and csv"));
    }
    let tables = &arguments.tables;
    let is_table = tables.table.is_some() || tables.trials || !tables.columns.is_empty();
    if is_table || tables.predictions.is_some() || arguments.clock.is_some() || arguments.trigger.is_some() {
        return Err(usage(
            "history shows what the runs came to: leave out --table, --columns, --trials, --predictions, \
            --clock and --trigger",
        ));
    }
    Ok(())
}

/// The runs on the machine of this one in order of time, and how many others there are, in words.
fn runs_of_the_machine<'h>(history: &'h History, newest: &PastRun) -> (Vec<&'h PastRun>, Vec<String>) {
    let is_of_the_machine = |run: &&PastRun| {
        let differences = run.conditions().differences(newest.conditions());
        !differences.iter().any(|one| matches!(one, Differs::Machine(_)))
    };
    let mut runs: Vec<&PastRun> = history.runs.iter().filter(is_of_the_machine).collect();
    runs.sort_by(|one, other| one.header.started.cmp(&other.header.started));
    let others = history.runs.len() - runs.len();
    let others =
        (others > 0).then(|| format!("not shown: {} of other machines", report::many(others, "record")));
    let older =
        (history.left_out > 0).then(|| format!("not read: {}", report::many(history.left_out, "older file")));
    (runs, others.into_iter().chain(older).collect())
}

/// What the runs say that were measured as the newest one.
fn alike(runs: &[&PastRun], newest: &PastRun) -> EarlierRuns {
    let mut alike = EarlierRuns::default();
    let same = runs.iter().filter(|run| run.conditions().differences(newest.conditions()).is_empty());
    same.for_each(|run| alike.add(&run.rows));
    alike
}

/// The points of these runs that are meant, those of the newest run first.
fn points(operations: Operations, runs: &[&PastRun], words: &[String]) -> anyhow::Result<Vec<PlannedPoint>> {
    let mut known: HashSet<&PointId> = HashSet::new();
    let rows = runs.iter().rev().flat_map(|run| &run.rows).filter(|row| known.insert(&row.id));
    let points = rows.map(|row| {
        let area = operation(operations, &row.id.operation).map_or("", |operation| operation.area.name());
        let (area, quantity, revision) = (area.to_owned(), row.quantity, row.revision);
        Row::new(PlannedPoint { area, quantity, revision, ..PlannedPoint::new(row.id.clone()) })
    });
    let mut all = Analysis { rows: points.collect(), ..Analysis::default() };
    if !words.is_empty() {
        select::keep(operations, words, &mut [("the records", &mut all)])?;
    }
    Ok(all.rows.into_iter().map(|row| row.point).collect())
}

/// The runs as they are shown, each with what changed since the one before.
fn shown<'r>(runs: &[&'r PastRun]) -> Vec<report::PastRun<'r>> {
    let before = std::iter::once(None).chain(runs.iter().map(Some));
    let shown = runs.iter().zip(before).map(|(run, before)| report::PastRun {
        name: records::name_of(&run.path),
        header: &run.header,
        kernel: run.machine.text("kernel.release"),
        changed: before.map(|before| changes(before, run)).unwrap_or_default(),
    });
    shown.collect()
}

/// In what a run differs from the one before it, in words.
fn changes(before: &PastRun, run: &PastRun) -> Vec<String> {
    let differences = run.conditions().differences(before.conditions());
    let words = differences.into_iter().map(|differs| match differs {
        Differs::Machine(key) | Differs::Libraries(key) => between(key, key, before, run),
        Differs::Kernel(key) => between("kernel", key, before, run),
        Differs::Program => {
            let [before, now] = [before, run].map(|run| {
                let commit = run.header.commit.as_ref();
                format!(
                    "{}{}",
                    run.header.program,
                    commit.map_or_else(String::new, |commit| format!(" ({commit})"))
                )
            });
            format!("oscope {before} → {now}")
        }
        Differs::Settings(name) => format!("another {name}"),
    });
    words.collect()
}

/// A fact in the run before, and in this one.
fn between(name: &str, key: &str, before: &PastRun, run: &PastRun) -> String {
    let known = |machine: &Machine| {
        machine.get(key).and_then(report::fact_value).unwrap_or_else(|| "unknown".to_owned())
    };
    format!("{name} {} → {}", known(&before.machine), known(&run.machine))
}
