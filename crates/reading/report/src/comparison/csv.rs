//! A comparison for scripts: one row per point, numbers in base units with all digits.

use super::view::{ComparedView, reason};
use crate::csv::{self, number};
use analysis::{Change, Compared, Decision};
use record::Range;
use std::io::{self, Write};

/// The name of a column, and what it says of a point of a record.
type NamedField = (&'static str, fn(&str, &Compared) -> String);

/// The columns, in their order, and what they say of a point of a record. They are never renamed or re-ordered; new ones
/// would come behind them.
const COLUMNS: [NamedField; 19] = [
    ("operation", |_, point| point.id.operation.clone()),
    ("point", |_, point| point.id.point.clone()),
    ("area", |_, point| point.area.clone()),
    ("quantity", |_, point| point.quantity.contract_name().to_owned()),
    ("unit", |_, point| point.quantity.contract_unit().to_owned()),
    ("record", |record, _| record.to_owned()),
    ("first", |_, point| number(point.first)),
    ("second", |_, point| number(point.second)),
    ("is", |_, point| change(point).map_or("", |(kind, _)| kind).to_owned()),
    ("change", |_, point| number(change(point).map(|(_, range)| range.value))),
    ("low", |_, point| number(change(point).map(|(_, range)| range.low))),
    ("high", |_, point| number(change(point).map(|(_, range)| range.high))),
    ("decision", |_, point| point.decision.word().to_owned()),
    ("within", |_, point| match point.decision {
        Decision::Same { within } => number(Some(within)),
        _ => String::new(),
    }),
    ("reason", |_, point| reason(point).unwrap_or_default()),
    ("cost", |_, point| number(cost(point).map(|range| range.value))),
    ("cost_low", |_, point| number(cost(point).map(|range| range.low))),
    ("cost_high", |_, point| number(cost(point).map(|range| range.high))),
    ("lost", |_, point| point.is_lost().to_string()),
];

/// The second cost divided by the first, of what is a cost: above 1 it is slower.
fn cost(point: &Compared) -> Option<Range> {
    point.cost().and(point.relative_cost())
}

/// A change, and whether it is a `factor` or a `difference` in the row's unit.
fn change(point: &Compared) -> Option<(&'static str, Range)> {
    Some(match point.change? {
        Change::Factor(range) => ("factor", range),
        Change::Difference(range) => ("difference", range),
    })
}

/// Writes the table. What is not known is an empty field.
pub(super) fn write(view: &ComparedView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let titles = COLUMNS.map(|(name, _)| name.to_owned()).to_vec();
    let points =
        view.others.iter().flat_map(|(record, found)| found.points.iter().map(|one| (record.name, one)));
    let rows = points.map(|(record, point)| COLUMNS.map(|(_, field)| field(record, point)).to_vec());
    csv::write(titles, rows, out)
}
