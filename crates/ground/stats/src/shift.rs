//! By how much one sample lies above another: an interval that assumes no distribution.

use crate::order::Sorted;
use crate::trend::ranks;

/// How far a second sample lies above a first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Median of all differences between a value of the second and one of the first (Hodges and Lehmann).
    pub typical: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Most values of a sample that are used: their pairs are all computed.
const MAX_VALUES: usize = 400;

/// Up to this many pairs the distribution of Mann and Whitney's count is computed; above, it is normal to three
/// digits.
const EXACT_PAIRS: usize = 400;

/// Largest correlation of neighbours that is allowed for: that of successive processes is 0.3 to 0.5, and more cannot
/// be distinguished from a trend in a dozen values.
const MAX_CORRELATED: f64 = 0.5;

/// The shift from `first` to `second`, with an interval that contains it with probability of at least `level` where
/// both have the same shape. Both are in the order of time: where neighbours resemble each other, there is less in
/// them than their number says, and the interval is wider by that.
///
/// `None` where the samples are too short for that level.
///
/// Moses, "Rank tests of dispersion", 1965; Hollander and Wolfe, "Nonparametric Statistical Methods", section 4.3.
/// The allowance is the variance of a mean of values of an autoregressive series, (1 + r) / (1 − r).
pub fn shift(first: &[f64], second: &[f64], level: f64) -> Option<Shift> {
    let (first, second) = (thinned(first), thinned(second));
    let pairs = first.len() * second.len();
    let differences = second.iter().flat_map(|after| first.iter().map(move |before| after - before));
    let sorted = Sorted::from_values(differences);
    let rank = lower_rank(first.len(), second.len(), level)?;
    if sorted.values().len() != pairs {
        return None;
    }
    let typical = sorted.median()?;
    let correlation = neighbours(&first).max(neighbours(&second));
    let wider = ((1.0 + correlation) / (1.0 - correlation)).sqrt();
    Some(Shift {
        typical,
        low: typical - (typical - sorted.values().get(rank - 1)?) * wider,
        high: typical + (sorted.values().get(pairs - rank)? - typical) * wider,
    })
}

/// Every nth value, so that at most [`MAX_VALUES`] are left.
fn thinned(values: &[f64]) -> Vec<f64> {
    values.iter().step_by(values.len() / MAX_VALUES + 1).copied().collect()
}

/// The largest rank, from 1, of a difference that the shift lies below with at most half of what `level` leaves.
fn lower_rank(n: usize, m: usize, level: f64) -> Option<usize> {
    let tail = (1.0 - level) / 2.0;
    if n == 0 || m == 0 {
        return None;
    }
    if n * m > EXACT_PAIRS {
        let deviation = ((n * m * (n + m + 1)) as f64 / 12.0).sqrt();
        let rank = (n * m) as f64 / 2.0 - crate::normal::beyond(tail) * deviation;
        return (rank >= 1.0).then_some(rank as usize);
    }
    let counts = arrangements(n, m);
    let all: f64 = counts.iter().sum();
    let mut below = 0.0;
    let fits = counts.iter().take_while(|count| {
        below += **count / all;
        below <= tail
    });
    Some(fits.count()).filter(|rank| *rank > 0)
}

/// In how many orders of `n` and `m` values exactly u pairs are inverted, for every u from 0 to n × m: the
/// coefficients of the Gaussian binomial, each whole and below 2⁵³ for up to [`EXACT_PAIRS`] pairs of like lengths.
fn arrangements(n: usize, m: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * m + 1];
    if let Some(first) = counts.first_mut() {
        *first = 1.0;
    }
    for i in 1..=m {
        multiply(&mut counts, n + i);
        divide(&mut counts, i);
    }
    counts
}

/// Times (1 − qᵏ).
fn multiply(polynomial: &mut [f64], k: usize) {
    for at in (k..polynomial.len()).rev() {
        let lower = polynomial.get(at - k).copied().unwrap_or(0.0);
        if let Some(here) = polynomial.get_mut(at) {
            *here -= lower;
        }
    }
}

/// Divided by (1 − qᵏ), which leaves no rest here.
fn divide(polynomial: &mut [f64], k: usize) {
    for at in k..polynomial.len() {
        let lower = polynomial.get(at - k).copied().unwrap_or(0.0);
        if let Some(here) = polynomial.get_mut(at) {
            *here += lower;
        }
    }
}

