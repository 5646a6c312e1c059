//! What a comparison says, for all forms that are read by people: the sentence, what differs, the changes.

use super::forest::Forest;
use super::matrix::matrix;
use super::summary::{self, answer};
use super::view::{
    ComparedRecord, ComparedView, NO_ENVIRONMENT, NOISY, alone, change, change_cells, clocks, common,
    decision_cell, differs, facts_compared, is_listed, reason, settings, value,
};
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns, ShownIn, Table};
use crate::tails;
use crate::wording::many;
use analysis::{Compared, Comparison};
use quantity::{Quantity, show};
use record::Environment;

/// What the changes of a table are.
const CHANGE: &str = "change = cost in the second / cost in the first, over pairs of trials or runs: above 1, or +, it is slower (a bandwidth's cost is \
    the time for a byte)";

/// Differences between machines that a terminal names before the rest is only counted.
const MOST_DIFFERENCES: usize = 8;

/// The comparison of two records, or the matrix of several with each comparison behind it.
pub(super) fn document(view: &ComparedView<'_>, ascii: bool) -> Vec<Block> {
    let others = view.others.iter().map(|(other, _)| match other.environment {
        Some(there) => ("versus", Cell::from(described(there))),
        None => ("second", dated(other)),
    });
    let facts = std::iter::once(("first", dated(&view.first))).chain(others);
    let mut blocks = vec![Block::Title("records compared".to_owned()), Block::Facts(facts.collect())];
    if let [(other, comparison)] = view.others {
        blocks.push(Block::lead(answer(comparison)));
        blocks.extend(against(view, other, comparison, ascii));
        return blocks;
    }
    for (other, comparison) in view.others {
        let what = if other.environment.is_some() { "in" } else { "record" };
        blocks.push(Block::lead(format!("{what} {}: {}", other.name, answer(comparison))));
    }
    blocks.extend(matrix(view));
    blocks.extend(view.others.iter().map(|(other, comparison)| Block::Folded {
        summary: format!("{} against {}", other.name, view.first.name),
        blocks: against(view, other, comparison, ascii),
        is_wanted: view.all,
    }));
    blocks
}

/// An environment with what it is, and how long it takes to start a worker there.
fn described(there: &Environment) -> String {
    let often = match there.started_by_round {
        Some(_) => "; once per round, each trial a new process in it",
        None => "",
    };
    // No time is a start that was not longer than a native one.
    let start = there.start_ns.filter(|ns| *ns > 0).map_or_else(String::new, |ns| {
        format!(" (start {}{often})", show(ns as f64, Some(ns as f64 / 10.0), Quantity::Latency))
    });
    format!("{}: {}{start}", there.name, there.title)
}

/// A record with the time of its run.
fn dated(record: &ComparedRecord<'_>) -> Cell {
    Cell::from(format!("{}, {}", record.name, record.header.second()))
}

/// All that is said of a second record below the first sentence.
fn against(
    view: &ComparedView<'_>,
    other: &ComparedRecord<'_>,
    comparison: &Comparison,
    ascii: bool,
) -> Vec<Block> {
    let mut blocks: Vec<Block> = clocks(comparison).into_iter().map(Block::text).collect();
    let different = settings(&view.first, other).into_iter();
    let different: Vec<String> = different.chain(comparison.facts.differing.iter().map(differs)).collect();
    let compared = facts_compared(&comparison.facts);
    if other.is_native_by_all_signs() {
        blocks.push(Block::text(NO_ENVIRONMENT));
    } else if different.is_empty() {
        blocks.push(Block::text(format!("{compared}; the settings of both runs are the same")));
    } else {
        let list =
            Block::List { items: different, most: if view.all { usize::MAX } else { MOST_DIFFERENCES } };
        blocks.push(Block::Part("what differs".to_owned(), vec![list, Block::text(compared)]));
    }
    let (mut listed, mut others): (Vec<&Compared>, Vec<&Compared>) =
        comparison.points.iter().partition(|point| view.all || is_listed(point));
    let more = listed.split_off(view.most.min(listed.len()));
    let rest = match more.len() {
        0 => format!("{} the same or undecided", many(others.len(), "point")),
        _ => format!("{} more", many(more.len() + others.len(), "point")),
    };
    others.splice(..0, more);
    if !listed.is_empty() {
        blocks.push(Block::Table(table(&listed, ascii)));
    }
    blocks.extend(lines(view, other, comparison).into_iter().map(Block::text));
    blocks.extend(tails::changes(&comparison.tails));
    if !others.is_empty() {
        blocks.push(Block::Folded {
            summary: rest,
            blocks: vec![Block::Table(table(&others, ascii))],
            is_wanted: false,
        });
    }
    blocks
}

fn table(points: &[&Compared], ascii: bool) -> Table {
    let forest = Forest::over(points.iter().copied(), ascii);
    let name = Column::name("", 0, 20, usize::MAX).whole_before(4).titled("point");
    let columns = Columns::new(name, |point: &&Compared| Cell::point(&point.id))
        .with(Column::number("first", 2), move |point| value_cell(point.first, point))
        .with(Column::number("second", 2), move |point| value_cell(point.second, point))
        .with(Column::number("change", 0), |point| change_cells(point).0)
        .with(Column::word("interval", 3), |point| change_cells(point).1)
        .with(Column::word("", 4).drawn(), |point| forest.cell(point, sentence(point)))
        .with(Column::word("decision", 0), |point| decision_cell(point))
        .with(Column::word("because", 0).only_in(ShownIn::Documents), |point| {
            Cell::new(reason(point).unwrap_or_default(), Paint::Faint)
        });
    let mut table = columns.table();
    for point in points {
        table.row(columns.cells(point));
        if let Some(reason) = reason(point) {
            table.span(4, Cell::new(reason, Paint::Faint));
        }
    }
    table.caption = Some(format!("{CHANGE}; 99 % intervals{}; {NOISY}", forest.words()));
    table.scale = Some(forest.scale());
    table
}

fn value_cell(value: Option<f64>, point: &Compared) -> Cell {
    Cell::from(self::value(value, point)).sorted_by(value, point.quantity)
}

/// The change of a point in a sentence.
fn sentence(point: &Compared) -> String {
    let [first, second] = [point.first, point.second].map(|one| value(one, point));
    let [change, interval] = change(point);
    format!("{}: {first} → {second}, {change} ({interval})", point.id)
}

/// What is said below the first sentence: means, what half of the costs have in common, and what could be found.
fn lines(view: &ComparedView<'_>, second: &ComparedRecord<'_>, comparison: &Comparison) -> Vec<String> {
    let all = summary::means(comparison).into_iter();
    let all = all.chain(common(view, second, comparison)).chain(alone(comparison));
    all.chain(summary::power(comparison, view.all)).collect()
}
