//! The values of points over the runs of a machine: terminal, documents, CSV, JSON.

use crate::csv::{self, number};
use crate::document::{Block, Form, write};
#[cfg(feature = "schema")]
use crate::json::schema_of;
use crate::json::{Part, all, object, write_document};
use crate::next_run::deviation;
use crate::style::Paint;
use crate::table::{Column, Columns};
use crate::wording::{joined, many};
use analysis::{PastValue, PointHistory};
use quantity::{show, show_change, show_half_width, show_percent};
use record::Header;
use std::io::{self, Write};

/// Version of the JSON document. Fields may be added without changing it, never renamed or given another sense.
const SCHEMA: u32 = 1;

/// A run of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRun<'a> {
    /// What its record is called.
    pub name: String,
    /// Which program, when.
    pub header: &'a Header,
    /// The release of the kernel.
    pub kernel: Option<&'a str>,
    /// In what it differs from the run before, in words.
    pub changed: Vec<String>,
}

/// What a history shows.
#[derive(Debug, Clone, Copy)]
pub struct HistoryView<'a> {
    /// The runs in order of time.
    pub runs: &'a [PastRun<'a>],
    /// The points.
    pub points: &'a [PointHistory],
    /// Whether each value is shown, or a line for each point.
    pub is_detailed: bool,
    /// What is not among the runs, in words.
    pub left_out: &'a [String],
}

/// Writes a history.
///
/// # Errors
/// When `out` cannot be written.
pub fn history(view: &HistoryView<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Csv => write_csv(view, out),
        Form::Json => write_document(&document(view), out),
        _ => write(&blocks(view), form, out),
    }
}

fn blocks(view: &HistoryView<'_>) -> Vec<Block> {
    let mut blocks = vec![Block::Title("history".to_owned()), Block::lead(opening(view))];
    let changed = view.runs.iter().filter(|run| !run.changed.is_empty());
    let items: Vec<String> =
        changed.map(|run| format!("{}: {}", run.header.started, joined(&run.changed, "; "))).collect();
    let most = items.len();
    let changed = (most > 0).then_some(Block::List { items, most });
    blocks.extend(Block::part("changes", changed.into_iter().collect()));
    match view.is_detailed {
        true => blocks.extend(view.points.iter().map(|point| in_detail(point, view.runs))),
        false => blocks.extend([in_brief(view.points), Block::Text(BRIEF.to_owned(), Paint::Faint)]),
    }
    blocks.extend(view.left_out.iter().map(|text| Block::Text(text.clone(), Paint::Faint)));
    blocks
}

fn opening(view: &HistoryView<'_>) -> String {
    let started = |run: Option<&PastRun<'_>>| run.map_or("", |run| run.header.started.as_str()).to_owned();
    let (first, last) = (started(view.runs.first()), started(view.runs.last()));
    let runs = many(view.runs.len(), "run");
    match view.runs.len() {
        1 => format!("{runs} on this machine, {last}"),
        _ => format!("{runs} on this machine from {first} to {last}"),
    }
}

/// What the columns of the table of points mean.
const BRIEF: &str = "range: highest less lowest value, as a share of the median; between runs: the deviation that the interval of \
    the next run counts with; every value of a point: oscope report history POINT";

/// A line for each point.
fn in_brief(points: &[PointHistory]) -> Block {
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
        .with(Column::number("median", 1), move |point| value(point, point.spread.map(|[median, ..]| median)))
        .with(Column::number("range", 0), |point| point.range().map(show_percent).unwrap_or_default())
        .with(Column::word("between runs", 2), |point| point.between_runs.map(deviation).unwrap_or_default());
    Block::Table(columns.table_of(points.iter()))
}

/// Half the interval of the newest value, by which values are rounded.
fn half_of_newest(point: &PointHistory) -> Option<f64> {
    point.values.iter().rev().find_map(PastValue::half)
}

/// Every value of a point.
fn in_detail(history: &PointHistory, runs: &[PastRun<'_>]) -> Block {
    let quantity = history.point.quantity;
    let started =
        move |value: &&PastValue| run_of(value, runs).map_or("", |run| &run.header.started).to_owned();
    let columns = Columns::new(Column::word("run", 0), started)
        .with(Column::number("value", 0), move |value| match value.typical {
            Some(typical) => show(typical, value.half(), quantity),
            None => value.verdict.clone(),
        })
        .with(Column::number("± in this run", 1), |value| {
            value.half_width().map(show_half_width).unwrap_or_default()
        })
        .with(Column::number("of the median", 2), move |value| {
            history.of_median(value).map(show_change).unwrap_or_default()
        })
        .with(Column::prose("changed", 3, 10, usize::MAX), move |value| changed(value, history, runs));
    let table = Block::Table(columns.table_of(history.values.iter()));
    let says = history.between_runs.map(|between| {
        let range = history.range().map(show_percent).unwrap_or_default();
        Block::Text(
            format!("range {range}; the deviation between runs is {}", deviation(between)),
            Paint::Faint,
        )
    });
    Block::Part(history.point.id.to_string(), std::iter::once(table).chain(says).collect())
}

fn run_of<'r>(value: &PastValue, runs: &'r [PastRun<'r>]) -> Option<&'r PastRun<'r>> {
    runs.get(value.run)
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
const COLUMNS: [&str; 14] = [
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
];

fn write_csv(view: &HistoryView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = view.points.iter().flat_map(|history| {
        history.values.iter().map(move |value| {
            let (point, run) = (&history.point, run_of(value, view.runs));
            let of_run = |text: fn(&PastRun<'_>) -> String| run.map(text).unwrap_or_default();
            vec![
                point.id.operation.clone(),
                point.id.point.clone(),
                point.quantity.contract_name().to_owned(),
                point.quantity.contract_unit().to_owned(),
                of_run(|run| run.header.started.clone()),
                of_run(|run| run.name.clone()),
                value.verdict.clone(),
                number(value.typical),
                number(value.interval.map(|interval| interval.low)),
                number(value.interval.map(|interval| interval.high)),
                value.revision.to_string(),
                of_run(|run| run.kernel.unwrap_or_default().to_owned()),
                of_run(|run| program(run.header)),
                changed(value, history, view.runs),
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
            low: value.interval.map(|interval| interval.low),
            high: value.interval.map(|interval| interval.high),
        }),
    }
}

/// The schema of the document.
#[cfg(feature = "schema")]
pub fn history_schema() -> schemars::Schema {
    schema_of(&document(&HistoryView { runs: &[], points: &[], is_detailed: true, left_out: &[] }))
}
