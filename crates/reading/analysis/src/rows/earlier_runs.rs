//! The deviation between earlier runs of a point on the same machine.
//!
//! Three values say little of a variance, and the class of a point says something. The estimate takes both: the table of
//! classes has the degrees of freedom that the spread of the points within a class allows ([`CLASS_FREEDOM`]), earlier runs
//! add theirs, and the interval is Student's. So a quiet point is narrower than its class after some runs, a loud one wider,
//! and the interval keeps its coverage from three runs on. It is an empirical Bayes estimate: the variances of the points
//! of a class follow a scaled inverse chi-square distribution.

use crate::rows::run_class::by_class;
use crate::thresholds::{CLASS_FREEDOM, LEAST_EARLIER_RUNS, MOMENT_S};
use quantity::Quantity;
use record::{PlannedPoint, PointId, SummaryRow};
use stats::normal::student_of_normal;
use stats::spread;
use std::collections::HashMap;

/// Standard deviations of a normal distribution that 95 % take.
pub(crate) const COVERED: f64 = 1.96;

/// The deviation between runs on one machine besides what their intervals cover.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetweenRuns {
    /// Standard deviation between runs, as a share of the value.
    pub deviation: f64,
    /// Degrees of freedom of that deviation; infinite where it is the table's.
    pub freedom: f64,
    /// Earlier runs that it is estimated from; 0 where it is the table's.
    pub records: usize,
}

impl BetweenRuns {
    pub(crate) fn from_table(deviation: f64) -> Self {
        Self { deviation, freedom: f64::INFINITY, records: 0 }
    }

    /// How far a run lies from its expectation, as a share of the value, with the probability with which a normal variable lies
    /// within this number of standard deviations.
    pub fn reach(&self, deviations: f64) -> f64 {
        student_of_normal(deviations, self.freedom) * self.deviation
    }
}

/// Whether runs that began at these seconds share what lasts for longer, so that they are one sample of it.
pub fn is_same_moment(one_s: f64, other_s: f64) -> bool {
    (one_s - other_s).abs() < MOMENT_S
}

/// What an earlier run says of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
struct EarlierValue {
    quantity: Quantity,
    revision: u32,
    typical: f64,
    /// Half the width of its interval.
    half: f64,
}

/// What earlier runs on the same machine, with the same kernel, program and settings, say of each point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EarlierRuns {
    values: HashMap<PointId, Vec<EarlierValue>>,
}

impl EarlierRuns {
    /// Takes in the points of an earlier run. Those without an interval say nothing.
    pub fn add(&mut self, rows: &[SummaryRow]) {
        for row in rows {
            if let (Some(typical), Some((low, high))) = (row.typical, row.interval) {
                let (quantity, revision, half) = (row.quantity, row.revision, (high - low) / 2.0);
                let value = EarlierValue { quantity, revision, typical, half };
                self.values.entry(row.id.clone()).or_default().push(value);
            }
        }
    }

