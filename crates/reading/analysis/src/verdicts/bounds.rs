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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::Estimate;
    use crate::verdicts::known_values::Values;
    use record::{Formula, Machine, PlannedPoint, PointId};

    /// Whether an interval passes a limit of 100.
    fn is_broken(lower: bool, interval: (f64, f64)) -> bool {
        let formula = Formula::Number { value: 100.0, within: 1.0, source: String::new() };
        let bounds = vec![Bound { lower, formula, because: String::new() }];
        let planned = PlannedPoint { bounds, ..PlannedPoint::new(PointId::new("a.b", "")) };
        let estimate = Estimate { typical: interval.0, interval: Some(interval), ..Estimate::default() };
        let row = Row { estimate: Some(estimate), ..Row::new(planned) };
        broken(&row, &Values::of(&Machine::default(), std::iter::empty())).is_some()
    }

    #[test]
    fn an_interval_passes_a_limit_by_more_than_three_percent() {
        assert!(!is_broken(true, (90.0, 97.0)) && is_broken(true, (90.0, 96.9)));
        assert!(!is_broken(false, (103.0, 110.0)) && is_broken(false, (103.1, 110.0)));
    }
}
