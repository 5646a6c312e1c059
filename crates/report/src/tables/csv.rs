//! Tables for scripts: numbers in base units with all digits. What is not known is an empty field.

use super::lines::{Lines, TableRecord, word};
use super::missing;
use super::row::TableRow;
use super::statistics::Statistic;
use crate::csv::{number, write};
use crate::{View, cells, reasons};
use analysis::Row;
use record::UserPrediction;
use std::io::{self, Write};

/// The name of a column, and what it says of a row.
type NamedField = (&'static str, fn(&View<'_>, &TableRow<'_>) -> String);

/// The columns of the reports' table, in their order; those of the statistics stand behind them.
const COLUMNS: [NamedField; 19] = [
    ("row", |view, of| of.label(view)),
    ("area", |_, of| of.summary.area.to_owned()),
    ("operation", |_, of| of.summary.operation.to_owned()),
    ("point", |_, of| of.summary.point.to_owned()),
    ("quantity", |_, of| of.text(|row| row.quantity().contract_name().to_owned())),
    ("unit", |_, of| of.text(|row| row.quantity().contract_unit().to_owned())),
    ("verdict", |_, of| of.verdict().to_owned()),
    ("hardware", |_, of| value(of, |row| Some(row.predicted()?.hardware.value))),
    ("software", |_, of| value(of, |row| Some(row.predicted()?.software.value))),
    ("predicted", |_, of| value(of, |row| Some(row.predicted()?.total.value))),
    ("tier", |_, of| of.row.map_or("", cells::tier).to_owned()),
    ("measured", |_, of| value(of, |row| Some(row.estimate.as_ref()?.typical))),
    ("deviation", |_, of| value(of, |row| row.estimate.as_ref()?.deviation)),
    ("ratio", |_, of| value(of, Row::ratio)),
    ("user_hardware", |_, of| by_user(of, |user| user.hardware)),
    ("user_software", |_, of| by_user(of, |user| user.software)),
    ("user_predicted", |_, of| by_user(of, |user| Some(user.typical))),
    ("user_ratio", |_, of| value(of, Row::user_ratio)),
    ("reason", |_, of| reason(of)),
];

fn value(of: &TableRow<'_>, value: fn(&Row) -> Option<f64>) -> String {
    number(of.row.and_then(value))
}

fn by_user(of: &TableRow<'_>, value: fn(&UserPrediction) -> Option<f64>) -> String {
    number(of.row.and_then(|row| row.point.user.as_ref()).and_then(value))
}

/// Why a row has its verdict; of one that the run does not have, how to measure it.
fn reason(of: &TableRow<'_>) -> String {
    match of.row {
        None => format!("oscope run table {}", of.summary.option()).trim_end().to_owned(),
        Some(row) if row.estimate.is_none() => missing::why(row),
        Some(row) => reasons::reason(row).unwrap_or_default(),
    }
}

/// These names, those of the columns of a table, and those of the statistics.
fn titles<'n>(names: impl IntoIterator<Item = &'n str>, statistics: &[Statistic]) -> Vec<String> {
    let statistics = statistics.iter().map(|one| one.title());
    names.into_iter().chain(statistics).map(str::to_owned).collect()
}

fn fields(view: &View<'_>, of: &TableRow<'_>) -> impl Iterator<Item = String> {
    COLUMNS.into_iter().map(|(_, field)| field(view, of))
}

/// Writes the reports' table; rows that the run does not have say how to measure them.
pub(super) fn reports(view: &View<'_>, statistics: &[Statistic], out: &mut dyn Write) -> io::Result<()> {
    let rows = TableRow::all(view).into_iter();
    let rows = rows.map(|of| fields(view, &of).chain(values(of.row, statistics)).collect());
    write(titles(COLUMNS.map(|(name, _)| name), statistics), rows, out)
}

/// Writes a line for each record and row of the table: those of the reports' table, with whose prediction was closest.
pub(super) fn records(records: &[TableRecord<'_>], lines: &Lines<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names = ["record", "closest"].into_iter().chain(COLUMNS.map(|(name, _)| name));
    let rows = lines.0.iter().flat_map(|line| {
        let of_records = records.iter().zip(&line.rows).zip(&line.closest);
        of_records.map(|((record, row), closest)| {
            let own = [record.name.to_owned(), word(*closest).to_owned()].into_iter();
            own.chain(fields(&record.view, row)).collect()
        })
    });
    write(titles(names, &[]), rows, out)
}

/// The statistics of a row.
fn values(row: Option<&Row>, statistics: &[Statistic]) -> Vec<String> {
    let all = row.and_then(Row::trial_statistics);
    let value = |one: &Statistic| number(all.as_ref().and_then(|all| one.of(all)));
    statistics.iter().map(value).collect()
}

/// Which point a line is about, and in which unit.
const POINT: [&str; 4] = ["operation", "point", "quantity", "unit"];

fn point(row: &Row) -> [String; 4] {
    let (id, quantity) = (&row.point.id, row.quantity());
    [&id.operation, &id.point, quantity.contract_name(), quantity.contract_unit()].map(str::to_owned)
}

/// Writes a line for each point with these statistics over its trials.
pub(super) fn statistics(view: &View<'_>, statistics: &[Statistic], out: &mut dyn Write) -> io::Result<()> {
    let names = POINT.into_iter().chain(["verdict", "typical", "trials"]);
    let rows = view.analysis.rows.iter().map(|row| {
        let typical = number(row.estimate.as_ref().map(|estimate| estimate.typical));
        let known = [row.verdict.word().to_owned(), typical, row.trials.len().to_string()];
        point(row).into_iter().chain(known).chain(values(Some(row), statistics)).collect()
    });
    write(titles(names, statistics), rows, out)
}

/// Writes a line for each trial that counts.
pub(super) fn trials(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = view.analysis.rows.iter().filter(|row| row.estimate.is_some());
    let rows = rows.flat_map(|row| {
        row.trials.iter().map(|trial| {
            let own = [trial.round.to_string(), number(Some(trial.typical)), number(Some(trial.best))];
            point(row).into_iter().chain(own).collect()
        })
    });
    write(titles(POINT.into_iter().chain(["round", "typical", "best"]), &[]), rows, out)
}
