//! The straight lines through the points of sweeps.

use crate::rows::row::{Row, SweepLine};
use quantity::parse_bytes;
use record::{Fit, PointId};
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
        half: estimate.interval.map(|(low, high)| (high - low) / 2.0 * scale),
    })
}

/// The number that a parameter is: a plain one of this unit, or a size in bytes, the only unit that parameters have.
pub(crate) fn number(parameter: &str, unit: u64) -> Option<f64> {
    let plain = parameter.parse().ok().map(|number: f64| number * unit as f64);
    let size = || parse_bytes(parameter).ok().map(|size| size.bytes() as f64);
    plain.or_else(size).filter(|number| number.is_finite())
}

fn line(sweep: PointId, fit: &Fit, points: &[SweepPoint]) -> Option<SweepLine> {
    if points.len() < LEAST_POINTS {
        return None;
    }
    // A share of the value is as bad everywhere, so large points must not dominate.
    let knot = |point: &SweepPoint| Knot { x: point.parameter, y: point.value, weight: point.value.powi(-2) };
    let knots: Vec<Knot> = points.iter().map(knot).collect();
    let line: Line = least_squares(&knots)?;
    let halves: Option<Vec<f64>> = points.iter().map(|point| point.half).collect();
    let error = halves.and_then(|halves| line_error(&knots, &line, &halves));
    let around = |value: f64, half: f64| (value - half, value + half);
    let distance = |point: &SweepPoint| (line.at(point.parameter) / point.value - 1.0).abs();
    Some(SweepLine {
        sweep,
        slope_name: fit.slope.clone(),
        slope: line.slope,
        slope_interval: error.map(|error| around(line.slope, error.slope)),
        intercept_name: fit.intercept.clone(),
        intercept: line.intercept,
        intercept_interval: error.map(|error| around(line.intercept, error.intercept)),
        worst: points.iter().map(distance).fold(0.0, f64::max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::Estimate;
    use record::PlannedPoint;

    fn row(sweep: &str, size: &str, typical: f64, half: Option<f64>, per_unit: bool) -> Row {
        let (slope, intercept) = ("per KiB".to_owned(), "start".to_owned());
        let fit = Fit { parameter: "size".to_owned(), unit: 1024, per_unit, slope, intercept };
        let id = PointId::new(sweep, &format!("size={size}"));
        let interval = half.map(|half| (typical - half, typical + half));
        Row {
            estimate: Some(Estimate { typical, interval, ..Estimate::default() }),
            ..Row::new(PlannedPoint { fit: Some(fit), ..PlannedPoint::new(id) })
        }
    }

    #[test]
    fn a_point_of_values_per_unit_is_multiplied_by_its_units() {
        let of = |per_unit| {
            let row = row("copy", "4KiB", 10.0, Some(2.0), per_unit);
            let point = row.point.fit.as_ref().and_then(|fit| point(&row, fit));
            point.map(|point| (point.parameter, point.value, point.half))
        };
        assert_eq!(of(false), Some((4.0, 10.0, Some(2.0))));
        assert_eq!(of(true), Some((4.0, 40.0, Some(8.0))));
    }

    /// Of points on 2 + 3 x the error is what their own half widths leave open, here none.
    #[test]
    fn a_line_has_the_intervals_of_what_its_points_leave_open() {
        let sizes = [("1KiB", 5.0), ("2KiB", 8.0), ("4KiB", 14.0)];
        let rows = |halves: [Option<f64>; 3]| -> Vec<Row> {
            sizes
                .iter()
                .zip(halves)
                .map(|((size, value), half)| row("copy", size, *value, half, false))
                .collect()
        };
        let exact = lines(&rows([Some(0.0); 3]));
        let near = |value: f64, truth: f64| (value - truth).abs() < 1e-9;
        let ends = |ends: Option<(f64, f64)>, low: f64, high: f64| {
            ends.is_some_and(|ends| near(ends.0, low) && near(ends.1, high))
        };
        let fits = |line: &SweepLine| {
            near(line.slope, 3.0)
                && near(line.intercept, 2.0)
                && near(line.worst, 0.0)
                && ends(line.slope_interval, 3.0, 3.0)
                && ends(line.intercept_interval, 2.0, 2.0)
        };
        assert!(exact.len() == 1 && exact.iter().all(fits), "{exact:?}");
        let unknown = lines(&rows([Some(0.0), None, Some(0.0)]));
        assert!(
            unknown.iter().all(|line| line.slope_interval.is_none() && line.intercept_interval.is_none())
        );
        let wide = lines(&rows([Some(0.5), Some(0.8), Some(1.4)]));
        let around = |line: &SweepLine| {
            let spans = [(line.slope_interval, line.slope), (line.intercept_interval, line.intercept)];
            spans.iter().all(|(interval, middle)| {
                interval.is_some_and(|(low, high)| low < *middle && near(high - middle, middle - low))
            })
        };
        assert!(wide.len() == 1 && wide.iter().all(around), "{wide:?}");
    }

    #[test]
    fn the_worst_point_is_that_furthest_off_as_a_share() {
        let point = |parameter, value| SweepPoint { parameter, value, half: None };
        let (slope, intercept) = (String::new(), String::new());
        let fit = Fit { parameter: String::new(), unit: 1, per_unit: false, slope, intercept };
        let of = |points: &[SweepPoint]| line(PointId::default(), &fit, points);
        assert_eq!(of(&[point(1.0, 1.0), point(2.0, 2.0)]), None);
        let points = [point(0.0, 1.0), point(1.0, 2.0), point(2.0, 1.0)];
        // Weights of 1, 1/4 and 1: a level line at 10/9, which is 8/9 off above and 1/9 below.
        let found = of(&points);
        let (slope, level, worst) =
            found.map(|line| (line.slope, line.intercept, line.worst)).unwrap_or_default();
        assert!(slope.abs() < 1e-12 && (level - 10.0 / 9.0).abs() < 1e-12, "{slope} {level}");
        assert!((worst - 4.0 / 9.0).abs() < 1e-12, "{worst}");
    }

    #[test]
    fn numbers_are_plain_or_sizes() {
        let all = ["3", "0.5", "4KiB", "x", "inf"].map(|text| number(text, 10));
        assert_eq!(all, [Some(30.0), Some(5.0), Some(4096.0), None, None]);
    }
}
