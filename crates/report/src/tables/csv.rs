//! Tables for scripts: numbers in base units with all digits. What is not known is an empty field.

use super::lines::{Lines, TableRecord, word};
use super::row::TableRow;
use super::statistics::Statistic;
use crate::csv::{io_error, number};
use crate::{View, cells};
use analysis::Row;
use quantity::Quantity;
use std::io::{self, Write};

/// The columns of the reports' table, in their order; those of the statistics stand behind them.
const COLUMNS: [&str; 19] = [
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
];

/// Writes the reports' table; rows that the run does not have say how to measure them.
pub(super) fn reports(view: &View<'_>, statistics: &[Statistic], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    let titles = statistics.iter().map(|one| one.title());
    let columns = COLUMNS.into_iter().chain(titles);
    writer.write_record(columns).map_err(io_error)?;
    for row in TableRow::all(view) {
        let fields = fields(view, &row).into_iter();
        let fields = fields.chain(values(row.row, statistics));
        writer.write_record(fields).map_err(io_error)?;
    }
    writer.flush()
}

/// Writes a line for each record and row of the table: those of the reports' table, with whose prediction was closest.
pub(super) fn records(records: &[TableRecord<'_>], lines: &Lines<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    let columns = ["record", "closest"].into_iter().chain(COLUMNS);
    writer.write_record(columns).map_err(io_error)?;
    for line in &lines.0 {
        for ((record, row), closest) in records.iter().zip(&line.rows).zip(&line.closest) {
            let own = [record.name.to_owned(), word(*closest).to_owned()];
            let fields = own.into_iter().chain(fields(&record.view, row));
            writer.write_record(fields).map_err(io_error)?;
        }
    }
    writer.flush()
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
    let quantity = row.quantity();
    [
        row.point.id.operation.clone(),
        row.point.id.point.clone(),
        quantity.contract_name().to_owned(),
        quantity.contract_unit().to_owned(),
    ]
}

/// Writes a line for each point with these statistics over its trials.
pub(super) fn statistics(view: &View<'_>, statistics: &[Statistic], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    let titles = statistics.iter().map(|one| one.title());
    let columns = POINT.into_iter().chain(["verdict", "typical", "trials"]).chain(titles);
    writer.write_record(columns).map_err(io_error)?;
    for row in &view.analysis.rows {
        let estimate = row.estimate.as_ref();
        let known = [
            row.verdict.word().to_owned(),
            number(estimate.map(|estimate| estimate.typical)),
            row.trials.len().to_string(),
        ];
        let fields = point(row).into_iter().chain(known);
        let fields = fields.chain(values(Some(row), statistics));
        writer.write_record(fields).map_err(io_error)?;
    }
    writer.flush()
}

/// Writes a line for each trial that counts.
pub(super) fn trials(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    let columns = POINT.into_iter().chain(["round", "typical", "best"]);
    writer.write_record(columns).map_err(io_error)?;
    for row in view.analysis.rows.iter().filter(|row| row.estimate.is_some()) {
        for trial in &row.trials {
            let own = [trial.round.to_string(), number(Some(trial.typical)), number(Some(trial.best))];
            writer.write_record(point(row).into_iter().chain(own)).map_err(io_error)?;
        }
    }
    writer.flush()
}

fn fields(view: &View<'_>, of: &TableRow<'_>) -> [String; 19] {
    let row = of.row;
    let estimate = row.and_then(|row| row.estimate.as_ref());
    let predicted = row.and_then(Row::predicted);
    let user = row.and_then(|row| row.point.user.as_ref());
    let quantity = |name: fn(Quantity) -> &'static str| {
        row.map_or_else(String::new, |row| name(row.quantity()).to_owned())
    };
    let reason = match row {
        None => format!("oscope run table {}", of.summary.option()).trim_end().to_owned(),
        Some(row) if row.estimate.is_none() => super::missing::why(row),
        Some(row) => crate::reasons::reason(row).unwrap_or_default(),
    };
    [
        of.label(view),
        of.summary.area.to_owned(),
        of.summary.operation.to_owned(),
        of.summary.point.to_owned(),
        quantity(|quantity| quantity.contract_name()),
        quantity(|quantity| quantity.contract_unit()),
        of.verdict().to_owned(),
        number(predicted.map(|predicted| predicted.hardware.value)),
        number(predicted.map(|predicted| predicted.software.value)),
        number(predicted.map(|predicted| predicted.total.value)),
        row.map_or("", cells::tier).to_owned(),
        number(estimate.map(|estimate| estimate.typical)),
        number(estimate.and_then(|estimate| estimate.deviation)),
        number(row.and_then(Row::ratio)),
        number(user.and_then(|user| user.hardware)),
        number(user.and_then(|user| user.software)),
        number(user.map(|user| user.typical)),
        number(row.and_then(Row::user_ratio)),
        reason,
    ]
}
