//! The values of points over the runs of a machine: terminal, documents, CSV, JSON.

mod steps;
mod view;

use crate::cores::level_sign;
use crate::csv::{self, number};
use crate::document::{Block, Form, write};
#[cfg(feature = "schema")]
use crate::json::schema_of;
use crate::json::{Part, all, object, write_document};
use crate::next_run::of_runs;
use crate::style::Paint;
use crate::table::{Column, Columns, Table};
use crate::wording::{joined, many};
use analysis::{PastValue, PointHistory};
use quantity::{show, show_change, show_half_width, show_percent};
use record::Header;
use std::io::{self, Write};
use view::run_of;
pub use view::{HistoryView, PastRun, ShownStep};

/// Version of the JSON document. Fields may be added without changing it, never renamed or given another sense.
const SCHEMA: u32 = 1;

/// Writes a history.
///
/// # Errors
/// When `out` cannot be written.
pub fn history(view: &HistoryView<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Csv => write_csv(view, out),
        Form::Json => write_document(&document(view), out),
        _ => write(&blocks(view, !matches!(form, Form::Latex)), form, out),
    }
}

/// The document. A paper has no characters for strips.
fn blocks(view: &HistoryView<'_>, has_strips: bool) -> Vec<Block> {
    let mut blocks = vec![Block::Title("history".to_owned()), Block::lead(opening(view))];
    blocks.push(steps::block(view));
    let changed = view.runs.iter().filter(|run| !run.changed.is_empty());
    let items: Vec<String> =
        changed.map(|run| format!("{}: {}", run.header.second(), joined(&run.changed, "; "))).collect();
    let most = items.len();
    let changed = (most > 0).then_some(Block::List { items, most });
    blocks.extend(Block::part("changes", changed.into_iter().collect()));
    match view.is_detailed {
        true => blocks.extend(view.points.iter().map(|point| in_detail(point, view.runs, has_strips))),
        false => {
            blocks.extend([in_brief(view.points, has_strips), Block::Text(BRIEF.to_owned(), Paint::Faint)]);
        }
    }
    blocks.extend(view.left_out.iter().map(|text| Block::Text(text.clone(), Paint::Faint)));
    blocks
}

fn opening(view: &HistoryView<'_>) -> String {
    let started = |run: Option<&PastRun<'_>>| run.map_or_else(String::new, |run| run.header.second());
    let (first, last) = (started(view.runs.first()), started(view.runs.last()));
    let runs = many(view.runs.len(), "run");
    match view.runs.len() {
        1 => format!("{runs} on this machine, {last}"),
        _ => format!("{runs} on this machine from {first} to {last}"),
    }
}

/// Characters of a strip in a table, and of one that stands alone.
const STRIP: [usize; 2] = [24, 72];

/// The values of a point as characters, with `│` where its level changed.
fn strip_of(point: &PointHistory, width: usize) -> String {
    let cells = point.strip(width);
    let signs = cells.iter().flat_map(|cell| {
        let change = cell.begins_level.then_some('│');
        change.into_iter().chain([cell.level.map_or(' ', level_sign)])
    });
    signs.collect()
}

/// What the columns of the table of points mean.
const BRIEF: &str = "over time: each point by itself, oldest first, │ where its level changed; range: highest less lowest value, as a share of the median; between runs: the deviation that the interval of \
    the next run counts with; every value of a point: oscope history POINT";

/// A line for each point.
fn in_brief(points: &[PointHistory], has_strips: bool) -> Block {
    let name = Column::name("", 0, 30, usize::MAX).titled("point");
    let value = |point: &PointHistory, value: Option<f64>| {
        value.map(|value| show(value, half_of_newest(point), point.point.quantity)).unwrap_or_default()
    };
    let columns = Columns::new(name, |point: &&PointHistory| point.point.id.to_string())
        .with(Column::number("runs", 1), |point| {
            point.values.iter().filter(|value| value.typical.is_some()).count().to_string()
        })
        .with(Column::number("newest", 0), move |point| {
            value(point, point.values.iter().rev().find_map(|value| value.typical))
        })
        .when(has_strips, |columns| {
            columns.with(Column::word("over time", 1), |point| strip_of(point, STRIP[0]))
        })
        .with(Column::number("median", 1), move |point| value(point, point.spread.map(|[median, ..]| median)))
        .with(Column::number("range", 0), |point| point.range().map(show_percent).unwrap_or_default())
        .with(Column::word("between runs", 2), |point| point.between_runs.map(of_runs).unwrap_or_default());
    Block::Table(Table { is_headed_on_pages: true, ..columns.table_of(points.iter()) })
}

/// Half the interval of the newest value, by which values are rounded.
fn half_of_newest(point: &PointHistory) -> Option<f64> {
    point.values.iter().rev().find_map(PastValue::half)
}

