//! How far the values of a series scatter around a level that may change.

use crate::order::Sorted;
use crate::spread::mean;

/// Distance from a level, in deviations, beyond which a value counts no more. The paper has 3 for one series; with 3.5
/// three nights at the end of one of 500 series suffice for a step.
pub(super) const MOST_DEVIATIONS: f64 = 3.5;

/// The noise of a series around its levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Standard deviation around a level.
    pub deviation: f64,
    /// How far a value resembles the one before it, from 0 to [`MAX_CORRELATION`].
    pub correlation: f64,
}

/// Largest correlation that is allowed for: more cannot be distinguished from a level that wanders.
const MAX_CORRELATION: f64 = 0.7;

/// Quantiles of absolute differences by which their deviation is estimated, each with that of a standard normal
/// distribution: the next one counts where values are so coarse that the one before is zero.
const QUANTILES: [(f64, f64); 3] = [(0.5, 0.674_489_750), (0.75, 1.150_349_380), (0.9, 1.644_853_627)];

/// Share of the smallest step that a series without any noise has as its deviation.
const OF_SMALLEST: f64 = 0.1;

impl Noise {
    /// By how much the variance of the mean of a level is larger than that of independent values: (1 + r) / (1 − r).
    pub fn inflation(self) -> f64 {
        (1.0 + self.correlation) / (1.0 - self.correlation)
    }
}

/// The noise of `values`, from the differences of neighbours and of next neighbours, of which few span a change. Their
/// variances are 2 σ² (1 − r) and 2 σ² (1 − r²), with r the correlation. The deviation is at least `least`.
///
/// `None` with fewer than three numbers, or where all are equal and `least` is 0.
pub fn noise(values: &[f64], least: f64) -> Option<Noise> {
    let numbers: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let [next, second] = [1, 2].map(|lag| {
        let differences = numbers.iter().zip(numbers.iter().skip(lag)).map(|(a, b)| (b - a).abs());
        Sorted::from_values(differences)
    });
    let smallest = next.values().iter().copied().find(|difference| *difference > 0.0);
    let (deviation, correlation) = match (deviation_of(&next), deviation_of(&second)) {
        (next, second) if next > 0.0 => {
            let correlation = ((second / next).powi(2) - 1.0).clamp(0.0, MAX_CORRELATION);
            (next / (2.0 * (1.0 - correlation)).sqrt(), correlation)
        }
        _ => (smallest.unwrap_or(0.0) * OF_SMALLEST, 0.0),
    };
    let noise = Noise { deviation: deviation.max(least), correlation };
    (!second.values().is_empty() && noise.deviation > 0.0 && noise.deviation.is_finite()).then_some(noise)
}

/// The deviation of differences, none counted beyond [`MOST_DEVIATIONS`]; zero where nearly all are zero.
fn deviation_of(differences: &Sorted) -> f64 {
    let quantiles =
        QUANTILES.iter().map(|(share, normal)| differences.quantile(*share).unwrap_or(0.0) / normal);
    let robust = quantiles.into_iter().find(|quantile| *quantile > 0.0).unwrap_or(0.0);
    let near = differences.values().iter().map(|difference| difference.min(MOST_DEVIATIONS * robust).powi(2));
    mean(near).unwrap_or(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn steps_and_outliers_hardly_change_the_noise() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let mut values: Vec<f64> = (0..400).map(|at| normal() + f64::from(at / 100) * 50.0).collect();
        values[7] = 1e6;
        values[9] = f64::NAN;
        let noise = noise(&values, 0.0).unwrap();
        assert!((0.85..1.2).contains(&noise.deviation), "{noise:?}");
        assert!(noise.correlation < 0.2, "{noise:?}");
    }

    #[test]
    fn correlation_is_found_and_makes_levels_less_certain() {
        let mut random = fastrand::Rng::with_seed(6);
        let mut last = 0.0;
        let values: Vec<f64> = (0..2000)
            .map(|_| {
                last = 0.5 * last + (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
                last
            })
            .collect();
        let noise = noise(&values, 0.0).unwrap();
        assert!((0.4..0.6).contains(&noise.correlation), "{noise:?}");
        // The deviation of the series is 1 / √(1 − 0.25).
        assert!((1.0..1.3).contains(&noise.deviation), "{noise:?}");
        assert_eq!(Noise { deviation: 1.0, correlation: 0.5 }.inflation(), 3.0);
    }

    #[test]
    fn coarse_and_equal_values_have_a_noise_or_none() {
        assert_eq!(noise(&[5.0; 20], 0.0), None);
        assert_eq!(noise(&[5.0; 20], 0.25).map(|noise| noise.deviation), Some(0.25));
        assert_eq!(noise(&[1.0, 2.0], 1.0), None);
        let one_step: Vec<f64> = (0..40).map(|at| if at < 20 { 5.0 } else { 6.0 }).collect();
        assert!(noise(&one_step, 0.0).unwrap().deviation <= 0.11);
    }
}
