//! The straight lines through the points of sweeps.

use crate::rows::row::{Row, SweepLine};
use crate::thresholds::COVERAGE;
use quantity::parse_bytes;
use record::{Fit, PointId};
use stats::interval::Interval;
use stats::line_error::line_error;
use stats::slope::{Knot, Line, least_squares};

/// Fewest points of a line: two always lie on one.
const LEAST_POINTS: usize = 3;

/// A point of a sweep: the parameter, and the value that the line should have there.
#[derive(Debug, Clone, Copy)]
struct SweepPoint {
    parameter: f64,
    value: f64,
    /// Half the interval of the value; `None` with too few trials for one.
    half: Option<f64>,
}

/// One line for every group of points that differ only in the parameter of their fit.
pub(crate) fn lines(rows: &[Row]) -> Vec<SweepLine> {
    let mut groups: Vec<(PointId, Fit, Vec<SweepPoint>)> = Vec::new();
    for row in rows {
        let Some(fit) = &row.point.fit else { continue };
        let Some(point) = point(row, fit) else { continue };
        let sweep = row.point.id.without(&fit.parameter);
        match groups.iter_mut().find(|(known, of, _)| *known == sweep && of == fit) {
            Some((_, _, points)) => points.push(point),
            None => groups.push((sweep, fit.clone(), vec![point])),
        }
    }
    groups.into_iter().filter_map(|(sweep, fit, points)| line(sweep, &fit, &points)).collect()
}

fn point(row: &Row, fit: &Fit) -> Option<SweepPoint> {
    let estimate = row.estimate.as_ref()?;
    let parameter = number(row.point.id.parameter(&fit.parameter)?, 1)? / fit.unit as f64;
    let scale = if fit.per_unit { parameter } else { 1.0 };
    Some(SweepPoint {
        parameter,
        value: estimate.typical * scale,
        half: estimate.interval.map(|interval| (interval.high - interval.low) / 2.0 * scale),
    })
}

/// The number that a parameter is: a plain one of this unit, or a size in bytes, the only unit that parameters have.
pub(crate) fn number(parameter: &str, unit: u64) -> Option<f64> {
    let number = match parameter.parse::<f64>() {
        Ok(plain) => plain * unit as f64,
        Err(_) => parse_bytes(parameter).ok()?.bytes() as f64,
    };
    number.is_finite().then_some(number)
}

fn line(sweep: PointId, fit: &Fit, points: &[SweepPoint]) -> Option<SweepLine> {
    if points.len() < LEAST_POINTS {
        return None;
    }
    // A share of the value is as bad everywhere, so large points must not dominate.
    let knots: Vec<Knot> = points
        .iter()
        .map(|point| Knot { x: point.parameter, y: point.value, weight: point.value.powi(-2) })
        .collect();
    let line: Line = least_squares(&knots)?;
    let halves: Option<Vec<f64>> = points.iter().map(|point| point.half).collect();
    let error = halves.and_then(|halves| line_error(&knots, &line, &halves));
    let residuals = points.iter().map(|point| (line.value_at(point.parameter) / point.value - 1.0).abs());
    Some(SweepLine {
        sweep,
        slope_name: fit.slope.clone(),
        slope: line.slope,
        slope_interval: error.map(|error| around(line.slope, error.slope)),
        intercept_name: fit.intercept.clone(),
        intercept: line.intercept,
        intercept_interval: error.map(|error| around(line.intercept, error.intercept)),
        worst: residuals.fold(0.0, f64::max),
    })
}

/// The interval around a value that is known to ± this half width.
fn around(value: f64, half: f64) -> Interval {
    Interval::at_level(value - half, value + half, COVERAGE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rows::row::Estimate;
    use record::PlannedPoint;

    fn row(sweep: &str, size: &str, typical: f64, half: Option<f64>, per_unit: bool) -> Row {
        let (slope, intercept) = ("per KiB".to_owned(), "start".to_owned());
        let fit = Fit { parameter: "size".to_owned(), unit: 1024, per_unit, slope, intercept };
        let id = PointId::new(sweep, &format!("size={size}"));
        let interval = half.map(|half| around(typical, half));
        Row {
            estimate: Some(Estimate { typical, interval, ..Estimate::default() }),
            ..Row::new(PlannedPoint { fit: Some(fit), ..PlannedPoint::new(id) })
        }
    }

    #[test]
    fn a_point_of_values_per_unit_is_multiplied_by_its_units() {
        for (per_unit, expected) in [(false, (4.0, 10.0, Some(2.0))), (true, (4.0, 40.0, Some(8.0)))] {
            let row = row("copy", "4KiB", 10.0, Some(2.0), per_unit);
            let point = row.point.fit.as_ref().and_then(|fit| point(&row, fit));
            assert_eq!(point.map(|point| (point.parameter, point.value, point.half)), Some(expected));
        }
    }

    /// The line through 5, 8 and 14 at 1, 2 and 4 KiB, whose intervals have these half widths.
    fn line_through(halves: [Option<f64>; 3]) -> SweepLine {
        let points = [("1KiB", 5.0), ("2KiB", 8.0), ("4KiB", 14.0)].iter().zip(halves);
        let rows = points.map(|((size, value), half)| row("copy", size, *value, half, false));
        let [line] = <[SweepLine; 1]>::try_from(lines(&rows.collect::<Vec<_>>())).unwrap();
        line
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} {expected}");
    }

    /// Of points on 2 + 3 x the error is what their own half widths leave open, here none.
    #[test]
    fn a_line_has_the_intervals_of_what_its_points_leave_open() {
        let exact = line_through([Some(0.0); 3]);
        assert_near(exact.worst, 0.0);
        for (value, interval, expected) in
            [(exact.slope, exact.slope_interval, 3.0), (exact.intercept, exact.intercept_interval, 2.0)]
        {
            let (low, high) = interval.unwrap().ends();
            for found in [value, low, high] {
                assert_near(found, expected);
            }
        }
        let unknown = line_through([Some(0.0), None, Some(0.0)]);
        assert_eq!((unknown.slope_interval, unknown.intercept_interval), (None, None));
        let wide = line_through([Some(0.5), Some(0.8), Some(1.4)]);
        for (value, interval) in
            [(wide.slope, wide.slope_interval), (wide.intercept, wide.intercept_interval)]
        {
            let (low, high) = interval.unwrap().ends();
            assert!(low < value);
            assert_near(high - value, value - low);
        }
    }

    #[test]
    fn the_worst_point_is_that_furthest_off_as_a_share() {
        let (slope, intercept) = (String::new(), String::new());
        let fit = Fit { parameter: String::new(), unit: 1, per_unit: false, slope, intercept };
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, 1.0)].map(|(parameter, value)| SweepPoint {
            parameter,
            value,
            half: None,
        });
        assert_eq!(line(PointId::default(), &fit, &points[..2]), None);
        // Weights of 1, 1/4 and 1: a level line at 10/9, which is 8/9 off above and 1/9 below.
        let found = line(PointId::default(), &fit, &points).unwrap();
        assert_near(found.slope, 0.0);
        assert_near(found.intercept, 10.0 / 9.0);
        assert_near(found.worst, 4.0 / 9.0);
    }

    #[test]
    fn numbers_are_plain_or_sizes() {
        let all = ["3", "0.5", "4KiB", "x", "inf"].map(|text| number(text, 10));
        assert_eq!(all, [Some(30.0), Some(5.0), Some(4096.0), None, None]);
    }
}
