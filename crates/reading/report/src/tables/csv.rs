//! Tables for scripts: numbers in base units with all digits. What is not known is an empty field.

use super::lines::{Lines, TableRecord, word};
use super::missing;
use super::row::TableRow;
use super::statistics::Statistic;
use crate::csv::{self, number, write};
use crate::{View, cells, cycles, reasons};
use analysis::Row;
use std::io::{self, Write};

/// The columns of the reports' table, in their order; those of the statistics stand behind them.
const COLUMNS: [&str; 20] = [
    "row",
    "area",
    "operation",
    "point",
    "quantity",
    "unit",
    "verdict",
    "hardware",
    "software",
    "predicted",
    "tier",
    "measured",
    "deviation",
    "ratio",
    "user_hardware",
    "user_software",
    "user_predicted",
    "user_ratio",
    "reason",
    "round_trips",
];

/// What a column says of a row: mostly what that of the same name says of its point.
fn field(name: &str, view: &View<'_>, of: &TableRow<'_>) -> String {
    match name {
        "row" => of.label(view),
        "area" => of.summary.area.to_owned(),
        "operation" => of.summary.operation.to_owned(),
        "point" => of.summary.point.to_owned(),
        "verdict" => of.verdict().to_owned(),
        "tier" => of.row.map_or("", cells::tier).to_owned(),
        "measured" => of.text(|row| csv::field("typical", row)),
        "reason" => reason(of),
        "round_trips" => number(of.in_round_trips(view)),
        name => of.text(|row| csv::field(name, row)),
    }
}

/// Why a row has its verdict; of one that the run does not have, how to measure it.
fn reason(of: &TableRow<'_>) -> String {
    match of.row {
        None => format!("oscope run table {}", of.summary.option()).trim_end().to_owned(),
        Some(row) if row.estimate.is_none() => missing::why(row),
        Some(row) => reasons::reason(row).unwrap_or_default(),
    }
}

/// These names, those of the columns of a table, those of the statistics, and that of cycles where they are asked for.
fn titles<'n>(
    names: impl IntoIterator<Item = &'n str>,
    statistics: &[Statistic],
    has_cycles: bool,
) -> Vec<String> {
    let statistics = statistics.iter().map(|one| one.title());
    let names = names.into_iter().chain(statistics).chain(has_cycles.then_some(cycles::TITLE));
    names.map(str::to_owned).collect()
}

/// The measured time in cycles, where they are asked for.
fn in_cycles(view: &View<'_>, row: Option<&Row>) -> Option<String> {
    let found = row.and_then(|row| cycles::number(row, view.analysis.core_hz));
    view.has_cycles.then(|| number(found))
}

/// A time of a trial in cycles, where they are asked for.
fn in_cycles_of(view: &View<'_>, row: &Row, nanos: f64) -> Option<String> {
    view.has_cycles.then(|| number(cycles::number_of(row, view.analysis.core_hz, nanos)))
}

fn fields(view: &View<'_>, of: &TableRow<'_>) -> impl Iterator<Item = String> {
    COLUMNS.into_iter().map(|name| field(name, view, of))
}

/// Writes the reports' table; rows that the run does not have say how to measure them.
pub(super) fn reports(view: &View<'_>, statistics: &[Statistic], out: &mut dyn Write) -> io::Result<()> {
    let rows = TableRow::all(view).into_iter();
    let rows = rows.map(|of| {
        fields(view, &of).chain(values(of.row, statistics)).chain(in_cycles(view, of.row)).collect()
    });
    write(titles(COLUMNS, statistics, view.has_cycles), rows, out)
}

/// Writes a line for each record and row of the table: those of the reports' table, with whose prediction was closest.
pub(super) fn records(records: &[TableRecord<'_>], lines: &Lines<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names = ["record", "closest"].into_iter().chain(COLUMNS);
    let rows = lines.0.iter().flat_map(|line| {
        let of_records = records.iter().zip(&line.rows).zip(&line.closest);
        of_records.map(|((record, row), closest)| {
            let own = [record.name.to_owned(), word(*closest).to_owned()].into_iter();
            own.chain(fields(&record.view, row)).collect()
        })
    });
    write(titles(names, &[], false), rows, out)
}

/// The statistics of a row.
fn values(row: Option<&Row>, statistics: &[Statistic]) -> Vec<String> {
    let all = row.and_then(Row::trial_statistics);
    statistics.iter().map(|one| number(all.as_ref().and_then(|all| one.value(all)))).collect()
}

/// Which point a line is about, and in which unit.
pub(super) const POINT: [&str; 4] = ["operation", "point", "quantity", "unit"];

pub(super) fn point(row: &Row) -> [String; 4] {
    POINT.map(|name| csv::field(name, row))
}

/// Writes a line for each point with these statistics over its trials.
pub(super) fn statistics(view: &View<'_>, statistics: &[Statistic], out: &mut dyn Write) -> io::Result<()> {
    let names = POINT.into_iter().chain(["verdict", "typical", "trials"]);
    let rows = view.analysis.rows.iter().map(|row| {
        let known = ["verdict", "typical"].map(|name| csv::field(name, row));
        let known = known.into_iter().chain([row.trials.len().to_string()]);
        let known = known.chain(values(Some(row), statistics)).chain(in_cycles(view, Some(row)));
        point(row).into_iter().chain(known).collect()
    });
    write(titles(names, statistics, view.has_cycles), rows, out)
}

/// Writes a line for each trial that counts.
pub(super) fn trials(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = view.analysis.rows.iter().filter(|row| row.estimate.is_some());
    let rows = rows.flat_map(|row| {
        row.trials.iter().map(|trial| {
            let own = [trial.round.to_string(), number(Some(trial.typical)), number(Some(trial.best))];
            point(row).into_iter().chain(own).chain(in_cycles_of(view, row, trial.typical)).collect()
        })
    });
    let names = POINT.into_iter().chain(["round", "typical", "best"]);
    write(titles(names, &[], view.has_cycles), rows, out)
}
