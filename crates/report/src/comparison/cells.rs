//! Cells of tables of comparisons.

use super::view::{change, decision};
use crate::style::Paint;
use crate::table::Cell;
use analysis::{Change, Compared, Decision};

/// The change with the number by which it is sorted, and its interval.
pub(super) fn change_cells(point: &Compared) -> (Cell, Cell) {
    let by = point.change.map(|change| match change {
        Change::Factor(factor) => factor.value,
        Change::Difference(by) => by.value,
    });
    let [change, interval] = change(point);
    (Cell::new(change, paint(point.decision)).sorted_by(by, point.quantity), interval.into())
}

/// The decision with the word by which it is found.
pub(super) fn decision_cell(point: &Compared) -> Cell {
    let noisy = if point.noisy { "~ " } else { "" };
    Cell {
        word: point.decision.word(),
        ..Cell::new(format!("{noisy}{}", decision(point)), paint(point.decision))
    }
}

/// The paint of a decision.
pub(super) fn paint(decision: Decision) -> Paint {
    match decision {
        Decision::Slower => Paint::Bad,
        Decision::Faster => Paint::Good,
        Decision::Larger | Decision::Smaller => Paint::Warning,
        Decision::Incomparable | Decision::Unclear => Paint::Faint,
        Decision::Same { .. } => Paint::Plain,
    }
}
