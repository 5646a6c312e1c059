//! Order statistics: the median, quantiles, and an interval of the median that assumes no distribution.

use crate::interval::Interval;
use std::borrow::Borrow;

/// Values in ascending order. Values that are no number are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sorted(Vec<f64>);

impl Sorted {
    /// Sorts these values.
    pub fn from_values(values: impl IntoIterator<Item = impl Borrow<f64>>) -> Self {
        let values = values.into_iter().map(|value| *value.borrow());
        let mut kept: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
        kept.sort_unstable_by(f64::total_cmp);
        Self(kept)
    }

    /// The values, ascending.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The middle value, or the mean of the two in the middle; `None` without values.
    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    /// The value below which a share `q` (from 0 to 1) of the values lies; `None` without values.
    ///
    /// Type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996: linear between the
    /// neighbours of position (n − 1) q. One value is every quantile of itself.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        let position = q.clamp(0.0, 1.0) * last as f64;
        let below = (position.floor() as usize).min(last);
        let above = (below + 1).min(last);
        let (low, high) = (*self.0.get(below)?, *self.0.get(above)?);
        let share = position - below as f64;
        // Without the test an infinite neighbour of weight zero would make the result no number.
        Some(if share == 0.0 { low } else { low + (high - low) * share })
    }

    /// The interval that contains the median of the distribution with probability of at least `level`,
    /// whatever the distribution: `(x(k), x(n + 1 − k))` with the largest k for which
    /// P(k ≤ B ≤ n − k) ≥ `level`, B binomial with n trials and probability 1/2.
    ///
    /// `None` when even the smallest and the largest value do not suffice: fewer than 6 values for 95 %.
    /// David and Nagaraja, "Order Statistics", 3rd edition, section 7.1.
    pub fn median_interval(&self, level: f64) -> Option<Interval> {
        let n = self.0.len();
        let k = interval_rank(n, level)?;
        Some(Interval::at_level(*self.0.get(k - 1)?, *self.0.get(n - k)?, level))
    }
}

/// The rank, from 1, of the lower end of the interval of the median of `n` values.
fn interval_rank(n: usize, level: f64) -> Option<usize> {
    let mut rank = None;
    // P(B = 0), then P(B = k) from P(B = k − 1); in logarithms, because 2^−n vanishes for large n.
    let mut log_probability = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    for k in 1..=n / 2 {
        below += log_probability.exp();
        if 1.0 - 2.0 * below < level {
            break;
        }
        rank = Some(k);
        log_probability += ((n - k + 1) as f64 / k as f64).ln();
    }
    rank
}

/// The value up to which a share `q` of the weights of `(value, weight)` pairs lies; `None` without weights.
///
/// The values are sorted in place; equal weights give the inverse of the empirical distribution (type 1 of Hyndman and Fan).
pub fn weighted_quantile(pairs: &mut [(f64, f64)], q: f64) -> Option<f64> {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let below = q.clamp(0.0, 1.0) * pairs.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut sum = 0.0;
    let reached = pairs.iter().find(|(_, weight)| {
        sum += weight;
        // Sums of shares in another order differ in their last digits.
        *weight > 0.0 && sum >= below * (1.0 - 1e-12)
    });
    reached.map(|(value, _)| *value)
}

/// The median of values in any order; `None` without values.
pub fn median(values: impl IntoIterator<Item = impl Borrow<f64>>) -> Option<f64> {
    Sorted::from_values(values).median()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn one_to(n: u32) -> Sorted {
        Sorted::from_values((1..=n).map(f64::from))
    }

    #[test]
    fn quantiles_are_type_7_and_defined_for_short_input() {
        assert_eq!(one_to(0).quantile(0.5), None);
        assert_eq!(one_to(2).median(), Some(1.5));
        for (n, q, expected) in [(1, 0.05, 1.0), (5, 0.25, 2.0), (4, 0.9, 3.7), (4, 7.0, 4.0)] {
            assert_eq!(one_to(n).quantile(q), Some(expected), "{n} {q}");
        }
    }

    #[test]
    fn interval_of_the_median_has_the_known_ranks() {
        assert_eq!(one_to(5).median_interval(0.95), None);
        for (n, low, high) in
            [(6, 1.0, 6.0), (8, 1.0, 8.0), (9, 2.0, 8.0), (12, 3.0, 10.0), (20, 6.0, 15.0), (100, 40.0, 61.0)]
        {
            assert_eq!(one_to(n).median_interval(0.95).map(Interval::ends), Some((low, high)), "{n}");
        }
    }

    #[test]
    fn interval_of_many_values_does_not_underflow() {
        let (low, high) = one_to(10_000).median_interval(0.95).unwrap().ends();
        assert!((4_900.0..4_905.0).contains(&low), "{low}");
        assert_eq!(low + high, 10_001.0);
    }

    #[test]
    fn weights_move_a_quantile() {
        let median = |mut pairs: Vec<(f64, f64)>| weighted_quantile(&mut pairs, 0.5);
        assert_eq!(median(vec![(3.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), Some(2.0));
        assert_eq!(median(vec![(3.0, 3.0), (1.0, 1.0), (2.0, 1.0)]), Some(3.0));
        assert_eq!(median(vec![(1.0, 0.0), (2.0, 1.0)]), Some(2.0));
        assert_eq!((median(vec![]), median(vec![(1.0, 0.0)])), (None, None));
        let mut tenths: Vec<(f64, f64)> = (1..=10).map(|value| (f64::from(value), 0.1)).collect();
        assert_eq!(weighted_quantile(&mut tenths, 0.9), Some(9.0));
    }

    #[test]
    fn nan_values_are_ignored() {
        assert_eq!(median([f64::NAN, 3.0, 1.0]), Some(2.0));
        assert_eq!(median([f64::NAN]), None);
        assert_eq!(median([1.0, 1.0, f64::INFINITY]), Some(1.0));
    }
}
