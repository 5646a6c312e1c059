//! Straight lines: least squares with weights, the slope of a triple of batches, and a robust slope.

use crate::{order, spread};

/// A straight line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Change of y per unit of x.
    pub slope: f64,
    /// y where x is 0.
    pub intercept: f64,
}

impl Line {
    /// y at this x.
    pub fn value_at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

/// A point through which a line is laid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knot {
    /// Where it is.
    pub x: f64,
    /// How high it is.
    pub y: f64,
    /// How much it counts; not negative.
    pub weight: f64,
}

/// The line with the least weighted sum of squared distances in y; `None` when all x are the same.
pub fn least_squares(knots: &[Knot]) -> Option<Line> {
    let weight: f64 = knots.iter().map(|knot| knot.weight).sum();
    let x = knots.iter().map(|knot| knot.weight * knot.x).sum::<f64>() / weight;
    let y = knots.iter().map(|knot| knot.weight * knot.y).sum::<f64>() / weight;
    let spread: f64 = knots.iter().map(|knot| knot.weight * (knot.x - x).powi(2)).sum();
    let common: f64 = knots.iter().map(|knot| knot.weight * (knot.x - x) * (knot.y - y)).sum();
    let slope = common / spread;
    let line = Line { slope, intercept: y - slope * x };
    (line.slope.is_finite() && line.intercept.is_finite()).then_some(line)
}

/// Cost of an iteration from batches of n and 4n iterations: what both share cancels.
pub fn triple_slope(once: f64, four_times: f64, n: f64) -> f64 {
    (four_times - once) / (3.0 * n)
}

/// Cost of an iteration between 2n and 4n against that between n and 2n: 1 when cost is linear in n.
pub fn linearity(once: f64, twice: f64, four_times: f64) -> f64 {
    (four_times - twice) / 2.0 / (twice - once)
}

/// The median of the slopes of all pairs of points, x being their place in the list; `None` with fewer
/// than two. Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968.
/// Its work grows with the square of the length.
pub fn median_of_pairs(values: &[f64]) -> Option<f64> {
    let pairs = values.iter().enumerate().flat_map(|(left, a)| {
        let right = values.iter().enumerate().skip(left + 1);
        right.map(move |(right, b)| (b - a) / (right - left) as f64)
    });
    order::median(pairs)
}

/// A slope and how far it may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// The median of the slopes of all pairs.
    pub value: f64,
    /// Half of its interval.
    pub error: f64,
}

/// The median of the slopes of all pairs of points `(x, y)` that differ in x, and half of its interval, from the median
/// deviation of the points from that line; `None` where no two differ. Of as many pairs as there are, most lie close in x
/// and have wild slopes, so that an interval from their ranks is several times as wide. Its work grows with the square of
/// the length.
pub fn theil_sen(points: &[(f64, f64)], level: f64) -> Option<Slope> {
    let pairs = points.iter().enumerate().flat_map(|(at, a)| {
        let later = points.iter().skip(at + 1).filter(move |b| b.0 != a.0);
        later.map(move |b| (b.1 - a.1) / (b.0 - a.0))
    });
    let value = order::median(pairs)?;
    let n = points.len() as f64;
    let mean = points.iter().map(|point| point.0).sum::<f64>() / n;
    let spread = points.iter().map(|point| (point.0 - mean).powi(2)).sum::<f64>().sqrt();
    // Simulated: with 8 to 60 points this covers the slope in 95 % (two points are taken up by the line, and the median
    // deviation of few points varies itself).
    let lost = (n / (n - 2.0).max(0.5)).powi(3);
    let residuals = points.iter().map(|(x, y)| y - value * x);
    let deviation = spread::NORMAL_FROM_MEDIAN_DEVIATION * spread::median_deviation(residuals)?;
    let error = crate::normal::beyond((1.0 - level) / 2.0) * lost * deviation / spread;
    Some(Slope { value, error })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn knots(points: &[(f64, f64)]) -> Vec<Knot> {
        points.iter().map(|&(x, y)| Knot { x, y, weight: 1.0 }).collect()
    }

    #[test]
    fn least_squares_finds_an_exact_line() {
        let line = least_squares(&knots(&[(1.0, 5.0), (2.0, 7.0), (10.0, 23.0)])).unwrap();
        assert!((line.slope - 2.0).abs() < 1e-12 && (line.intercept - 3.0).abs() < 1e-12);
        assert!((line.value_at(4.0) - 11.0).abs() < 1e-12);
    }

    #[test]
    fn a_point_without_weight_does_not_count() {
        let mut points = knots(&[(1.0, 1.0), (2.0, 2.0), (3.0, 900.0)]);
        points[2].weight = 0.0;
        assert!((least_squares(&points).unwrap().slope - 1.0).abs() < 1e-12);
    }

    #[test]
    fn there_is_no_line_through_one_place() {
        assert_eq!(least_squares(&knots(&[(1.0, 1.0), (1.0, 2.0)])), None);
        assert_eq!(least_squares(&[]), None);
    }

    #[test]
    fn what_batches_share_cancels_and_negative_slopes_stay() {
        assert_eq!(triple_slope(100.0 + 50.0, 100.0 + 200.0, 10.0), 5.0);
        assert_eq!(triple_slope(40.0, 10.0, 1.0), -10.0);
    }

    #[test]
    fn linearity_tells_work_that_stops_growing() {
        assert_eq!(linearity(150.0, 200.0, 300.0), 1.0);
        assert_eq!(linearity(150.0, 200.0, 200.0), 0.0);
    }

    #[test]
    fn the_interval_of_a_slope_covers_it() {
        let covered = (0..400).filter(|&seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut noise = || (0..12).map(|_| random.f64() - 0.5).sum::<f64>();
            let points: Vec<(f64, f64)> =
                (0..20).map(|at| (f64::from(at), 3.0 * f64::from(at) + 5.0 * noise())).collect();
            let slope = theil_sen(&points, 0.95).unwrap();
            (slope.value - 3.0).abs() <= slope.error
        });
        assert!((368..=396).contains(&covered.count()));
        assert_eq!(theil_sen(&[(1.0, 2.0), (1.0, 3.0)], 0.95), None);
    }

    #[test]
    fn median_of_pairs_ignores_an_outlier() {
        assert_eq!(median_of_pairs(&[0.0, 2.0, 4.0, 6.0, 900.0, 10.0]), Some(2.0));
        assert_eq!(median_of_pairs(&[1.0]), None);
    }
}
