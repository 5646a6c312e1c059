//! Two records, point by point: what costs more in the second, what is the same, and what is undecided.

pub(crate) mod clocks;
mod decision;
pub(crate) mod decomposition;
pub(crate) mod machines;
pub(crate) mod shapes;

use crate::rows::row::Row;
use crate::run::analysis::Analysis;
use record::PointId;
use shapes::{Compare, Compared, Comparison, Decision, Limits};
use std::collections::HashMap;

/// Compares the second record with the first.
pub fn compare(first: &Compare<'_>, second: &Compare<'_>, limits: &Limits) -> Comparison {
    let after: HashMap<&PointId, &Row> = by_id(second.analysis);
    let pairs = first.analysis.rows.iter();
    let pairs = pairs.filter_map(|row| Some((row, *after.get(&row.point.id)?)));
    let clocks = clocks::clocks(first, second, pairs.clone());
    let mut points: Vec<Compared> =
        pairs.map(|(first, second)| decision::compared(first, second, limits)).collect();
    points.sort_by(|a, b| place(a).cmp(&place(b)).then(by_size(a, b)));
    let decided = points.iter().filter(|point| point.decision.is_decided());
    let only_first = missing(first.analysis, second.analysis);
    let has_number = |id: &&PointId| first.analysis.row(id).is_some_and(shapes::has_number);
    Comparison {
        facts: machines::compared(first.machine, second.machine),
        common: stats::order::median(decided.filter_map(Compared::cost)),
        points,
        absent: only_first.iter().filter(has_number).cloned().collect(),
        only_first,
        only_second: missing(second.analysis, first.analysis),
        clocks,
    }
}

fn by_id(analysis: &Analysis) -> HashMap<&PointId, &Row> {
    analysis.rows.iter().map(|row| (&row.point.id, row)).collect()
}

/// The points of one that the other has not tried.
fn missing(of: &Analysis, from: &Analysis) -> Vec<PointId> {
    let has = by_id(from);
    let all = of.rows.iter().map(|row| &row.point.id);
    all.filter(|id| !has.contains_key(id)).cloned().collect()
}

fn place(compared: &Compared) -> u8 {
    match compared.decision {
        decision if decision.is_change() => 0,
        Decision::Unclear => 1,
        Decision::Incomparable => 2,
        _ => 3,
    }
}

/// Of changes the larger comes first; the others stay as they are.
fn by_size(a: &Compared, b: &Compared) -> std::cmp::Ordering {
    match place(a) {
        0 => b.size().total_cmp(&a.size()),
        _ => std::cmp::Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::decision::tests::{around, row};
    use super::*;
    use quantity::Quantity;
    use record::{Machine, Plan};

    /// Changes by their size, then what is undecided, what is not comparable, and what is the same.
    #[test]
    fn points_come_in_the_order_of_their_interest() {
        let (machine, plan) = (Machine::default(), Plan::default());
        let analysis = |values: [Vec<f64>; 6], revision: u32| {
            let names = ["same", "other", "few", "slower", "faster", "same.too"];
            let rows = names.into_iter().zip(values).map(|(name, trials)| {
                let mut row = row(Quantity::Latency, &trials, 0.0);
                row.point.id = PointId::new(name, "");
                row.point.revision = if name == "other" { revision } else { 1 };
                row
            });
            Analysis::from_rows(rows.collect(), 20, Vec::new())
        };
        let few = vec![1.0, 1.0];
        let ten = || around(10.0);
        let first = analysis([ten(), ten(), few.clone(), ten(), ten(), ten()], 1);
        let second = analysis([ten(), ten(), few, around(12.0), around(5.0), ten()], 2);
        let side = |analysis| Compare { machine: &machine, plan: &plan, analysis };
        let comparison = compare(&side(&first), &side(&second), &Limits::default());
        let order: Vec<&str> = comparison.points.iter().map(|point| &*point.id.operation).collect();
        assert_eq!(order, ["faster", "slower", "few", "other", "same", "same.too"]);
    }
}
