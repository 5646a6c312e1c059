//! Reading a table: columns in any order and under several names, missing cells, odd units.

use crate::clocks;
use crate::machines::Machine;
use crate::params::Params;
use crate::table::{Row, Table};
use csv::{Reader, ReaderBuilder, StringRecord};
use quantity::{Printed, Quantity, parse_printed, parse_unit};

/// Why nothing can be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LintError {
    /// It is no CSV.
    #[error("it is no table of comma-separated values: {0}")]
    Csv(String),
    /// No operation, or no figure.
    #[error(
        "nothing can be checked: a table needs a column `operation` (or `id`, `name`, `benchmark`) and one of \
         `measured`, `typical`, `mean`, `value`, `predicted`; this one has {0}"
    )]
    Columns(String),
    /// No rows below the heading.
    #[error("nothing can be checked: the table has a heading and no rows")]
    Empty,
    /// A table of machines without a column that is known.
    #[error("it is no table of machines: it has none of `clock_ghz`, `l3_bytes`, `network`")]
    NotMachines,
}

/// Names under which each column is known, the best first. Whatever else a table has is not read: what others found
/// suspect, and their remarks, are no figures.
const REPORT: &[&str] = &["report", "source", "host"];
const SECTION: &[&str] = &["section", "table", "chapter"];
const OPERATION: &[&str] = &["operation", "id", "name", "benchmark"];
const PARAMETER: &[&str] = &["parameter", "parameters", "params", "point"];
const TRIAL: &[&str] = &["trial"];
const TRIALS: &[&str] = &["trials", "samples"];
const QUANTITY: &[&str] = &["quantity"];
const UNIT: &[&str] = &["unit_published", "unit"];
const BASE: &[&str] = &["base_hardware", "hardware", "base"];
const SOFTWARE: &[&str] = &["software_overhead", "software"];
const PREDICTED: &[&str] = &["predicted", "prediction", "estimate"];
const MEASURED: &[&str] = &[
    "measured", "typical", "mean", "average", "median", "value", "result",
];
const DEVIATION: &[&str] = &["deviation", "stddev", "std_dev", "sd", "std"];
const MINIMUM: &[&str] = &["minimum", "min"];
const MAXIMUM: &[&str] = &["maximum", "max"];
const MEASURED_SI: &[&str] = &["measured_si"];
const PREDICTED_SI: &[&str] = &["predicted_si"];
const ALL: [&[&str]; 17] = [
    REPORT,
    SECTION,
    OPERATION,
    PARAMETER,
    TRIAL,
    TRIALS,
    QUANTITY,
    UNIT,
    BASE,
    SOFTWARE,
    PREDICTED,
    MEASURED,
    DEVIATION,
    MINIMUM,
    MAXIMUM,
    MEASURED_SI,
    PREDICTED_SI,
];

/// Units in which a table is when it has a column of base units and none of printed ones.
const BASE_UNITS: [(&str, &str); 3] = [("latency", "s"), ("bandwidth", "bytes_per_s"), ("size", "bytes")];

/// Where each column stands.
pub(crate) struct Columns(Vec<String>);

impl Columns {
    pub fn of(reader: &mut Reader<&[u8]>) -> Result<Self, LintError> {
        let heading = reader
            .headers()
            .map_err(|error| LintError::Csv(error.to_string()))?;
        let clean = |name: &str| name.trim_start_matches('\u{feff}').trim().to_ascii_lowercase();
        Ok(Self(heading.iter().map(clean).collect()))
    }

    pub fn find(&self, names: &[&str]) -> Option<usize> {
        let at = |name: &&str| self.0.iter().position(|known| known == name);
        names.iter().find_map(at)
    }

    pub fn cell<'r>(&self, record: &'r StringRecord, names: &[&str]) -> &'r str {
        let found = self.find(names).and_then(|at| record.get(at));
        found.unwrap_or_default().trim()
    }
}

pub(crate) fn open(text: &str) -> Reader<&[u8]> {
    ReaderBuilder::new().flexible(true).from_reader(text.as_bytes())
}

/// Reads a table with a heading. `machines` is what is told of its machines.
///
/// # Errors
/// When there is nothing that could be checked: no CSV, no column of operations, none of figures, no row.
pub fn read(text: &str, machines: Vec<Machine>) -> Result<Table, LintError> {
    let mut reader = open(text);
    let columns = Columns::of(&mut reader)?;
    if columns.find(OPERATION).is_none()
        || [MEASURED, PREDICTED, MEASURED_SI]
            .iter()
            .all(|names| columns.find(names).is_none())
    {
        return Err(LintError::Columns(columns.0.join(", ")));
    }
    let used: Vec<usize> = ALL.iter().filter_map(|names| columns.find(names)).collect();
    let named = |wanted: bool| {
        let meant = columns.0.iter().enumerate();
        let meant = meant.filter(|(at, name)| used.contains(at) == wanted && !name.is_empty());
        meant.map(|(_, name)| name.clone()).collect()
    };
    let mut table = Table {
        machines,
        used: named(true),
        unused: named(false),
        ..Table::default()
    };
    for record in reader.records() {
        let record = record.map_err(|error| LintError::Csv(error.to_string()))?;
        table.rows.extend(row(&columns, &record));
    }
    if table.rows.is_empty() {
        return Err(LintError::Empty);
    }
    clocks::find(&mut table);
    Ok(table)
}

