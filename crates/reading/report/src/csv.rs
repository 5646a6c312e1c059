//! The contract for scripts: one row per point, in these columns, numbers in base units with all digits.

use crate::wording::printable;
use crate::{View, cells, cores, cycles, reasons};
use analysis::{BetweenRuns, CoreUse, CpuUse, Estimate, Predicted, Row, Verdict};
use quantity::Quantity;
use record::UserPrediction;
use std::io::{self, Write};

/// The name of a column, and what it says of a row.
type NamedField = (&'static str, fn(&Row) -> String);

/// The columns of a point, in their order, and what they say of a row. They are never renamed or re-ordered; new ones would
/// come behind all.
const COLUMNS: [NamedField; 35] = [
    ("operation", |row| row.point.id.operation.clone()),
    ("point", |row| row.point.id.point.clone()),
    ("area", |row| row.point.area.clone()),
    ("method", |row| cells::method(row).to_owned()),
    ("quantity", |row| row.quantity().contract_name().to_owned()),
    ("unit", |row| row.quantity().contract_unit().to_owned()),
    ("verdict", |row| row.verdict.word().to_owned()),
    ("typical", |row| measured(row, |estimate| Some(estimate.typical))),
    ("low", |row| measured(row, |estimate| estimate.interval.map(|interval| interval.low))),
    ("high", |row| measured(row, |estimate| estimate.interval.map(|interval| interval.high))),
    ("best", |row| measured(row, |estimate| Some(estimate.best))),
    ("deviation", |row| measured(row, |estimate| estimate.deviation)),
    ("trials", |row| row.estimate.as_ref().map_or(row.trials.len(), |estimate| estimate.trials).to_string()),
    ("batches", |row| measured(row, |estimate| Some(estimate.batches as f64))),
    ("set_aside", |row| row.set_aside.iter().map(|aside| aside.batches).sum::<usize>().to_string()),
    ("hardware", |row| predicted(row, |predicted| predicted.hardware.value)),
    ("software", |row| predicted(row, |predicted| predicted.software.value)),
    ("predicted", |row| predicted(row, |predicted| predicted.total.value)),
    ("ratio", |row| number(row.ratio())),
    ("reason", |row| reasons::reason(row).unwrap_or_default()),
    ("user_hardware", |row| by_user(row, |user| user.hardware)),
    ("user_software", |row| by_user(row, |user| user.software)),
    ("user_predicted", |row| by_user(row, |user| Some(user.typical))),
    ("user_ratio", |row| number(row.user_ratio())),
    ("state", |row| cores::core_use(row).map_or("", |core| core.state.word()).to_owned()),
    ("quiet_share", |row| of_core(row, |core| core.quiet_share)),
    ("slowdown", |row| of_core(row, |core| core.slowdown)),
    ("untriggered", |row| of_core(row, |core| core.untriggered)),
    ("clock_share", |row| measured(row, |estimate| estimate.clock_share)),
    ("core_hz", |row| measured(row, |estimate| estimate.core_hz)),
    ("next_run_low", |row| number(row.next_run().map(|interval| interval.low))),
    ("next_run_high", |row| number(row.next_run().map(|interval| interval.high))),
    ("between_runs", |row| number(between_runs(row).map(|between| between.deviation))),
    ("earlier_records", |row| number(between_runs(row).map(|between| between.records as f64))),
    ("residual", |row| number(row.residual())),
];

fn measured(row: &Row, part: fn(&Estimate) -> Option<f64>) -> String {
    number(row.estimate.as_ref().and_then(part))
}

/// The deviation between runs, of a row that has an interval of the next run.
fn between_runs(row: &Row) -> Option<BetweenRuns> {
    row.between_runs().filter(|_| row.next_run().is_some())
}

fn predicted(row: &Row, part: fn(&Predicted) -> f64) -> String {
    number(row.predicted().map(part))
}

fn by_user(row: &Row, part: fn(&UserPrediction) -> Option<f64>) -> String {
    number(row.point.user.as_ref().and_then(part))
}

fn of_core(row: &Row, part: fn(&CoreUse) -> Option<f64>) -> String {
    number(cores::core_use(row).as_ref().and_then(part))
}

/// What the column of this name says of a row; nothing where there is none.
pub(crate) fn field(name: &str, row: &Row) -> String {
    let column = COLUMNS.iter().find(|(known, _)| *known == name);
    column.map_or_else(String::new, |(_, field)| field(row))
}

/// The columns behind them, which say of which run a row is.
const COLUMNS_OF_RUN: [&str; 4] = ["machine", "kernel", "started", "record"];

/// What they say: the model of the processor, the release of the kernel, when the run began, and what its record is called.
fn run(view: &View<'_>, record: &str) -> [String; 4] {
    let [machine, kernel] =
        ["processor.model", "kernel.release"].map(|key| view.machine.text(key).unwrap_or_default());
    [machine, kernel, &view.header.started, record].map(str::to_owned)
}

/// The names of all columns.
pub fn columns() -> Vec<&'static str> {
    COLUMNS.iter().map(|(name, _)| *name).chain(COLUMNS_OF_RUN).collect()
}

