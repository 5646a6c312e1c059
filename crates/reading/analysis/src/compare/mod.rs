//! Two records, point by point: what costs more in the second, what is the same, and what is undecided.

pub(crate) mod clocks;
pub(crate) mod decision;
pub(crate) mod decomposition;
mod levels;
pub(crate) mod machines;
pub(crate) mod runs;
pub(crate) mod shapes;

use crate::rows::row::Row;
use crate::run::analysis::Analysis;
use crate::tails::change::{TailChange, tail_changes};
use decision::BothRuns;
use record::PointId;
use shapes::{Compare, Compared, Comparison, Decision, Limits, NoDecision, is_of_a_moment};
use std::borrow::Cow;
use std::collections::HashMap;

/// Compares the second record with the first.
pub fn compare(first: &Compare<'_>, second: &Compare<'_>, limits: &Limits) -> Comparison {
    let after: HashMap<&PointId, &Row> = by_id(second.analysis);
    let at_hz = clocks::reference_of(&[first, second]);
    let rows = first.analysis.rows.iter();
    let pairs = rows.filter_map(|row| Some([row, *after.get(&row.point.id)?]));
    let pairs: Vec<Vec<Cow<'_, Row>>> = pairs.map(|pair| clocks::at_one_clock(&pair, at_hz)).collect();
    let pairs = pairs.iter().filter_map(|pair| Some((&**pair.first()?, &**pair.get(1)?)));
    let clocks = clocks::clocks(first, second, at_hz, pairs.clone());
    let line_ns = [first, second].map(|side| side.analysis.placements.line_ns());
    let is_of_a_moment = [first, second].iter().any(|run| is_of_a_moment(&[**run]));
    let both = BothRuns { line_ns, is_of_a_moment };
    let pairs = pairs.map(|(one, other)| {
        let mut compared = decision::compared(one, other, both, limits);
        let levels = levels::other_levels(&compared.id, first.analysis, second.analysis);
        let [one, other] = [first, second].map(|side| side.analysis.has_tail(&compared.id));
        let tails = (one != other).then_some(NoDecision::Tails);
        if let Some(reason) = levels.or(tails) {
            compared.cannot_be_compared(reason);
        }
        compared
    });
    let mut points: Vec<Compared> = pairs.collect();
    points.sort_by(|a, b| place(a).cmp(&place(b)).then(by_size(a, b)));
    let decided = points.iter().filter(|point| point.decision.is_decided());
    let only_first = missing(first.analysis, second.analysis);
    let absent =
        only_first.iter().filter(|id| first.analysis.row(id).is_some_and(shapes::has_number)).cloned();
    Comparison {
        facts: machines::compared(first.machine, second.machine),
        common: stats::order::median(decided.filter_map(Compared::cost)),
        points,
        absent: absent.collect(),
        only_first,
        only_second: missing(second.analysis, first.analysis),
        clocks,
        is_of_a_moment: is_of_a_moment && !limits.paired,
        tails: tails(first.analysis, second.analysis),
    }
}

/// The percentiles of points of which both timed every iteration.
fn tails(first: &Analysis, second: &Analysis) -> Vec<(PointId, Vec<TailChange>)> {
    let pairs = first.tails.iter().filter_map(|before| {
        let after = second.tails.iter().find(|after| after.id == before.id)?;
        Some((before.id.clone(), tail_changes(before, after)))
    });
    pairs.filter(|(_, changes)| !changes.is_empty()).collect()
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
    use crate::tails::point_tail::PointTail;
    use crate::tails::point_tail::tests::trial;
    use quantity::Quantity;
    use record::{Machine, Plan};

    /// Changes by their size, then what is undecided, what is not comparable, and what is the same.
    #[test]
    fn points_come_in_the_order_of_their_interest() {
        let (machine, plan) = (Machine::default(), Plan::default());
        let few = vec![1.0, 1.0];
        // The trials of each point in the first record and in the second.
        let points = [
            ("same", around(10.0), around(10.0)),
            ("other", around(10.0), around(10.0)),
            ("few", few.clone(), few),
            ("slower", around(10.0), around(12.0)),
            ("faster", around(10.0), around(5.0)),
            ("same.too", around(10.0), around(10.0)),
        ];
        let rows = points.iter().map(|(name, first, second)| {
            [(first, 1), (second, 2)].map(|(trials, revision)| {
                let mut row = row(Quantity::Latency, trials, 0.0);
                row.point.id = PointId::new(name, "");
                row.point.revision = if *name == "other" { revision } else { 1 };
                row
            })
        });
        let (first, second): (Vec<Row>, Vec<Row>) = rows.map(|[first, second]| (first, second)).unzip();
        let analyses = [first, second].map(|rows| Analysis::from_rows(rows, 20, Vec::new()));
        let [first, second] = analyses.each_ref().map(|analysis| Compare {
            machine: &machine,
            plan: &plan,
            analysis,
            period: None,
        });
        let comparison = compare(&first, &second, &Limits::default());
        let order: Vec<&str> = comparison.points.iter().map(|point| &*point.id.operation).collect();
        assert_eq!(order, ["faster", "slower", "few", "other", "same", "same.too"]);
    }

    #[test]
    fn a_point_of_which_one_run_timed_every_iteration_is_not_compared() {
        let (machine, plan) = (Machine::default(), Plan::default());
        let side = |has_tail: bool| {
            let row = row(Quantity::Latency, &around(10.0), 0.0);
            let tail = PointTail::from_trials(&row.point, &[trial(&[(10, 30)], None)]);
            let mut analysis = Analysis::from_rows(vec![row], 20, Vec::new());
            analysis.tails.extend(tail.filter(|_| has_tail));
            analysis
        };
        for (tails, expected) in [([false, true], Some(NoDecision::Tails)), ([true, true], None)] {
            let [first, second] = tails.map(side);
            let [first, second] = [&first, &second].map(|analysis| Compare {
                machine: &machine,
                plan: &plan,
                analysis,
                period: None,
            });
            let comparison = compare(&first, &second, &Limits::default());
            assert_eq!(comparison.points[0].reason, expected);
        }
    }
}
