//! Limits that no true result can pass.

use crate::rows::reason::Reason;
use crate::rows::row::Row;
use record::{Bound, Lookup};

/// A limit is passed only when the interval lies beyond it by more than this share, because the limit
/// itself was measured.
const TOLERANCE: f64 = 0.03;

/// Which limit the estimate of a row passes; limits that are unknown here pass.
pub(crate) fn broken(row: &Row, lookup: &dyn Lookup) -> Option<Reason> {
    let estimate = row.estimate.as_ref()?;
    let (low, high) = estimate.ends();
    let passed = |bound: &Bound| {
        // A limit that needs the point itself would say nothing.
        let limits = bound.formula.evaluate(lookup).ok()?;
        let slack = |limit: f64| TOLERANCE * limit.abs();
        let (limit, is_passed) = match bound.lower {
            true => (limits.low, high < limits.low - slack(limits.low)),
            false => (limits.high, low > limits.high + slack(limits.high)),
        };
        is_passed.then(|| Reason::Bound {
            is_lower: bound.lower,
            limit,
            quantity: row.quantity(),
            because: bound.because.clone(),
        })
    };
    row.point.bounds.iter().find_map(passed)
}
