//! How far values lie apart.

use crate::order;
use std::borrow::Borrow;

fn collected(values: impl IntoIterator<Item = impl Borrow<f64>>) -> Vec<f64> {
    values.into_iter().map(|value| *value.borrow()).collect()
}

/// The mean; `None` without values.
pub fn mean(values: impl IntoIterator<Item = impl Borrow<f64>>) -> Option<f64> {
    let values = collected(values);
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample standard deviation, with n − 1; `None` with fewer than two values.
pub fn deviation(values: impl IntoIterator<Item = impl Borrow<f64>>) -> Option<f64> {
    let values = collected(values);
    let centre = mean(&values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The median absolute deviation from the median, unscaled; `None` without values.
pub fn median_deviation(values: impl IntoIterator<Item = impl Borrow<f64>>) -> Option<f64> {
    let values = collected(values);
    let centre = order::median(&values)?;
    order::median(values.iter().map(|value| (value - centre).abs()))
}

/// What turns a median absolute deviation into the standard deviation of a normal distribution:
/// 1 / Φ⁻¹(3/4).
pub const NORMAL_FROM_MEDIAN_DEVIATION: f64 = 1.482_602_218_505_602;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_divides_by_one_less_than_the_count() {
        assert_eq!(deviation([2.0, 4.0]), Some(2f64.sqrt()));
        assert_eq!(deviation([2.0]), None);
        assert_eq!(deviation([0.0; 0]), None);
    }

    #[test]
    fn one_outlier_moves_the_deviation_and_not_the_median_deviation() {
        let values = [1.0, 2.0, 3.0, 4.0, 1000.0];
        assert_eq!(median_deviation(values), Some(1.0));
        assert!(deviation(values).is_some_and(|deviation| deviation > 400.0));
    }
}
