//! Rows from values that are known already, such as those of a machine measured elsewhere, with predictions from them.

use crate::rows::row::{Estimate, Row, Verdict};
use crate::thresholds::COVERAGE;
use crate::verdicts::predictions::{self, Predictions};
use record::{Lookup, Machine, PlannedPoint, PointId, Prediction, Range};
use stats::interval::Interval;
use std::collections::HashMap;

/// A point, what it should cost, and what it came out as.
#[derive(Debug, Clone)]
pub struct KnownValue {
    /// The point.
    pub point: PlannedPoint,
    /// What it should cost.
    pub prediction: Prediction,
    /// What may be said of it.
    pub verdict: Verdict,
    /// The typical value; `None` where there is none.
    pub typical: Option<f64>,
    /// Its interval; `None` where there is none.
    pub interval: Option<(f64, f64)>,
}

/// The rows of these points on a machine, predicted from its facts and from each other.
pub fn rows_of_known(machine: &Machine, known: Vec<KnownValue>) -> Vec<Row> {
    let parts = known.iter().filter_map(|known| {
        let value = known.typical?;
        let (low, high) = known.interval.unwrap_or((value, value));
        Some((known.point.id.clone(), Range { low, value, high }))
    });
    let values = Values::new(machine, parts);
    known.into_iter().map(|one| row(one, &values)).collect()
}

/// The facts of a machine and the values of points, for formulas.
pub(crate) struct Values<'m> {
    machine: &'m Machine,
    parts: HashMap<PointId, Range>,
}

impl<'m> Values<'m> {
    pub(crate) fn new(machine: &'m Machine, parts: impl Iterator<Item = (PointId, Range)>) -> Self {
        Self { machine, parts: parts.collect() }
    }
}

impl Lookup for Values<'_> {
    fn fact(&self, key: &str) -> Option<Range> {
        self.machine.range(key)
    }

    fn is_assumed(&self, key: &str) -> bool {
        self.machine.is_assumed(key)
    }

    fn part(&self, point: &PointId) -> Option<Range> {
        self.parts.get(point).copied()
    }
}

fn row(known: KnownValue, values: &Values<'_>) -> Row {
    let Predictions { from_facts, from_parts, unpredicted } =
        predictions::predict(&known.point.id, &known.prediction, values);
    let interval = known.interval.map(|(low, high)| Interval::at_level(low, high, COVERAGE));
    Row {
        verdict: known.verdict,
        estimate: known.typical.map(|typical| Estimate {
            typical,
            interval,
            best: typical,
            ..Estimate::default()
        }),
        from_facts,
        from_parts,
        unpredicted,
        ..Row::new(known.point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_value_is_its_own_best() {
        let known = KnownValue {
            point: PlannedPoint::new(PointId::new("a.b", "")),
            prediction: Prediction::default(),
            verdict: Verdict::Measured,
            typical: Some(5.0),
            interval: Some((4.0, 6.0)),
        };
        let estimates: Vec<Option<Estimate>> =
            rows_of_known(&Machine::default(), vec![known]).into_iter().map(|row| row.estimate).collect();
        let expected = Estimate {
            typical: 5.0,
            interval: Some(Interval::at_level(4.0, 6.0, COVERAGE)),
            best: 5.0,
            ..Estimate::default()
        };
        assert_eq!(estimates, [Some(expected)]);
    }
}
