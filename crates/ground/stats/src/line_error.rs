//! How far a straight line may be off: by what its points leave open, and by how far they lie off it.

use crate::slope::{Knot, Line};

/// Half widths of the intervals, at least 95 %, of a line's slope and intercept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineError {
    /// Of the slope.
    pub slope: f64,
    /// Of the intercept.
    pub intercept: f64,
}

/// The error of the least-squares line through these points, each known to ± the half width beside it.
///
/// Two things can be wrong: the points, whose half widths add up in quadrature because each was measured
/// apart, and the line, when the truth is none; of this the distances tell, by Student's t with n − 2
/// degrees of freedom. Either contains what the other sees of the same error, so the larger stands. `None`
/// with fewer than three points, or where a half width is missing.
pub fn line_error(knots: &[Knot], line: &Line, half_widths: &[f64]) -> Option<LineError> {
    let freedom = knots.len().checked_sub(2).filter(|&freedom| freedom > 0)?;
    if half_widths.len() != knots.len() {
        return None;
    }
    let weight: f64 = knots.iter().map(|knot| knot.weight).sum();
    let x = knots.iter().map(|knot| knot.weight * knot.x).sum::<f64>() / weight;
    let spread: f64 = knots.iter().map(|knot| knot.weight * (knot.x - x).powi(2)).sum();
    // By how much slope and intercept move when this point does.
    let (mut slope, mut intercept) = (0.0, 0.0);
    for (knot, half) in knots.iter().zip(half_widths) {
        let slope_share = knot.weight * (knot.x - x) / spread;
        let intercept_share = knot.weight / weight - x * slope_share;
        slope += (slope_share * half).powi(2);
        intercept += (intercept_share * half).powi(2);
    }
    let distances = knots.iter().map(|knot| knot.weight * (knot.y - line.value_at(knot.x)).powi(2));
    let variance = distances.sum::<f64>() / freedom as f64;
    let student = student_97_5(freedom);
    let error = LineError {
        slope: slope.sqrt().max(student * (variance / spread).sqrt()),
        intercept: intercept.sqrt().max(student * (variance * (1.0 / weight + x * x / spread)).sqrt()),
    };
    (error.slope.is_finite() && error.intercept.is_finite()).then_some(error)
}

/// Quantile 0.975 of the normal distribution.
const NORMAL: f64 = 1.959_964;
/// Quantiles 0.975 of Student's distribution for 1 to 4 degrees of freedom, where the series below is poor.
const FEW: [f64; 4] = [12.7062, 4.3027, 3.1824, 2.7764];

/// Quantile 0.975 of Student's distribution: Cornish and Fisher's series around the normal one, right to a
/// part in a thousand from 5 degrees of freedom on (Abramowitz and Stegun, 26.7.5).
fn student_97_5(freedom: usize) -> f64 {
    if let Some(tabled) = freedom.checked_sub(1).and_then(|at| FEW.get(at)) {
        return *tabled;
    }
    let (z, n) = (NORMAL, freedom as f64);
    let second = (z.powi(3) + z) / 4.0;
    let third = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let fourth = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + second / n + third / n.powi(2) + fourth / n.powi(3)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::slope::least_squares;

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, tabled) in [(1, 12.706), (4, 2.776), (5, 2.571), (6, 2.447), (10, 2.228), (30, 2.042)] {
            assert!((student_97_5(freedom) / tabled - 1.0).abs() < 2e-3, "{freedom}");
        }
    }

    fn knots(y: impl Fn(f64) -> f64) -> Vec<Knot> {
        (0..8).map(|at| Knot { x: f64::from(at), y: y(f64::from(at)), weight: 1.0 }).collect()
    }

    #[test]
    fn points_on_a_line_leave_open_what_they_leave_open_themselves() {
        let exact = knots(|x| 1.0 + 2.0 * x);
        let line = least_squares(&exact).unwrap();
        let error = line_error(&exact, &line, &[0.3; 8]).unwrap();
        // σ / √Σ(x − x̄)², which is 42 for 0 to 7.
        assert!((error.slope - 0.3 / 42_f64.sqrt()).abs() < 1e-9, "{error:?}");
        assert_eq!(line_error(&exact[..2], &line, &[0.3; 2]), None);
        assert_eq!(line_error(&exact, &line, &[0.3; 7]), None);
    }

    #[test]
    fn points_off_the_line_widen_the_interval_however_sure_they_are() {
        let bent = knots(|x| if x < 6.0 { 1.0 } else { 2.0 });
        let line = least_squares(&bent).unwrap();
        let error = line_error(&bent, &line, &[1e-6; 8]).unwrap();
        assert!(error.slope > 0.05, "{error:?}");
    }

    /// Beside the formulas of a weighted line, computed elsewhere.
    #[test]
    fn slope_and_intercept_have_the_errors_of_a_weighted_line() {
        let half_widths = [0.1, 0.2, 0.3, 0.4];
        for (y, slope, intercept) in [
            ([3.0, 5.0, 9.0, 17.0], 0.067_675_706, 0.207_178_199),
            ([3.0, 6.0, 9.0, 16.0], 0.371_140_711, 2.199_615_451),
        ] {
            let places = [1.0, 2.0, 4.0, 8.0].into_iter().zip(y).zip([1.0, 2.0, 1.0, 4.0]);
            let knots: Vec<Knot> = places.map(|((x, y), weight)| Knot { x, y, weight }).collect();
            let error = line_error(&knots, &least_squares(&knots).unwrap(), &half_widths).unwrap();
            assert!((error.slope / slope - 1.0).abs() < 1e-6, "{error:?}");
            assert!((error.intercept / intercept - 1.0).abs() < 1e-6, "{error:?}");
        }
        // So far from zero that the square of the distance is no number.
        let far = knots(|x| x % 2.0).into_iter().map(|knot| Knot { x: 1e160 + 1e150 * knot.x, ..knot });
        let line = Line { slope: 0.0, intercept: 0.5 };
        assert_eq!(line_error(&far.collect::<Vec<_>>(), &line, &[1.0; 8]), None);
    }

    #[test]
    fn the_interval_covers_the_true_slope() {
        let mut random = fastrand::Rng::with_seed(3);
        let covered = (0..2000).filter(|_| {
            // The sum of twelve uniform numbers is normal enough; its deviation is 1.
            let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
            let drawn = knots(|x| 5.0 + 0.2 * x);
            let moved: Vec<Knot> =
                drawn.into_iter().map(|knot| Knot { y: knot.y + 0.1 * normal(), ..knot }).collect();
            let line = least_squares(&moved).unwrap();
            let error = line_error(&moved, &line, &[0.196; 8]).unwrap();
            (line.slope - 0.2).abs() <= error.slope
        });
        let share = covered.count() as f64 / 2000.0;
        assert!(share >= 0.945, "{share}");
    }
}
