//! The values of a point over the runs of a machine.

use crate::rows::earlier_runs::{BetweenRuns, EarlierRuns};
use crate::rows::row::Row;
use crate::thresholds::COVERAGE;
use record::{PlannedPoint, SummaryRow};
use stats::interval::Interval;
use stats::order::median;

/// What a run says of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct PastValue {
    /// The place of the run among all.
    pub run: usize,
    /// Revision of the operation.
    pub revision: u32,
    /// `measured`, `noisy`, `contradicted`, `skipped` or `failed`.
    pub verdict: String,
    /// Its typical value; `None` without a number.
    pub typical: Option<f64>,
    /// The interval of that run, at 95 %.
    pub interval: Option<Interval>,
}

impl PastValue {
    /// Half of its interval.
    pub fn half(&self) -> Option<f64> {
        self.interval.map(|interval| (interval.high - interval.low) / 2.0)
    }

    /// The same as a share of the value.
    pub fn half_width(&self) -> Option<f64> {
        Some(self.half()? / self.typical?.abs())
    }
}

/// The values of a point over the runs of a machine, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct PointHistory {
    /// The point as the newest of these runs has it.
    pub point: PlannedPoint,
    /// What the runs say that have it.
    pub values: Vec<PastValue>,
    /// The median of the values, the lowest and the highest; `None` without a number.
    pub spread: Option<[f64; 3]>,
    /// The deviation between the runs by which the next one is judged.
    pub between_runs: Option<BetweenRuns>,
}

impl PointHistory {
    /// The history of a point over these runs. Of those that were measured as the newest one, `alike` holds the values.
    pub fn new(point: PlannedPoint, runs: &[&[SummaryRow]], alike: &EarlierRuns) -> Self {
        let values: Vec<PastValue> = runs
            .iter()
            .enumerate()
            .filter_map(|(run, rows)| Some((run, rows.iter().find(|row| row.id == point.id)?)))
            .map(|(run, row)| PastValue {
                run,
                revision: row.revision,
                verdict: row.verdict.clone(),
                typical: row.typical,
                interval: row.interval.map(|(low, high)| Interval::at_level(low, high, COVERAGE)),
            })
            .collect();
        let numbers: Vec<f64> = values.iter().filter_map(|value| value.typical).collect();
        let spread = median(&numbers).map(|median| {
            let lowest = numbers.iter().copied().fold(median, f64::min);
            [median, lowest, numbers.iter().copied().fold(median, f64::max)]
        });
        let by_earlier_runs = alike.between_runs(&point);
        let between_runs = Row { by_earlier_runs, ..Row::new(point.clone()) }.between_runs();
        Self { point, values, spread, between_runs }
    }

    /// A value as a factor of the median; `None` where either is not above zero.
    pub fn of_median(&self, value: &PastValue) -> Option<f64> {
        let [median, ..] = self.spread?;
        Some(value.typical? / median).filter(|factor| *factor > 0.0)
    }

    /// The highest value less the lowest, as a share of the median.
    pub fn range(&self) -> Option<f64> {
        self.spread.map(|[median, lowest, highest]| (highest - lowest) / median.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quantity::Quantity;
    use record::PointId;

    fn run(typical: Option<f64>, operation: &str) -> Vec<SummaryRow> {
        vec![SummaryRow {
            id: PointId::new(operation, ""),
            quantity: Quantity::Latency,
            revision: 1,
            verdict: "measured".to_owned(),
            typical,
            interval: typical.map(|typical| (typical - 1.0, typical + 1.0)),
            trials: 12,
            core_hz: None,
        }]
    }

    #[test]
    fn values_are_those_of_the_runs_that_have_the_point() {
        let runs = [
            run(Some(40.0), "a.x"),
            run(Some(9.0), "a.y"),
            run(None, "a.x"),
            run(Some(50.0), "a.x"),
            run(Some(42.0), "a.x"),
        ];
        let runs: Vec<&[SummaryRow]> = runs.iter().map(Vec::as_slice).collect();
        let (area, quantity) = ("os".to_owned(), Quantity::Latency);
        let point = PlannedPoint { area, quantity, ..PlannedPoint::new(PointId::new("a.x", "")) };
        let mut alike = EarlierRuns::default();
        let table = PointHistory::new(point.clone(), &runs, &alike);
        runs.iter().for_each(|rows| alike.add(rows));
        let history = PointHistory::new(point, &runs, &alike);
        let values: Vec<(usize, Option<f64>)> =
            history.values.iter().map(|value| (value.run, value.typical)).collect();
        assert_eq!(values, [(0, Some(40.0)), (2, None), (3, Some(50.0)), (4, Some(42.0))]);
        assert_eq!(history.spread, Some([42.0, 40.0, 50.0]));
        assert_eq!(history.range(), Some(10.0 / 42.0));
        let (none, last) = (&history.values[1], &history.values[3]);
        assert_eq!((history.of_median(last), history.of_median(none)), (Some(1.0), None));
        assert_eq!((last.half_width(), none.half_width()), (Some(1.0 / 42.0), None));
        assert_eq!(history.between_runs.map(|between| between.records), Some(3));
        assert_eq!(table.between_runs.map(|between| between.records), Some(0));
    }
}
