//! Type against type.

use crate::siblings::Type;
use crate::table::Fleet;
use crate::thresholds::TYPE_COVERAGE;
use stats::shift::shift;

/// What a point costs on machines of one type, beside those of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TypeChange {
    /// Which column.
    pub column: usize,
    /// Cost on the second type divided by that on the first: the median over all pairs of machines.
    pub ratio: f64,
    /// Ends of the interval of it, over machines, at 99 %.
    pub interval: (f64, f64),
}

/// Every column that enough machines of both types have.
pub(crate) fn changes(fleet: &Fleet, first: &Type, second: &Type) -> Vec<TypeChange> {
    let changes = (0..fleet.columns.len()).filter_map(|column| {
        let [first, second] = [first, second].map(|one| fleet.log_costs(&one.machines, column));
        let found = shift(&first, &second, TYPE_COVERAGE)?;
        Some(TypeChange { column, ratio: found.typical.exp(), interval: (found.low.exp(), found.high.exp()) })
    });
    changes.collect()
}
