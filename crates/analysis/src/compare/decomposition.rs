//! What a difference between two costs is made of: each term of the prediction from parts, in both, and what is left.

use super::shapes::has_number;
use crate::rows::row::{Predicted, Row};
use crate::run::analysis::Analysis;
use quantity::Quantity;
use record::{PointId, Range, TermSide};

/// By how much a term of a prediction differs.
#[derive(Debug, Clone, PartialEq)]
pub struct TermChange {
    /// The term.
    pub name: String,
    /// Whether the hardware or the software causes it.
    pub side: TermSide,
    /// The second less the first, in nanoseconds.
    pub by: Range,
}

/// By how much the system calls of a point differ, if each differs as the cheapest one does.
#[derive(Debug, Clone, PartialEq)]
pub struct CallsChange {
    /// Calls per iteration, as the rehearsal of the first counted them.
    pub count: f64,
    /// The point of one call that was measured.
    pub like: PointId,
    /// The second less the first, of all calls, in nanoseconds.
    pub by: Range,
}

/// What the difference of a cost is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    /// Which point.
    pub id: PointId,
    /// Its cost in the first, in nanoseconds.
    pub first: Range,
    /// Its cost in the second.
    pub second: Range,
    /// The second less the first.
    pub by: Range,
    /// The system calls of a point that has no terms, as many of the cheapest call of the run.
    pub calls: Option<CallsChange>,
    /// The terms, each from parts that were measured in the same run and environment as the cost; empty where the point is
    /// not made of parts.
    pub terms: Vec<TermChange>,
    /// What the terms or calls leave of the difference.
    pub rest: Range,
}

impl Decomposition {
    /// Whether it is made of anything that was measured.
    pub fn has_parts(&self) -> bool {
        !self.terms.is_empty() || self.calls.is_some()
    }

    /// Whether the parts are the whole difference, as far as the intervals tell.
    pub fn is_explained(&self) -> bool {
        self.has_parts() && self.rest.low <= 0.0 && self.rest.high >= 0.0
    }
}

/// The differences of all costs that both have a number and an interval of, in the order of the first.
pub fn decompositions(first: &Analysis, second: &Analysis) -> Vec<Decomposition> {
    let pairs = first.rows.iter();
    let pairs = pairs.filter_map(|row| Some((row, second.row(&row.point.id)?)));
    let pairs: Vec<(&Row, Decomposition)> = pairs
        .filter(|(one, other)| has_number(one) && has_number(other))
        .filter(|(one, _)| one.quantity() == Quantity::Latency)
        .filter_map(|(one, other)| Some((one, decomposition(one, other)?)))
        .collect();
    let single = pairs.iter().filter(|(row, _)| calls(row) == Some(1.0));
    let cheapest =
        single.map(|(_, point)| point).min_by(|a, b| a.first.value.total_cmp(&b.first.value)).cloned();
    let by_calls = |(row, point): (&Row, Decomposition)| match &cheapest {
        Some(call) if point.terms.is_empty() && point.id != call.id => made_of_calls(row, point, call),
        _ => point,
    };
    pairs.into_iter().map(by_calls).collect()
}

/// System calls per iteration, to the nearest whole number, where the rehearsal counted them.
fn calls(row: &Row) -> Option<f64> {
    let counted = row.witnesses.iter().find(|judged| judged.witness.counter == ALL_CALLS);
    counted?.counted.map(f64::round).filter(|count| *count >= 1.0)
}

/// The counter of all system calls.
const ALL_CALLS: &str = "calls";

/// A point that has no terms as n of the cheapest call.
fn made_of_calls(row: &Row, point: Decomposition, call: &Decomposition) -> Decomposition {
    let Some(count) = calls(row) else { return point };
    let by = call.by.map(|by| count * by);
    let like = call.id.clone();
    Decomposition { rest: point.by.minus(by), calls: Some(CallsChange { count, like, by }), ..point }
}

fn decomposition(one: &Row, other: &Row) -> Option<Decomposition> {
    let cost = |row: &Row| row.estimate.as_ref()?.range();
    let (first, second) = (cost(one)?, cost(other)?);
    // A cost less that of a control can come out below zero, of which nothing is made.
    if first.value <= 0.0 || second.value <= 0.0 {
        return None;
    }
    let by = second.minus(first);
    let terms = match (&one.from_parts, &other.from_parts) {
        (Some(one), Some(other)) => terms(one, other),
        _ => Vec::new(),
    };
    let explained = terms.iter().fold(Range::exactly(0.0), |sum, term| sum.plus(term.by));
    Some(Decomposition {
        id: one.point.id.clone(),
        first,
        second,
        by,
        rest: by.minus(explained),
        terms,
        calls: None,
    })
}

/// The terms that both predictions have, and by how much they differ.
fn terms(one: &Predicted, other: &Predicted) -> Vec<TermChange> {
    let pairs = one.terms.iter().filter_map(|(term, before)| {
        let (_, after) = other.terms.iter().find(|(named, _)| named.name == term.name)?;
        Some((term, before, after))
    });
    pairs
        .map(|(term, before, after)| TermChange {
            name: term.name.clone(),
            side: term.side,
            by: match term.formula.parts().is_empty() {
                true => of_one_constant(*after, *before),
                false => after.minus(*before),
            },
        })
        .collect()
}

/// The difference of a term of constants and facts alone: however far they are off, they are so in both.
fn of_one_constant(after: Range, before: Range) -> Range {
    let (one, other) = (after.low - before.low, after.high - before.high);
    Range { low: one.min(other), value: after.value - before.value, high: one.max(other) }
}
