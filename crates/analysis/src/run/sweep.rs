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
