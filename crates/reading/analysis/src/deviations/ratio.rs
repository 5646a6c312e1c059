//! Measured divided by predicted: where it is significant, where it decides, when two factors are the same.

use crate::rows::row::Row;
use crate::thresholds::{DECIDING_HALF_WIDTH, SAME_FACTOR};

/// Measured divided by predicted, where the intervals of both are disjoint.
pub(crate) fn significant_ratio(row: &Row) -> Option<f64> {
    let (low, high) = row.estimate.as_ref()?.interval?.ends();
    let predicted = row.predicted()?.total;
    let ratio = positive_ratio(row)?;
    (low > predicted.high || high < predicted.low).then_some(ratio)
}

/// The ratio of a row that can be explained at all.
pub(crate) fn positive_ratio(row: &Row) -> Option<f64> {
    let is_right = row.point.flaw.is_none();
    row.ratio().filter(|ratio| is_right && ratio.is_finite() && *ratio > 0.0)
}

/// Whether two factors are the same.
pub(crate) fn within_factor(a: f64, b: f64) -> bool {
    a > 0.0 && b > 0.0 && (a / b).ln().abs() <= SAME_FACTOR.ln()
}

/// The ratio of a row that is narrow enough to decide about the ingredients of its prediction.
pub(crate) fn decides(row: &Row) -> Option<f64> {
    let half = row.estimate.as_ref()?.half_width()?;
    positive_ratio(row).filter(|_| half <= DECIDING_HALF_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deviations::fixtures::measured;

    #[test]
    fn a_positive_value_whose_interval_does_not_touch_its_prediction_is_off() {
        for (of, expected) in [
            ((110.0, 120.0, 130.0), None),
            ((111.0, 120.0, 130.0), Some(1.2)),
            ((70.0, 80.0, 90.0), None),
            ((70.0, 80.0, 89.0), Some(0.8)),
            ((-1.0, 0.0, 1.0), None),
            ((-30.0, -20.0, -10.0), None),
        ] {
            assert_eq!(significant_ratio(&measured("a", "", of)), expected, "{of:?}");
        }
    }

    #[test]
    fn positive_factors_up_to_a_quarter_above_each_other_are_the_same() {
        for (a, b, expected) in [
            (1.25, 1.0, true),
            (1.26, 1.0, false),
            (1.0, 1.24, true),
            (1.0, 1.26, false),
            (0.0, 0.0, false),
            (-1.0, -1.0, false),
        ] {
            assert_eq!(within_factor(a, b), expected, "{a} {b}");
        }
    }
}
