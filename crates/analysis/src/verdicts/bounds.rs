//! Limits that no true result can pass.

use crate::rows::reason::Reason;
use crate::rows::row::Row;
use record::{Bound, Lookup, Range};

/// A limit is passed only when the interval lies beyond it by more than this share, because the limit
/// itself was measured.
const TOLERANCE: f64 = 0.03;

/// Which limit the estimate of a row passes; limits that are unknown here pass.
pub(crate) fn broken(row: &Row, lookup: &dyn Lookup) -> Option<Reason> {
    let estimate = row.estimate.as_ref()?;
    let (low, high) = estimate.interval.unwrap_or((estimate.typical, estimate.typical));
    let passed = |bound: &Bound| {
        // A limit that needs the point itself would say nothing.
        let limit = bound.formula.evaluate(lookup).ok()?;
        let (passed, end) = beyond(bound.lower, low, high, limit);
        passed.then(|| Reason::Bound {
            is_lower: bound.lower,
            limit: end,
            quantity: row.quantity(),
            because: bound.because.clone(),
        })
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
