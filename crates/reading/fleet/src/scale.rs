//! How far the machines of a type lie apart, by a measure that a few odd ones do not move.

use stats::spread::{NORMAL_FROM_MEDIAN_DEVIATION, median_deviation};

/// With more values than this the pairs are not compared: the median deviation is sharp enough, and quicker.
const MOST_PAIRED: usize = 200;

/// A standard deviation with the degrees of freedom that it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The standard deviation.
    pub deviation: f64,
    /// Degrees of freedom of a classical estimate that is as sharp.
    pub freedom: f64,
}

/// The scale of these values; `None` with fewer than three.
///
/// Croux and Rousseeuw, "Alternatives to the median absolute deviation", 1993: the estimator Qn with its factors for small
/// samples (efficiency 82 %, half of the values may be anything); above [`MOST_PAIRED`] values the median deviation
/// (efficiency 37 %).
pub fn scale(values: &[f64]) -> Option<Scale> {
    const QN: f64 = 2.2219;
    const QN_EFFICIENCY: f64 = 0.82;
    const MEDIAN_EFFICIENCY: f64 = 0.37;
    const SMALL: [f64; 10] = [1.0, 1.0, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872];
    let count = values.len();
    let freedom = count.saturating_sub(1) as f64;
    if count < 3 {
        return None;
    }
    if count > MOST_PAIRED {
        return Some(Scale {
            deviation: median_deviation(values)? * NORMAL_FROM_MEDIAN_DEVIATION,
            freedom: freedom * MEDIAN_EFFICIENCY,
        });
    }
    let pairs = values.iter().enumerate().flat_map(|(at, one)| {
        let others = values.iter().take(at);
        others.map(move |other| (one - other).abs())
    });
    let mut distances: Vec<f64> = pairs.collect();
    let half = count / 2 + 1;
    let rank = half * (half - 1) / 2 - 1;
    let (_, distance, _) = distances.select_nth_unstable_by(rank, f64::total_cmp);
    let n = count as f64;
    let beyond_table = if count.is_multiple_of(2) { n / (n + 3.8) } else { n / (n + 1.4) };
    let correction = SMALL.get(count).copied().unwrap_or(beyond_table);
    Some(Scale { deviation: QN * correction * *distance, freedom: freedom * QN_EFFICIENCY })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean scale over many samples of n normal values, some of which are far off.
    fn mean_scale(random: &mut fastrand::Rng, count: usize, outliers: usize) -> f64 {
        const SAMPLES: usize = 400;
        let mut sum = 0.0;
        for _ in 0..SAMPLES {
            let mut values: Vec<f64> =
                (0..count).map(|_| (0..12).map(|_| random.f64()).sum::<f64>() - 6.0).collect();
            values.iter_mut().take(outliers).for_each(|value| *value = 1e6);
            sum += scale(&values).unwrap().deviation;
        }
        sum / SAMPLES as f64
    }

    #[test]
    fn the_scale_of_normal_values_is_their_deviation_also_with_outliers() {
        let mut random = fastrand::Rng::with_seed(5);
        for (count, within) in [(8, 0.1), (9, 0.1), (30, 0.05), (199, 0.03), (2000, 0.03)] {
            let clean = mean_scale(&mut random, count, 0);
            assert!((clean - 1.0).abs() < within, "{count}: {clean}");
            // One in ten is far off: the scale grows by a fifth, not without bound.
            let soiled = mean_scale(&mut random, count, count / 10);
            assert!(soiled < 1.4, "{count}: {soiled}");
        }
    }

    #[test]
    fn two_values_have_no_scale() {
        assert_eq!(scale(&[1.0, 2.0]), None);
        assert_eq!(scale(&[2.0; 5]).unwrap().deviation, 0.0);
    }
}
