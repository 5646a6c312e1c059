//! The values of points over the runs of a machine.

use crate::rows::earlier_runs::{BetweenRuns, EarlierRuns};
use crate::rows::row::Row;
use crate::run::past_value::PastValue;
use crate::run::steps::{Step, steps};
use crate::run::strip::{StripCell, strip};
use quantity::Quantity;
use record::{PlannedPoint, PointId, SummaryRow};
use stats::order::median;
use std::collections::HashMap;

/// What runs say of their points, taken in one run after the other, so that no run has to be kept.
#[derive(Debug, Default)]
pub struct Histories {
    series: Vec<(PointId, Quantity, Vec<PastValue>)>,
    places: HashMap<PointId, usize>,
}

impl Histories {
    /// Takes in the points of a run that is called by this number.
    pub fn add(&mut self, run: usize, rows: Vec<SummaryRow>) {
        for row in rows {
            let place = *self.places.entry(row.id.clone()).or_insert(self.series.len());
            if place == self.series.len() {
                self.series.push((row.id, row.quantity, Vec::new()));
            }
            if let Some((_, quantity, values)) = self.series.get_mut(place).filter(|of| of.1 == row.quantity)
            {
                debug_assert_eq!(*quantity, row.quantity);
                let SummaryRow { revision, typical, interval, .. } = row;
                values.push(PastValue { run, revision, verdict: row.verdict.into(), typical, interval });
            }
        }
    }

    /// The points and their values in these runs, which become 0, 1, 2 …; points that none of them has are left out. The
    /// points of the newest run come first.
    pub fn over(self, runs: &[usize]) -> Vec<(PlannedPoint, Vec<PastValue>)> {
        let places: HashMap<usize, usize> = runs.iter().copied().zip(0..).collect();
        let points = self.series.into_iter().filter_map(|(id, quantity, values)| {
            let placed = values
                .into_iter()
                .filter_map(|value| Some(PastValue { run: *places.get(&value.run)?, ..value }));
            let mut values: Vec<PastValue> = placed.collect();
            values.sort_by_key(|value| value.run);
            let revision = values.last()?.revision;
            Some((PlannedPoint { quantity, revision, ..PlannedPoint::new(id) }, values))
        });
        let mut points: Vec<_> = points.collect();
        points.sort_by_key(|(_, values)| std::cmp::Reverse(values.last().map(|value| value.run)));
        points
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
    /// Where its level changed, in order of time.
    pub steps: Vec<Step>,
}

impl PointHistory {
    /// The history of a point with these values, one of `points` that are looked at, in runs that began then. Of those that
    /// were measured as the newest one, `alike` holds the values.
    pub fn new(
        point: PlannedPoint,
        values: Vec<PastValue>,
        started: &[&str],
        points: usize,
        alike: &EarlierRuns,
    ) -> Self {
        let numbers: Vec<f64> = values.iter().filter_map(|value| value.typical).collect();
        let spread = median(&numbers).map(|median| {
            let lowest = numbers.iter().copied().fold(median, f64::min);
            [median, lowest, numbers.iter().copied().fold(median, f64::max)]
        });
        let by_earlier_runs = alike.between_runs(&point);
        let between_runs = Row { by_earlier_runs, ..Row::new(point.clone()) }.between_runs();
        let steps = steps(&point, &values, started, points);
        Self { point, values, spread, between_runs, steps }
    }

    /// A value as a factor of the median; `None` where either is not above zero.
    pub fn of_median(&self, value: &PastValue) -> Option<f64> {
        let [median, ..] = self.spread?;
        Some(value.typical? / median).filter(|factor| *factor > 0.0)
    }

    /// The values as a strip of at most this number of cells.
    pub fn strip(&self, width: usize) -> Vec<StripCell> {
        let values: Vec<Option<f64>> = self.values.iter().map(|value| value.typical).collect();
        strip(&values, &self.steps.iter().map(|step| step.at).collect::<Vec<_>>(), width)
    }

    /// The highest value less the lowest, as a share of the median.
    pub fn range(&self) -> Option<f64> {
        self.spread.map(|[median, lowest, highest]| (highest - lowest) / median.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            run(Some(7.0), "a.x"),
            run(None, "a.x"),
            run(Some(50.0), "a.x"),
            run(Some(42.0), "a.x"),
        ];
        let mut histories = Histories::default();
        let mut alike = EarlierRuns::default();
        let table = EarlierRuns::default();
        for (at, rows) in runs.iter().enumerate() {
            histories.add(at, rows.clone());
            if at != 2 {
                alike.add(rows);
            }
        }
        // The third run is of another machine, and the first two were made in the other order.
        let points = histories.over(&[1, 0, 3, 4, 5]);
        assert_eq!(points.iter().map(|(point, _)| point.id.to_string()).collect::<Vec<_>>(), ["a.x", "a.y"]);
        let (point, values) = points.into_iter().next().unwrap_or_else(|| unreachable!());
        let point = PlannedPoint { area: "os".to_owned(), ..point };
        let of = |alike: &EarlierRuns| PointHistory::new(point.clone(), values.clone(), &[], 1, alike);
        let history = of(&alike);
        let values: Vec<(usize, Option<f64>)> =
            history.values.iter().map(|value| (value.run, value.typical)).collect();
        assert_eq!(values, [(1, Some(40.0)), (2, None), (3, Some(50.0)), (4, Some(42.0))]);
        assert_eq!(history.spread, Some([42.0, 40.0, 50.0]));
        assert_eq!(history.range(), Some(10.0 / 42.0));
        let (none, last) = (&history.values[1], &history.values[3]);
        assert_eq!((history.of_median(last), history.of_median(none)), (Some(1.0), None));
        assert_eq!((last.half_width(), none.half_width()), (Some(1.0 / 42.0), None));
        assert_eq!(history.between_runs.map(|between| between.records), Some(3));
        assert_eq!(of(&table).between_runs.map(|between| between.records), Some(0));
        assert_eq!(history.steps, []);
    }
}
