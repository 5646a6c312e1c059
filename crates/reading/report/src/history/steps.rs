//! The steps of a history: what is said of each.

use super::view::{HistoryView, PastRun, ShownStep};
use crate::comparison;
use crate::document::Block;
use crate::json::{Part, object};
use crate::table::{Column, Columns, Table};
use crate::wording::{joined, many};

/// The steps, and what a reader may do about them.
pub(super) fn block(view: &HistoryView<'_>) -> Block {
    if view.steps.is_empty() {
        let enough = view.points.iter().filter(|point| point.values.len() >= analysis::LEAST_RUNS).count();
        let text = match enough {
            0 => format!("no steps are looked for: no point has {} runs", analysis::LEAST_RUNS),
            _ => format!("no step in {}", many(enough, "point")),
        };
        return Block::text(text);
    }
    let runs = view.runs;
    let name = Column::name("", 0, 24, usize::MAX).titled("point");
    let columns = Columns::new(name, |shown: &&ShownStep<'_>| shown.history.point.id.to_string())
        .with(Column::word("since", 0), move |shown| shown.began(runs))
        .with(Column::number("cost", 0), |shown| {
            let [change, _] = comparison::change(&shown.step.change);
            change
        })
        .with(Column::word("interval", 1), |shown| {
            let [_, interval] = comparison::change(&shown.step.change);
            interval
        })
        .with(Column::word("is", 0), |shown| shown.word().to_owned())
        .with(Column::word("began between", 3), move |shown| {
            let [first, last] = shown.between(runs);
            if first == last { String::new() } else { format!("{first} … {last}") }
        })
        .with(Column::prose("changed between the runs", 2, 12, usize::MAX), move |shown| {
            let acknowledged = shown.acknowledged.as_ref().map(|why| format!("acknowledged: {why}"));
            joined(
                [acknowledged.unwrap_or_default(), shown.changed(runs)]
                    .iter()
                    .filter(|text| !text.is_empty()),
                "; ",
            )
        });
    // Pages leave out columns where there is no room for them.
    let table = Table { is_headed_on_pages: true, ..columns.table_of(view.steps.iter()) };
    Block::Part("steps".to_owned(), vec![Block::Table(table)])
}

pub(super) fn document(shown: &ShownStep<'_>, runs: &[PastRun<'_>]) -> impl Part {
    let change = shown.step.change.relative_cost();
    let [earliest, latest] = shown.between(runs);
    object! {
        operation: &shown.history.point.id.operation,
        point: &shown.history.point.id.point,
        /// When the first run of the new level began.
        since: shown.began(runs),
        /// The interval of that at 95 %.
        earliest: earliest,
        latest: latest,
        /// `slower` or `faster`, and `larger` or `smaller` for what is neither a time nor a bandwidth.
        decision: shown.step.change.decision.word(),
        /// The levels before and after, in the base unit.
        before: shown.step.change.first,
        after: shown.step.change.second,
        /// The new cost divided by the old one, with its interval at 95 %.
        factor: change.map(|change| change.value),
        low: change.map(|change| change.low),
        high: change.map(|change| change.high),
        /// Whether the level changed gradually.
        drift: shown.step.is_drift,
        /// Whether the newest level is still the new one.
        lasts: shown.step.lasts,
        /// What changed in the machine, the program and the settings in the runs among which it began.
        changed: shown.changed(runs),
        /// Why it is expected; null where it is not acknowledged.
        acknowledged: &shown.acknowledged,
    }
}
