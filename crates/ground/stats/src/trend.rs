//! Whether a series in time rises, falls or jumps: Mann and Kendall's test, and Pettitt's.

use crate::normal;

/// What Mann and Kendall's test says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Rising pairs less falling pairs.
    pub score: i64,
    /// Probability of a score at least as far from 0 if there is no trend; normal approximation.
    pub p: f64,
}

/// Tests for a monotonic trend; `None` with fewer than 4 values, where no order is rare, or when all are
/// equal. Its work grows with the square of the length.
///
/// Mann, "Nonparametric tests against trend", 1945; variance with ties as in Kendall, 1975.
pub fn mann_kendall(values: &[f64]) -> Option<Trend> {
    let n = values.len();
    if n < 4 {
        return None;
    }
    let mut score = 0;
    for (at, before) in values.iter().enumerate() {
        for after in values.iter().skip(at + 1) {
            score += i64::from(after > before) - i64::from(after < before);
        }
    }
    let tied: f64 = ties(values).into_iter().map(score_variance).sum();
    let variance = (score_variance(n) - tied) / 18.0;
    let continuous = (score.abs() - 1).max(0) as f64;
    (variance > 0.0).then(|| Trend { score, p: normal::two_sided(continuous / variance.sqrt()) })
}

/// Eighteen times the variance that the order of this many values gives to a score.
fn score_variance(count: usize) -> f64 {
    let n = count as f64;
    n * (n - 1.0) * (2.0 * n + 5.0)
}

/// Sizes of the groups of equal values.
fn ties(values: &[f64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).collect()
}

/// What Pettitt's test says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Number of values before the most likely change.
    pub at: usize,
    /// Probability of so clear a change if there is none; approximate, too large for weak ones.
    pub p: f64,
}

/// Tests for one change of the median; `None` with fewer than 4 values.
///
/// Pettitt, "A non-parametric approach to the change-point problem", 1979.
pub fn pettitt(values: &[f64]) -> Option<Change> {
    let n = values.len() as f64;
    if n < 4.0 {
        return None;
    }
    let mut sum = 0.0;
    let mut best = (0, 0.0f64);
    for (index, rank) in ranks(values).into_iter().enumerate() {
        sum += 2.0 * rank - (n + 1.0);
        if sum.abs() > best.1 {
            best = (index + 1, sum.abs());
        }
    }
    let p = 2.0 * (-6.0 * best.1.powi(2) / (n.powi(3) + n.powi(2))).exp();
    Some(Change { at: best.0, p: p.min(1.0) })
}

/// Ranks from 1; equal values share the mean of theirs.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
    order.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for group in order.chunk_by(|a, b| a.1 == b.1) {
        let shared = before as f64 + (group.len() + 1) as f64 / 2.0;
        for &(index, _) in group {
            if let Some(rank) = ranks.get_mut(index) {
                *rank = shared;
            }
        }
        before += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn noise(count: usize, seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..count).map(|_| random.f64()).collect()
    }

    #[test]
    fn a_rising_series_is_a_trend() {
        let trend = mann_kendall(&(0..20).map(f64::from).collect::<Vec<_>>()).unwrap();
        assert_eq!(trend.score, 190);
        assert!(trend.p < 1e-6);
    }

    #[test]
    fn ties_and_short_series_are_no_trend() {
        assert_eq!(mann_kendall(&[1.0, 2.0, 3.0]), None);
        assert_eq!(mann_kendall(&[5.0; 30]), None);
        assert_eq!(mann_kendall(&[1.0, 2.0, 1.0, 2.0]).unwrap().score, 2);
        assert_eq!(mann_kendall(&[1.0, 2.0, 1.0, 2.0]).unwrap().p, two_pairs());
    }

    /// By hand: score 2, variance (4·3·13 − 2·(2·1·9)) / 18 = 20/3.
    fn two_pairs() -> f64 {
        normal::two_sided(1.0 / (20.0f64 / 3.0).sqrt())
    }

    #[test]
    fn noise_is_called_a_trend_or_a_change_about_as_often_as_promised() {
        let series: Vec<_> = (0..1000).map(|seed| noise(40, seed)).collect();
        let trends = series.iter().filter(|values| mann_kendall(values).unwrap().p < 0.05).count();
        let changes = series.iter().filter(|values| pettitt(values).unwrap().p < 0.05).count();
        assert!((30..=72).contains(&trends), "{trends}");
        assert!(changes <= 60, "{changes}");
    }

    #[test]
    fn a_jump_is_found_where_it_is() {
        let mut values = noise(40, 7);
        values.iter_mut().skip(25).for_each(|value| *value += 1.0);
        let change = pettitt(&values).unwrap();
        assert_eq!(change.at, 25);
        assert!(change.p < 1e-4);
    }

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }
}