/// How much the ranks of neighbours in time resemble each other, from 0 to [`MAX_CORRELATED`]. Short series seem
/// less correlated than they are by (1 + 3 r) / n: Kendall, "Note on bias in the estimation of autocorrelation", 1954.
fn neighbours(values: &[f64]) -> f64 {
    let ranks = ranks(values);
    let middle = (ranks.len() as f64 + 1.0) / 2.0;
    let off: Vec<f64> = ranks.iter().map(|rank| rank - middle).collect();
    let all: f64 = off.iter().map(|off| off * off).sum();
    let together: f64 = off.iter().zip(off.iter().skip(1)).map(|(a, b)| a * b).sum();
    if all > 0.0 {
        let seen = together / all;
        (seen + (1.0 + 3.0 * seen) / ranks.len() as f64).clamp(0.0, MAX_CORRELATED)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn arrangements_are_those_of_the_table() {
        assert_eq!(arrangements(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
        // C(40, 20) arrangements of twenty and twenty.
        assert_eq!(arrangements(20, 20).iter().sum::<f64>(), 137_846_528_820.0);
    }

    #[test]
    fn ranks_are_those_of_the_table() {
        // Two-sided critical values of Mann and Whitney's U at 5 %, plus one.
        assert_eq!(lower_rank(6, 6, 0.95), Some(6));
        assert_eq!(lower_rank(12, 12, 0.95), Some(38));
        assert_eq!(lower_rank(20, 20, 0.95), Some(128));
        assert_eq!(lower_rank(3, 3, 0.95), None);
        // The normal approximation goes on where the exact one ends.
        assert!((149..=151).contains(&lower_rank(20, 23, 0.95).unwrap()));
        // n m / 2 − 1.96 √(n m (n + m + 1) / 12).
        assert_eq!(lower_rank(30, 30, 0.95), Some(317));
        assert_eq!(lower_rank(40, 25, 0.95), Some(354));
    }

    #[test]
    fn neighbours_are_correlated_by_their_ranks() {
        // Kendall's correction of 0.2576 for ten values.
        let near = neighbours(&[2.0, 5.0, 1.0, 4.0, 9.0, 7.0, 10.0, 8.0, 3.0, 6.0]);
        assert!((near - 0.434_848_485).abs() < 1e-8, "{near}");
        assert_eq!(neighbours(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), MAX_CORRELATED);
        assert_eq!(neighbours(&[1.0, 6.0, 2.0, 5.0, 3.0, 4.0]), 0.0);
        assert_eq!(neighbours(&[7.0; 8]), 0.0);
    }

    #[test]
    fn a_shift_is_found() {
        let first: Vec<f64> = [3.0, 8.0, 1.0, 6.0, 2.0, 7.0, 4.0, 5.0].to_vec();
        let second: Vec<f64> = first.iter().map(|value| value + 10.0).collect();
        let shift = shift(&first, &second, 0.95).unwrap();
        assert_eq!(shift.typical, 10.0);
        assert!(shift.low < 10.0 && 10.0 < shift.high && shift.low > 0.0, "{shift:?}");
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(shift(&[1.0, 2.0], &[1.0, 2.0], 0.95), None);
        assert_eq!(shift(&[], &[1.0], 0.95), None);
        assert_eq!(shift(&[f64::NAN; 8], &[1.0; 8], 0.95), None);
    }

    /// Sixteen normal values, each with this share of the one before.
    fn autoregressive(random: &mut fastrand::Rng, memory: f64) -> Vec<f64> {
        let mut last = 0.0;
        let values = (0..16).map(|_| {
            last = memory * last + (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            last
        });
        values.collect()
    }

    #[test]
    fn intervals_cover_and_trends_make_them_wider() {
        let mut random = fastrand::Rng::with_seed(7);
        // An allowance from 16 values is itself uncertain; without it, 60 of 1000 would be missed.
        for (memory, most) in [(0.0, 15), (0.4, 25)] {
            let missed = (0..1000).filter(|_| {
                let [first, second] = [(); 2].map(|()| autoregressive(&mut random, memory));
                let shift = shift(&first, &second, 0.99);
                shift.is_some_and(|shift| shift.low > 0.0 || shift.high < 0.0)
            });
            let missed = missed.count();
            assert!(missed <= most, "{missed} of 1000 at memory {memory}");
        }
    }
}