/// A row; `None` when it names no operation.
fn row(columns: &Columns, record: &StringRecord) -> Option<Row> {
    let cell = |names: &[&str]| columns.cell(record, names);
    let figure = |names: &[&str]| -> Option<Printed> { parse_printed(cell(names)) };
    let number = |names: &[&str]| cell(names).parse::<f64>().ok().filter(|value| value.is_finite());
    let mut params = Params::parse(cell(PARAMETER));
    for (name, names) in [("trial", TRIAL), ("trials", TRIALS)] {
        if params.get(name).is_none() && !cell(names).is_empty() {
            params.insert(name, cell(names));
        }
    }
    let said = cell(QUANTITY).to_ascii_lowercase();
    let mut unit_text = cell(UNIT);
    let mut measured = figure(MEASURED);
    let (measured_si, predicted_si) = (number(MEASURED_SI), number(PREDICTED_SI));
    if unit_text.is_empty() && measured.is_none() {
        unit_text = BASE_UNITS
            .iter()
            .find(|(name, _)| *name == said)
            .map_or("", |(_, unit)| unit);
        measured = figure(MEASURED_SI).filter(|_| !unit_text.is_empty());
    }
    let unit = parse_unit(unit_text);
    Some(Row {
        line: record.position().map_or(0, csv::Position::line),
        report: cell(REPORT).to_owned(),
        section: cell(SECTION).to_owned(),
        operation: Some(cell(OPERATION)).filter(|name| !name.is_empty())?.to_owned(),
        params,
        unit_text: unit_text.to_owned(),
        unit,
        quantity: quantity_said(&said).or(unit.map(|unit| unit.quantity)),
        base: figure(BASE),
        software: figure(SOFTWARE),
        predicted: figure(PREDICTED),
        measured,
        deviation: figure(DEVIATION),
        minimum: figure(MINIMUM),
        maximum: figure(MAXIMUM),
        measured_si,
        predicted_si,
        period: None,
    })
}

fn quantity_said(said: &str) -> Option<Quantity> {
    let known = [
        Quantity::Latency,
        Quantity::Bandwidth,
        Quantity::Size,
        Quantity::Count,
        Quantity::Ratio,
    ];
    known
        .into_iter()
        .find(|quantity| quantity.contract_name() == said)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn columns_come_in_any_order_and_under_several_names() {
        let text = "typical,junk,id,unit,suspect,point\n12.5,x,clock.read,ns,E09,a=1\n,,empty.row,,,\n";
        let table = read(text, Vec::new()).unwrap();
        let row = &table.rows[0];
        assert_eq!((row.operation.as_str(), row.line), ("clock.read", 2));
        assert!((row.result().unwrap() - 12.5e-9).abs() < 1e-18);
        assert_eq!(table.unused, ["junk", "suspect"]);
        assert_eq!(table.rows[1].measured, None);
    }

    #[test]
    fn what_cannot_be_checked_is_refused_with_what_is_missing() {
        let refused = |text: &str| read(text, Vec::new()).unwrap_err().to_string();
        assert!(refused("a,b\n1,2\n").contains("this one has a, b"));
        assert!(refused("operation,unit\nx,ns\n").contains("measured"));
        assert!(refused("operation,measured\n").contains("no rows"));
        assert!(refused("").contains("nothing can be checked"));
    }

    #[test]
    fn odd_cells_are_survived() {
        let text = "operation,measured,unit,quantity\nx,about 7,parsecs,latency\ny,7\nz,7,ns,latency,more,and more\n";
        let table = read(text, Vec::new()).unwrap();
        assert_eq!(table.rows.len(), 3);
        assert_eq!(table.rows[0].result(), None);
        assert!((table.rows[2].result().unwrap() - 7e-9).abs() < 1e-18);
    }

    #[test]
    fn a_table_in_base_units_alone_is_understood() {
        let text = "operation,quantity,measured_si\nx,latency,1e-6\n";
        assert_eq!(read(text, Vec::new()).unwrap().rows[0].result(), Some(1e-6));
    }

    #[test]
    fn what_others_found_suspect_cannot_reach_a_rule() {
        let with = "operation,measured,unit,suspect,remark\nx,7,ns,E37,a slip\n";
        let without = "operation,measured,unit\nx,7,ns\n";
        let rows = |text: &str| format!("{:?}", read(text, Vec::new()).unwrap().rows);
        assert_eq!(rows(with), rows(without));
    }
}
