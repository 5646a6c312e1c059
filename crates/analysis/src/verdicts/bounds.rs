//! Limits that no true result can pass.

use crate::rows::row::Row;
use quantity::{Quantity, show};
use record::{Bound, Lookup, Range};

/// A limit is passed only when the interval lies beyond it by more than this share, because the limit
/// itself was measured.
const TOLERANCE: f64 = 0.03;

/// Which limit the estimate of a row passes, in a sentence; limits that are unknown here pass.
pub(crate) fn broken(row: &Row, lookup: &dyn Lookup) -> Option<String> {
    let estimate = row.estimate.as_ref()?;
    let (low, high) = estimate.interval.unwrap_or((estimate.typical, estimate.typical));
    let passed = |bound: &Bound| {
        // A limit that needs the point itself would say nothing.
        let limit = bound.formula.evaluate(lookup).ok()?;
        let (passed, end) = beyond(bound.lower, low, high, limit);
        passed.then(|| sentence(bound, end, row.quantity()))
    };
    row.point.bounds.iter().find_map(passed)
}

fn beyond(lower: bool, low: f64, high: f64, limit: Range) -> (bool, f64) {
    if lower {
        (high < limit.low - TOLERANCE * limit.low.abs(), limit.low)
    } else {
        (low > limit.high + TOLERANCE * limit.high.abs(), limit.high)
    }
}

fn sentence(bound: &Bound, limit: f64, quantity: Quantity) -> String {
    let words = match (bound.lower, quantity) {
        (true, Quantity::Latency) => "cheaper than",
        (true, _) => "less than",
        (false, Quantity::Bandwidth | Quantity::Frequency) => "faster than",
        (false, _) => "more than",
    };
    format!("{words} {}: {}", show(limit, None, quantity), bound.because)
}
