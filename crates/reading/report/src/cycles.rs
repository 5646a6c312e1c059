//! Times in core cycles, beside those in nanoseconds: those of a row at its own clock, or at that of the run where it has none.

use crate::View;
use crate::html::number::{Number, Unit};
use analysis::Row;
use quantity::Quantity;

/// The heading of the column.
pub(crate) const TITLE: &str = "cycles";

/// What is said of it where there is room.
pub(crate) const MEANING: &str =
    "cycles: the time at the core clock of its row, or of the run where the row has none";

/// The measured time; nothing of what is not a time, or where no clock is known.
pub(crate) fn measured(view: &View<'_>, row: &Row) -> String {
    text(unit(view, row).typical(row))
}

/// The predicted time.
pub(crate) fn predicted(view: &View<'_>, row: &Row) -> String {
    text(unit(view, row).predicted(row))
}

/// A time of a row, in as many digits as this half width allows.
pub(crate) fn value(view: &View<'_>, row: &Row, value: f64, half: Option<f64>) -> String {
    text(Some(unit(view, row).show(value, half)))
}

/// The measured time as a number.
pub(crate) fn number(row: &Row, run_hz: Option<f64>) -> Option<f64> {
    number_of(row, run_hz, row.estimate.as_ref()?.typical)
}

/// A time of a row as a number of cycles.
pub(crate) fn number_of(row: &Row, run_hz: Option<f64>, nanos: f64) -> Option<f64> {
    let own = row.estimate.as_ref().and_then(|estimate| estimate.core_hz);
    let hz = own.or(run_hz).filter(|_| row.quantity() == Quantity::Latency)?;
    Some(nanos * hz * 1e-9)
}

fn unit(view: &View<'_>, row: &Row) -> Unit {
    Unit::of_row(row, view.analysis.core_hz)
}

fn text(number: Option<Number>) -> String {
    number.and_then(Number::in_cycles).unwrap_or_default()
}