    /// The deviation between runs of this point; `None` with too few of them, and for what is neither a time nor a bandwidth.
    pub fn between_runs(&self, point: &PlannedPoint) -> Option<BetweenRuns> {
        let class = by_class(point)?;
        let known = self.values.get(&point.id)?.iter();
        let known =
            known.filter(|value| value.quantity == point.quantity && value.revision == point.revision);
        let known: Vec<EarlierValue> = known.copied().collect();
        if known.len() < LEAST_EARLIER_RUNS {
            return None;
        }
        let mean = spread::mean(known.iter().map(|value| value.typical)).filter(|mean| *mean != 0.0)?;
        let freedom = (known.len() - 1) as f64;
        let between: f64 = known.iter().map(|value| (value.typical / mean - 1.0).powi(2)).sum();
        // What the intervals of the runs cover is no part of it.
        let within = known.iter().map(|value| (value.half / mean / COVERED).powi(2));
        let within = freedom * spread::mean(within.collect::<Vec<_>>())?;
        // The class covers as much with its degrees of freedom as the table does without.
        let class = class * COVERED / student_of_normal(COVERED, CLASS_FREEDOM);
        let squares = CLASS_FREEDOM * class.powi(2) + (between - within).max(0.0);
        let freedom = CLASS_FREEDOM + freedom;
        Some(BetweenRuns { deviation: (squares / freedom).sqrt(), freedom, records: known.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point() -> PlannedPoint {
        let id = PointId::new("file.read.direct", "access=random");
        PlannedPoint { area: "file".to_owned(), quantity: Quantity::Latency, ..PlannedPoint::new(id) }
    }

    fn row(typical: f64, half: f64) -> SummaryRow {
        SummaryRow {
            id: point().id,
            quantity: Quantity::Latency,
            revision: 1,
            verdict: "measured".to_owned(),
            typical: Some(typical),
            interval: Some((typical - half, typical + half)),
            trials: 12,
            core_hz: None,
        }
    }

    /// What runs with these values say of the point.
    fn by(values: &[f64], half: f64) -> Option<BetweenRuns> {
        let mut earlier = EarlierRuns::default();
        values.iter().for_each(|value| earlier.add(&[row(*value, half)]));
        earlier.between_runs(&point())
    }

    #[test]
    fn three_runs_and_the_class_are_pooled() {
        assert_eq!(by(&[95.0, 105.0], 0.0), None);
        let found = by(&[95.0, 100.0, 105.0], 0.0).unwrap();
        let class: f64 = 0.07 * 1.96 / 3.182;
        let deviation = ((3.0 * class * class + 0.005) / 5.0).sqrt();
        assert_eq!((found.freedom, found.records), (5.0, 3));
        assert!((found.deviation / deviation - 1.0).abs() < 0.01, "{found:?} {deviation}");
        assert!((found.reach(1.96) / (2.571 * deviation) - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_quiet_point_gets_narrower_and_a_loud_one_wider_than_the_class() {
        let table = BetweenRuns::from_table(0.07).reach(COVERED);
        assert!((table - 1.96 * 0.07).abs() < 1e-12);
        let quiet = by(&[100.0; 10], 0.0).unwrap().reach(COVERED);
        let loud: Vec<f64> = (0..10).map(|at| 100.0 + 30.0 * f64::from(at % 3 - 1)).collect();
        let loud = by(&loud, 0.0).unwrap().reach(COVERED);
        assert!(quiet < table / 2.0 && loud > 2.0 * table, "{quiet} {table} {loud}");
    }

    #[test]
    fn what_the_intervals_of_the_runs_cover_is_not_counted_again() {
        let [exact, wide] = [0.0, 10.0].map(|half| by(&[95.0, 100.0, 105.0], half).unwrap().deviation);
        let none = by(&[100.0; 3], 0.0).unwrap().deviation;
        assert!(wide < exact && wide.to_bits() == none.to_bits(), "{wide} {exact} {none}");
    }

    #[test]
    fn only_values_of_the_same_meaning_count() {
        let without = |change: fn(&mut SummaryRow)| {
            let mut earlier = EarlierRuns::default();
            for value in [95.0, 100.0, 105.0] {
                let mut row = row(value, 1.0);
                change(&mut row);
                earlier.add(&[row]);
            }
            earlier.between_runs(&point())
        };
        assert!(without(|_| ()).is_some());
        for change in [
            (|row| row.revision = 2) as fn(&mut SummaryRow),
            |row| row.quantity = Quantity::Count,
            |row| row.interval = None,
            |row| row.typical = None,
            |row| row.id = PointId::new("file.read.direct", "access=sequential"),
        ] {
            assert_eq!(without(change), None);
        }
        let mut earlier = EarlierRuns::default();
        [-1.0, 0.0, 1.0].iter().for_each(|value| earlier.add(&[row(*value, 1.0)]));
        assert_eq!(earlier.between_runs(&point()), None, "no share of zero");
    }
}
