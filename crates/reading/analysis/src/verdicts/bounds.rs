//! Limits that no true result can pass.

use crate::rows::reason::Reason;
use crate::rows::row::Estimate;
use crate::thresholds::BOUND_TOLERANCE;
use record::{Lookup, PlannedPoint};

/// Which limit of a point its estimate passes; limits that are unknown here pass.
pub(crate) fn broken(point: &PlannedPoint, estimate: &Estimate, lookup: &dyn Lookup) -> Option<Reason> {
    let (low, high) = estimate.ends();
    for bound in &point.bounds {
        // A limit that needs the point itself would say nothing.
        let Ok(limits) = bound.formula.evaluate(lookup) else { continue };
        let (limit, is_passed) = match bound.lower {
            true => (limits.low, high < limits.low - BOUND_TOLERANCE * limits.low.abs()),
            false => (limits.high, low > limits.high + BOUND_TOLERANCE * limits.high.abs()),
        };
        if is_passed {
            let because = bound.because.clone();
            return Some(Reason::Bound { is_lower: bound.lower, limit, quantity: point.quantity, because });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdicts::known_values::Values;
    use record::{Bound, Formula, Machine, PointId};

    /// Whether an interval passes a limit of 100.
    fn is_broken(lower: bool, interval: (f64, f64)) -> bool {
        let formula = Formula::Number { value: 100.0, within: 1.0, source: String::new() };
        let bounds = vec![Bound { lower, formula, because: String::new() }];
        let planned = PlannedPoint { bounds, ..PlannedPoint::new(PointId::new("a.b", "")) };
        let estimate = Estimate {
            typical: interval.0,
            interval: Some(stats::interval::Interval::at_level(interval.0, interval.1, 0.95)),
            ..Estimate::default()
        };
        broken(&planned, &estimate, &Values::new(&Machine::default(), std::iter::empty())).is_some()
    }

    #[test]
    fn an_interval_passes_a_limit_by_more_than_three_percent() {
        assert!(!is_broken(true, (90.0, 97.0)) && is_broken(true, (90.0, 96.9)));
        assert!(!is_broken(false, (103.0, 110.0)) && is_broken(false, (103.1, 110.0)));
    }
}
