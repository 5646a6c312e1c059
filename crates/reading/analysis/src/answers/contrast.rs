//! Flawed methods beside the right ones: what each gave, and the factor between them.

use crate::rows::row::{Row, find};
use quantity::Quantity;
use record::{PointId, Range};

/// Where a flawed method's result lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Above the right one.
    Above,
    /// Below the right one.
    Below,
    /// On neither side for certain: the interval of the factor contains 1, or there is none.
    Undecided,
}

/// A flawed method and what the right one gave in the same run.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// The point of the flawed method.
    pub method: PointId,
    /// What is wrong with it.
    pub wrong: String,
    /// What it gave; `None` without a number.
    pub gave: Option<f64>,
    /// The point of the right method, where the plan names one.
    pub right: Option<PointId>,
    /// What that gave; `None` when it was not measured in this run.
    pub right_gave: Option<f64>,
    /// Wrong divided by right, with its interval where both have one.
    pub factor: Option<Range>,
    /// On which side of the right result the wrong one lies.
    pub direction: Direction,
    /// The kind of both results.
    pub quantity: Quantity,
}

/// Every flawed method among the rows.
pub(crate) fn contrasts(rows: &[Row]) -> Vec<Contrast> {
    let all = rows.iter().filter_map(|row| Some((row, row.point.flaw.as_ref()?)));
    all.map(|(row, wrong)| contrast(row, wrong, row.point.beside.clone(), rows)).collect()
}

/// A row that is wrong for this reason beside the one that is right.
pub(crate) fn contrast(row: &Row, wrong: &str, right: Option<PointId>, rows: &[Row]) -> Contrast {
    // Values of different kinds have no factor between them.
    let beside =
        right.as_ref().and_then(|id| find(rows, id)).filter(|beside| beside.quantity() == row.quantity());
    let factor = beside.and_then(|beside| quotient(row, beside));
    Contrast {
        method: row.point.id.clone(),
        wrong: wrong.to_owned(),
        gave: row.typical(),
        right,
        right_gave: beside.and_then(Row::typical),
        direction: factor.map_or(Direction::Undecided, Direction::from_factor),
        factor,
        quantity: row.quantity(),
    }
}

impl Direction {
    /// On which side of 1 a factor lies.
    pub(crate) fn from_factor(factor: Range) -> Self {
        if factor.low > 1.0 {
            Self::Above
        } else if factor.high < 1.0 {
            Self::Below
        } else {
            Self::Undecided
        }
    }
}

/// One row's typical value divided by another's, from corner to corner of their intervals.
///
/// Errors of two points are independent, since each trial is a process of its own. Of two intervals of 95 %
/// the corners then hold the quotient in 95 % at least, because the half widths are added where adding them
/// in quadrature would do. Where a row has too few trials for an interval, all that its trials saw stands
/// for one. `None` where a row has no number, or the divisor may be 0.
pub(crate) fn quotient(row: &Row, by: &Row) -> Option<Range> {
    quotient_of(row.range()?, by.range()?)
}

/// The same of two ranges.
pub(crate) fn quotient_of(over: Range, under: Range) -> Option<Range> {
    (under.low > 0.0 && over.low > 0.0).then(|| Range {
        low: over.low / under.high,
        value: over.value / under.value,
        high: over.high / under.low,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::fixtures::{range, row, saw_only, without_interval};

    #[test]
    fn factor_between_ranges_goes_from_corner_to_corner() {
        let over = (6.0, 8.0, 9.0);
        for (over, under, quotient) in [
            (over, (2.0, 4.0, 8.0), Some((0.75, 2.0, 4.5))),
            (over, (0.5, 1.0, 1.0), Some((6.0, 8.0, 18.0))),
            (over, (0.0, 4.0, 8.0), None),
            (over, (-1.0, 4.0, 8.0), None),
            ((0.0, 4.0, 8.0), over, None),
            ((-1.0, 4.0, 8.0), over, None),
            ((0.0, 1.0, 2.0), (0.0, 1.0, 2.0), None),
        ] {
            assert_eq!(quotient_of(range(over), range(under)), quotient.map(range), "{over:?} {under:?}");
        }
    }

    #[test]
    fn factor_lies_on_a_side_where_its_whole_interval_does() {
        for (factor, direction) in [
            ((1.01, 1.2, 1.3), Direction::Above),
            ((1.0, 1.2, 1.3), Direction::Undecided),
            ((0.9, 1.2, 1.3), Direction::Undecided),
            ((0.8, 0.9, 1.1), Direction::Undecided),
            ((0.8, 0.9, 1.0), Direction::Undecided),
            ((0.8, 0.9, 0.99), Direction::Below),
        ] {
            assert_eq!(Direction::from_factor(range(factor)), direction, "{factor:?}");
        }
    }

    #[test]
    fn method_stands_beside_the_right_one_of_its_own_kind() {
        let right = row("right", "", Quantity::Latency, (2.0, 4.0, 8.0));
        let rate = row("rate", "", Quantity::Bandwidth, (2.0, 4.0, 8.0));
        // All that its trials saw stands for the interval.
        let few = saw_only(without_interval(right.clone()), &[2.0, 4.0]);
        let without_number = Row { estimate: None, ..few.clone() };
        for (beside, others, right_gave, factor, direction) in [
            ("right", vec![right, rate.clone()], Some(4.0), Some((0.75, 2.0, 4.5)), Direction::Undecided),
            ("rate", vec![rate], None, None, Direction::Undecided),
            ("absent", vec![], None, None, Direction::Undecided),
            ("right", vec![few], Some(4.0), Some((1.5, 2.0, 4.5)), Direction::Above),
            ("right", vec![without_number], None, None, Direction::Undecided),
        ] {
            let mut flawed = row("flawed", "", Quantity::Latency, (6.0, 8.0, 9.0));
            flawed.point.flaw = Some("it is wrong".to_owned());
            flawed.point.beside = Some(PointId::new(beside, ""));
            let expected = Contrast {
                method: PointId::new("flawed", ""),
                wrong: "it is wrong".to_owned(),
                gave: Some(8.0),
                right: Some(PointId::new(beside, "")),
                right_gave,
                factor: factor.map(range),
                direction,
                quantity: Quantity::Latency,
            };
            let rows: Vec<Row> = std::iter::once(flawed).chain(others).collect();
            assert_eq!(contrasts(&rows), [expected]);
        }
    }
}