/// Every value of a point.
fn in_detail(history: &PointHistory, runs: &[PastRun<'_>], has_strips: bool) -> Block {
    let drawn = has_strips.then(|| Block::text(strip_of(history, STRIP[1])));
    let quantity = history.point.quantity;
    let started =
        move |value: &&PastValue| run_of(value, runs).map_or_else(String::new, |run| run.header.second());
    let columns = Columns::new(Column::word("run", 0), started)
        .with(Column::number("value", 0), move |value| match value.typical {
            Some(typical) => show(typical, value.half(), quantity),
            None => value.verdict.to_string(),
        })
        .with(Column::number("± in this run", 1), |value| {
            value.half_width().map(show_half_width).unwrap_or_default()
        })
        .with(Column::number("of the median", 2), move |value| {
            history.of_median(value).map(show_change).unwrap_or_default()
        })
        .with(Column::prose("changed", 3, 10, usize::MAX), move |value| changed(value, history, runs));
    let table = Block::Table(Table { is_headed_on_pages: true, ..columns.table_of(history.values.iter()) });
    let says = history.between_runs.map(|between| {
        let range = history.range().map(show_percent).unwrap_or_default();
        Block::Text(
            format!("range {range}; the deviation between runs is {}", of_runs(between)),
            Paint::Faint,
        )
    });
    Block::Part(history.point.id.to_string(), drawn.into_iter().chain([table]).chain(says).collect())
}

/// What changed since the value before: the kernel, the program, the settings, or the operation.
fn changed(value: &PastValue, history: &PointHistory, runs: &[PastRun<'_>]) -> String {
    let before = history.values.iter().rev().find(|before| before.run < value.run);
    let Some(before) = before else { return String::new() };
    let since = runs.get(before.run + 1..=value.run).unwrap_or_default();
    let revision = (before.revision != value.revision)
        .then(|| format!("revision {} → {}", before.revision, value.revision));
    joined(since.iter().flat_map(|run| run.changed.clone()).chain(revision), "; ")
}

/// The columns, in their order. They are never renamed or re-ordered; new ones would come behind them.
const COLUMNS: [&str; 15] = [
    "operation",
    "point",
    "quantity",
    "unit",
    "started",
    "record",
    "verdict",
    "typical",
    "low",
    "high",
    "revision",
    "kernel",
    "program",
    "changed",
    "step",
];

fn write_csv(view: &HistoryView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = view.points.iter().flat_map(|history| {
        history.values.iter().enumerate().map(move |(at, value)| {
            let step = history.steps.iter().find(|step| step.at == at);
            let (point, run) = (&history.point, run_of(value, view.runs));
            let of_run = |text: fn(&PastRun<'_>) -> String| run.map(text).unwrap_or_default();
            vec![
                point.id.operation.clone(),
                point.id.point.clone(),
                point.quantity.contract_name().to_owned(),
                point.quantity.contract_unit().to_owned(),
                of_run(|run| run.header.started.clone()),
                of_run(|run| run.name.clone()),
                value.verdict.to_string(),
                number(value.typical),
                number(value.interval.map(|(low, _)| low)),
                number(value.interval.map(|(_, high)| high)),
                value.revision.to_string(),
                of_run(|run| run.kernel.unwrap_or_default().to_owned()),
                of_run(|run| program(run.header)),
                changed(value, history, view.runs),
                number(step.and_then(|step| Some(step.change.relative_cost()?.value))),
            ]
        })
    });
    csv::write(COLUMNS.map(str::to_owned).to_vec(), rows, out)
}

/// A program with its commit.
fn program(header: &Header) -> String {
    let commit = header.commit.as_ref().map_or_else(String::new, |commit| format!(" ({commit})"));
    format!("{}{commit}", header.program)
}

fn document(view: &HistoryView<'_>) -> impl Part {
    object! {
        schema: SCHEMA,
        runs: all(view.runs, |run| object! {
            record: &run.name,
            header: run.header,
            kernel: run.kernel,
            /// In what it differs from the run before.
            changed: &run.changed,
        }),
        points: all(view.points, point),
        /// The steps of all points.
        steps: all(view.steps, |shown| steps::document(shown, view.runs)),
        /// What is not among the runs.
        left_out: view.left_out,
    }
}

fn point(history: &PointHistory) -> impl Part {
    let point = &history.point;
    object! {
        operation: &point.id.operation,
        point: &point.id.point,
        quantity: point.quantity.contract_name(),
        unit: point.quantity.contract_unit(),
        median: history.spread.map(|[median, ..]| median),
        lowest: history.spread.map(|[_, lowest, _]| lowest),
        highest: history.spread.map(|[.., highest]| highest),
        /// Standard deviation between runs that the interval of the next run counts with, as a share of the value.
        between_runs: history.between_runs.map(|between| between.deviation),
        /// Records that this is estimated from; 0 where it is from the table of classes.
        earlier_records: history.between_runs.map(|between| between.records),
        values: all(&history.values, |value| object! {
            /// The place of the run in `runs`.
            run: value.run,
            revision: value.revision,
            verdict: &value.verdict,
            typical: value.typical,
            low: value.interval.map(|(low, _)| low),
            high: value.interval.map(|(_, high)| high),
        }),
    }
}

/// The schema of the document.
#[cfg(feature = "schema")]
pub fn history_schema() -> schemars::Schema {
    schema_of(&document(&HistoryView {
        runs: &[],
        points: &[],
        is_detailed: true,
        steps: &[],
        left_out: &[],
    }))
}
