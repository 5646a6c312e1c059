//! Laws that hold for every input: scale, shift, order, and the rate at which intervals cover the truth.

use proptest::prelude::*;
use stats::order::{Sorted, median};
use stats::slope::{Knot, least_squares};
use stats::{isotonic, lattice, modes, slope, spread, trend};

fn samples() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1e6..1e6f64, 1..80)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #[test]
    fn order_statistics_follow_scale_and_shift(values in samples(), scale in 1e-3..1e3f64, shift in -1e3..1e3f64) {
        let moved: Vec<f64> = values.iter().map(|value| value * scale + shift).collect();
        let (before, after) = (Sorted::from_values(&values), Sorted::from_values(&moved));
        for q in [0.0, 0.05, 0.5, 0.95, 1.0] {
            prop_assert!(close(before.quantile(q).unwrap() * scale + shift, after.quantile(q).unwrap()));
        }
        prop_assert_eq!(before.median_interval(0.95).is_some(), values.len() >= 6);
        let intervals = before.median_interval(0.95).zip(after.median_interval(0.95));
        if let Some((interval, scaled)) = intervals {
            let ((low, high), ends) = (interval.ends(), scaled.ends());
            prop_assert!(close(low * scale + shift, ends.0) && close(high * scale + shift, ends.1));
            prop_assert!(low <= before.median().unwrap() && before.median().unwrap() <= high);
        }
    }

    #[test]
    fn spreads_follow_scale_and_ignore_shift(values in samples(), scale in 1e-3..1e3f64, shift in -1e3..1e3f64) {
        let moved: Vec<f64> = values.iter().map(|value| value * scale + shift).collect();
        let mad = spread::median_deviation(&values).unwrap();
        prop_assert!((spread::median_deviation(&moved).unwrap() - mad * scale).abs() < 1e-6 * (1.0 + mad * scale));
        if let (Some(before), Some(after)) = (spread::deviation(&values), spread::deviation(&moved)) {
            prop_assert!((after - before * scale).abs() < 1e-6 * (1.0 + before * scale));
        }
    }

    #[test]
    fn order_does_not_matter_where_time_is_not_meant(values in samples(), seed: u64) {
        let mut shuffled = values.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        prop_assert_eq!(median(&values), median(&shuffled));
        prop_assert_eq!(spread::median_deviation(&values), spread::median_deviation(&shuffled));
        prop_assert_eq!(modes::modes(&values, 0.0), modes::modes(&shuffled, 0.0));
        let ticks = |of: &[f64]| of.iter().map(|&value| value as i64).collect::<Vec<_>>();
        prop_assert_eq!(lattice::quantum(&ticks(&values)), lattice::quantum(&ticks(&shuffled)));
    }

    #[test]
    fn a_reversed_series_has_the_reversed_trend(values in samples()) {
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        let score = |of: &[f64]| trend::mann_kendall(of).map(|trend| trend.score);
        prop_assert_eq!(score(&values), score(&reversed).map(|score| -score));
        if let Some(change) = trend::pettitt(&values) {
            prop_assert!(change.at <= values.len() && (0.0..=1.0).contains(&change.p));
        }
    }

    #[test]
    fn a_slope_ignores_shift_and_follows_scale(times in prop::array::uniform3(0.0..1e6f64), shift in 0.0..1e6f64, n in 1.0..1e4f64) {
        let [once, twice, four] = times;
        let moved = slope::triple_slope(once + shift, four + shift, n);
        prop_assert!((moved - slope::triple_slope(once, four, n)).abs() < 1e-6);
        prop_assert!(close(slope::triple_slope(3.0 * once, 3.0 * four, n), 3.0 * slope::triple_slope(once, four, n)));
        let straight = slope::linearity(once, once + twice + 1.0, once + 3.0 * (twice + 1.0));
        prop_assert!((straight - 1.0).abs() < 1e-6);
    }

    #[test]
    fn least_squares_recovers_any_line(line in (-1e3..1e3f64, -1e3..1e3f64), xs in prop::collection::btree_set(0u16..1000, 2..20)) {
        let knot = |x: &u16| Knot { x: f64::from(*x), y: line.0 * f64::from(*x) + line.1, weight: 1.0 + f64::from(*x % 3) };
        let found = least_squares(&xs.iter().map(knot).collect::<Vec<_>>()).unwrap();
        prop_assert!((found.slope - line.0).abs() < 1e-6 && (found.intercept - line.1).abs() < 1e-3);
    }

    #[test]
    fn monotonic_regression_is_monotonic_and_keeps_the_mean(values in samples()) {
        let fitted = isotonic::non_decreasing(&values);
        prop_assert_eq!(fitted.len(), values.len());
        prop_assert!(fitted.windows(2).all(|pair| pair[0] <= pair[1]));
        prop_assert!((spread::mean(&fitted).unwrap() - spread::mean(&values).unwrap()).abs() < 1e-6);
        let again = isotonic::non_decreasing(&fitted);
        prop_assert!(again.iter().zip(&fitted).all(|(a, b)| close(*a, *b)));
    }

    #[test]
    fn modes_follow_scale(values in prop::collection::vec(0.1..1e3f64, 1..120), scale in 1e-3..1e3f64) {
        let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
        let (before, after) = (modes::modes(&values, 0.0), modes::modes(&scaled, 0.0));
        prop_assert_eq!(before.len(), after.len());
        prop_assert!(before.iter().zip(&after).all(|(a, b)| (a.at * scale / b.at - 1.0).abs() < 0.05));
        prop_assert!(after.iter().map(|mode| mode.share).sum::<f64>() < 1.0 + 1e-9);
    }

    #[test]
    fn no_input_breaks_anything(ticks in prop::collection::vec(any::<i64>(), 0..50), values in prop::collection::vec(any::<f64>(), 0..50)) {
        let _ = (lattice::quantum(&ticks), modes::modes(&values, 1.0), trend::pettitt(&values));
        let _ = (trend::mann_kendall(&values), isotonic::non_decreasing(&values), Sorted::from_values(&values).median_interval(0.95));
    }
}

/// Share of 4 000 samples of `n` values whose interval holds the true median.
fn coverage(n: usize, truth: f64, draw: impl Fn(f64) -> f64) -> f64 {
    let mut random = fastrand::Rng::with_seed(n as u64);
    let holds = |_: &u32| {
        let values: Vec<f64> = (0..n).map(|_| draw(random.f64())).collect();
        let (low, high) = Sorted::from_values(&values).median_interval(0.95).unwrap().ends();
        low <= truth && truth <= high
    };
    (0..4_000u32).filter(holds).count() as f64 / 4_000.0
}

#[test]
fn interval_covers_the_median_of_any_distribution_as_often_as_the_binomial_says() {
    // 1 − 2 P(B < k), by hand from the binomial coefficients.
    for (n, promised) in [(6, 0.968_75), (9, 0.960_94), (12, 0.961_43), (20, 0.958_61)] {
        for (name, found) in [
            ("uniform", coverage(n, 0.5, |u| u)),
            ("exponential", coverage(n, 2f64.ln(), |u| -(1.0 - u).ln())),
            ("Pareto", coverage(n, 2.0, |u| 1.0 / (1.0 - u))),
            ("Cauchy", coverage(n, 0.0, |u| (std::f64::consts::PI * (u - 0.5)).tan())),
            ("logistic", coverage(n, 0.0, |u| (u / (1.0 - u)).ln())),
        ] {
            // Three standard errors of a share of 4 000.
            assert!((found - promised).abs() < 0.0093, "{name}, n = {n}: {found} for {promised}");
        }
    }
}
