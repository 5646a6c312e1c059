//! Whether a trial had reached a steady state: a trend or a jump within its samples.

use crate::thresholds::CLEAR_DRIFT;
use stats::{order, slope, trend};

/// Fewer samples show no course.
const LEAST_SAMPLES: usize = 10;
/// Longer courses are first condensed to this many medians: the work grows with the square.
const MOST_STEPS: usize = 128;

/// How much the samples, in order of time, rise, fall or jump, as a share of their median; `None` when
/// they do not do so clearly.
pub(crate) fn drift(samples: &[f64]) -> Option<f64> {
    if samples.len() < LEAST_SAMPLES {
        return None;
    }
    let course = condensed(samples);
    let median = order::median(&course)?;
    let rise = risen(&course).unwrap_or(0.0);
    let jump = jumped(&course).unwrap_or(0.0);
    let larger = if rise.abs() >= jump.abs() { rise } else { jump };
    Some(larger / median.abs()).filter(|share| share.is_finite() && *share != 0.0)
}

/// What the course rises from end to end, if it clearly does.
pub(crate) fn risen(course: &[f64]) -> Option<f64> {
    trend::mann_kendall(course).filter(|trend| trend.p < CLEAR_DRIFT)?;
    Some(slope::median_of_pairs(course)? * (course.len() - 1) as f64)
}

fn jumped(course: &[f64]) -> Option<f64> {
    let change = trend::pettitt(course).filter(|change| change.p < CLEAR_DRIFT)?;
    let (before, after) = course.split_at_checked(change.at)?;
    Some(order::median(after)? - order::median(before)?)
}

fn condensed(samples: &[f64]) -> Vec<f64> {
    let step = samples.len().div_ceil(MOST_STEPS);
    samples.chunks(step).filter_map(order::median).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn course(count: usize, shape: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(count as u64);
        (0..count).map(|at| shape(at as f64 / count as f64) * (1.0 + 0.01 * random.f64())).collect()
    }

    #[test]
    fn warm_up_and_jumps_are_seen_with_their_size() {
        assert!((drift(&course(60, |at| 1.0 + 0.2 * at)).unwrap() - 0.18).abs() < 0.03);
        assert!((drift(&course(5_000, |at| if at < 0.4 { 2.0 } else { 1.0 })).unwrap() + 1.0).abs() < 0.05);
    }

    #[test]
    fn noise_constants_and_short_courses_are_steady() {
        assert_eq!(drift(&course(60, |_| 1.0)), None);
        assert_eq!(drift(&[4.0; 50]), None);
        assert_eq!(drift(&[0.0; 50]), None);
        assert_eq!(drift(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
    }

    /// Ten values that rise by one each: 9 in all, of a median of 5.5. Nine say nothing.
    #[test]
    fn ten_samples_show_a_rise_as_a_share_of_their_median() {
        let rising: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(drift(&rising), Some(9.0 / 5.5));
        assert_eq!(drift(&rising[..9]), None);
    }
}
