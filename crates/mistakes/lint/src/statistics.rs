//! Statistics that rules need: centre, spread, an outlier, a trend.

use stats::normal::{normal_of_student, two_sided};

/// The mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    stats::spread::mean(values).unwrap_or(0.0)
}

/// The median; 0 of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    stats::order::median(values).unwrap_or(0.0)
}

/// The standard deviation with n − 1; 0 of fewer than two.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    stats::spread::deviation(values).unwrap_or(0.0)
}

/// Minimum and maximum.
pub(crate) fn ends(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// The value farthest from the mean, and how likely such a value is among values from one normal distribution
/// (Grubbs' test, two-sided, by Bonferroni's bound, which is exact in the tail). `None` of fewer than five.
pub(crate) fn farthest(values: &[f64]) -> Option<(usize, f64)> {
    let (count, centre, spread) = (values.len() as f64, mean(values), deviation(values));
    if values.len() < 5 || spread == 0.0 {
        return None;
    }
    let (at, value) =
        values.iter().enumerate().max_by(|a, b| (a.1 - centre).abs().total_cmp(&(b.1 - centre).abs()))?;
    let g = (value - centre).abs() / spread;
    let rest = (count - 1.0).powi(2) - count * g * g;
    let t = if rest <= 0.0 { f64::INFINITY } else { g * (count * (count - 2.0) / rest).sqrt() };
    Some((at, (count * two_sided(normal_of_student(t, count - 2.0))).min(1.0)))
}

/// The probability that values without a trend decrease as steadily as these (Kendall, one-sided; exact count of
/// orderings). Equal pairs do not count.
pub(crate) fn decreasing(values: &[f64]) -> f64 {
    let rising: usize = values
        .iter()
        .enumerate()
        .map(|(at, early)| values.iter().skip(at + 1).filter(|late| *late >= early).count())
        .sum();
    // Orderings of n values with at most as many rising pairs, by the number of inversions of permutations.
    let mut ways = vec![1.0];
    for size in 2..=values.len() {
        let mut next = vec![0.0; ways.len() + size - 1];
        for (inversions, count) in ways.iter().enumerate() {
            next.iter_mut().skip(inversions).take(size).for_each(|cell| *cell += count);
        }
        ways = next;
    }
    ways.iter().take(rising + 1).sum::<f64>() / ways.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlier_is_unlikely_in_a_normal_sample() {
        let (at, chance) = farthest(&[10.0, 10.1, 9.9, 10.0, 15.0, 10.05]).unwrap();
        assert_eq!(at, 4);
        assert!(chance < 1e-3);
        assert!(farthest(&[10.0, 10.1, 9.9, 10.2, 9.8, 10.05]).unwrap().1 > 0.05);
        assert_eq!(farthest(&[1.0; 6]), None);
    }

    #[test]
    fn steady_decrease_is_unlikely_without_a_trend() {
        assert!((decreasing(&[5.0, 4.0, 3.0, 2.0, 1.0]) - 1.0 / 120.0).abs() < 1e-12);
        assert!(decreasing(&[1.0, 2.0, 3.0, 4.0]) > 0.99);
        assert!(decreasing(&[3.0, 1.0, 2.0]) > 0.1);
    }
}
