//! Levels of the memory have the numbers under which each run found them: where one found more than the other, the same number
//! may mean another level.

use super::shapes::{NoDecision, has_number};
use crate::run::analysis::Analysis;
use record::PointId;

const LEVELS: &str = "memory.levels";

/// What says that a point is of another level in the second run.
pub(super) fn other_levels(id: &PointId, first: &Analysis, second: &Analysis) -> Option<NoDecision> {
    if id.operation != LEVELS {
        return None;
    }
    let [first, second] = [first, second].map(caches_found);
    (first > 0 && second > 0 && first != second).then_some(NoDecision::Levels(first, second))
}

/// How many caches the run found. Memory has no capacity that a sweep finds.
fn caches_found(run: &Analysis) -> usize {
    let capacities = run.rows.iter().filter(|row| {
        row.point.id.operation == LEVELS && row.point.id.parameter("property") == Some("capacity")
    });
    capacities.filter(|row| has_number(row)).count()
}

#[cfg(test)]
mod tests {
    use super::super::decision::tests::{around, row};
    use super::super::shapes::{Compare, Decision, Limits};
    use super::super::{compare, runs::compare_runs};
    use super::*;
    use quantity::Quantity;
    use record::{Machine, Plan};

    /// A run that found levels of these latencies, each but the last with a capacity, and loads beside.
    fn found(latencies: &[f64]) -> Analysis {
        let caches = latencies.len().saturating_sub(1);
        let levels = (1..=5).flat_map(|level| {
            ["capacity", "latency"].map(|property| {
                let ends = if property == "capacity" { caches } else { latencies.len() };
                let mut row = row(Quantity::Latency, &around(*latencies.get(level - 1).unwrap_or(&1.0)), 0.0);
                row.point.id = PointId::new(LEVELS, &format!("level={level} property={property}"));
                row.estimate = row.estimate.filter(|_| level <= ends);
                row
            })
        });
        let mut loads = row(Quantity::Latency, &around(latencies.iter().sum()), 0.0);
        loads.point.id = PointId::new("memory.latency", "bytes=64MiB");
        Analysis::from_rows(levels.chain([loads]).collect(), 20, Vec::new())
    }

    /// The third level of a run that missed a cache is the memory: it was called a slower L3.
    #[test]
    fn levels_of_other_numbers_are_not_compared() {
        let (machine, plan) = (Machine::default(), Plan::default());
        let of_run = |analysis| Compare { machine: &machine, plan: &plan, analysis, period: None };
        let three = found(&[1.0, 4.0, 12.0, 100.0]);
        let [missed, slower, none] = [&[1.0, 4.0, 100.0][..], &[1.0, 4.0, 24.0, 200.0], &[]].map(found);
        let third = PointId::new(LEVELS, "level=3 property=latency");
        for (second, numbers) in [(&missed, Some(NoDecision::Levels(3, 2))), (&slower, None)] {
            let one = compare(&of_run(&three), &of_run(second), &Limits::default());
            let [first, second] = [&three, second].map(|run| [of_run(run), of_run(run)]);
            let several = compare_runs(&first, &second, false, &Limits::default()).unwrap();
            for comparison in [one, several] {
                let level = comparison.points.iter().find(|point| point.id == third).unwrap();
                assert_eq!(level.decision == Decision::Incomparable, numbers.is_some(), "{level:?}");
                assert_eq!(level.reason.clone().filter(|_| numbers.is_some()), numbers);
                let loads = comparison.points.iter().find(|point| point.id.operation == "memory.latency");
                assert!(loads.is_some_and(|loads| loads.change.is_some()));
            }
        }
        // A run without any has lost them.
        let lost = compare(&of_run(&three), &of_run(&none), &Limits::default());
        assert!(lost.points.iter().any(|point| point.id == third && point.is_lost()));
    }
}
