//! A comparison for scripts: one row per point, numbers in base units with all digits.

use super::view::ComparedView;
use crate::csv::{io_error, number};
use analysis::{Change, Compared, Decision};
use std::io::{self, Write};

/// The columns, in their order. They are never renamed or re-ordered; new ones would come behind them.
pub const COMPARISON_COLUMNS: [&str; 15] = [
    "operation",
    "point",
    "area",
    "quantity",
    "unit",
    "record",
    "first",
    "second",
    "is",
    "change",
    "low",
    "high",
    "decision",
    "within",
    "reason",
];

/// Writes the table. `is` says whether the change is a `factor` or a `difference` in the row's unit. What is not
/// known is an empty field.
///
/// # Errors
/// When `out` cannot be written.
pub fn comparison_csv(view: &ComparedView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    writer.write_record(COMPARISON_COLUMNS).map_err(io_error)?;
    for (record, comparison) in view.others {
        for point in &comparison.points {
            writer.write_record(fields(record.name, point)).map_err(io_error)?;
        }
    }
    writer.flush()
}

fn fields(record: &str, point: &Compared) -> [String; 15] {
    let (kind, range) = match point.change {
        None => ("", None),
        Some(Change::Factor(range)) => ("factor", Some(range)),
        Some(Change::Difference(range)) => ("difference", Some(range)),
    };
    let within = match point.decision {
        Decision::Same { within } => Some(within),
        _ => None,
    };
    [
        point.id.operation.clone(),
        point.id.point.clone(),
        point.area.clone(),
        point.quantity.contract_name().to_owned(),
        point.quantity.contract_unit().to_owned(),
        record.to_owned(),
        number(point.first),
        number(point.second),
        kind.to_owned(),
        number(range.map(|range| range.value)),
        number(range.map(|range| range.low)),
        number(range.map(|range| range.high)),
        point.decision.word().to_owned(),
        number(within),
        super::view::reason(point).unwrap_or_default(),
    ]
}