/// Writes the table, and behind the points how each CPU was used. What is not known is an empty field.
///
/// # Errors
/// When `out` cannot be written.
pub fn csv(view: &View<'_>, record: &str, out: &mut dyn Write) -> io::Result<()> {
    let run = run(view, record);
    let whole = |row: [String; 35], in_cycles: String| {
        let in_cycles = view.has_cycles.then_some(in_cycles);
        row.into_iter().chain(run.clone()).chain(in_cycles).collect()
    };
    let rows = view.analysis.rows.iter().map(|row| {
        let in_cycles = number(cycles::number(row, view.analysis.core_hz));
        whole(COLUMNS.map(|(_, field)| field(row)), in_cycles)
    });
    let cpus = view.analysis.cpus.iter().flat_map(|usage| {
        let results = usage.results();
        results
            .map(|(property, quantity, value)| whole(of_cpu(usage, property, quantity, value), String::new()))
    });
    let titles = columns().into_iter().chain(view.has_cycles.then_some(cycles::TITLE));
    write(titles.map(str::to_owned).collect(), rows.chain(cpus), out)
}

/// A result of `noise.shared_core`.
fn of_cpu(usage: &CpuUse, property: &str, quantity: Quantity, value: f64) -> [String; 35] {
    COLUMNS.map(|(column, _)| match column {
        "operation" => cores::OPERATION.to_owned(),
        "point" => format!("cpu={} property={property}", usage.cpu),
        "area" => "os".to_owned(),
        "method" => "default".to_owned(),
        "quantity" => quantity.contract_name().to_owned(),
        "unit" => quantity.contract_unit().to_owned(),
        "verdict" => Verdict::Measured.word().to_owned(),
        "typical" => number(Some(value)),
        _ => String::new(),
    })
}

/// A field as a spreadsheet shows it: a text that it would take for a formula begins with an apostrophe.
pub fn csv_field(text: &str) -> String {
    let text = printable(text);
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    format!("{}{text}", if is_formula { "'" } else { "" })
}

/// Writes a table.
pub(crate) fn write(
    titles: Vec<String>,
    rows: impl Iterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    for record in std::iter::once(titles).chain(rows) {
        let record = record.iter().map(|text| csv_field(text));
        // The error below, so that a broken pipe is still seen to be one.
        writer.write_record(record).map_err(|error| match error.into_kind() {
            ::csv::ErrorKind::Io(error) => error,
            other => io::Error::other(format!("{other:?}")),
        })?;
    }
    writer.flush()
}

/// The shortest decimal that reads back as the same number.
pub(crate) fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas_and_numbers_are_as_they_are() {
        for number in ["-1.5", "+3", "-2e-9", "0", "", "1e300"] {
            assert_eq!(csv_field(number), number);
        }
        for text in ["=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "=HYPERLINK(\"http://x\")"] {
            assert_eq!(csv_field(text), format!("'{text}"));
        }
        assert_eq!(csv_field("\u{1b}[2J\n="), "\u{fffd}[2J =");
        assert_eq!(csv_field("syscall.read"), "syscall.read");
    }
}
