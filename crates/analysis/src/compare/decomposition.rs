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
    /// The terms, each from parts that were measured in the same run and environment as the cost; empty where the point is
    /// not made of parts.
    pub terms: Vec<TermChange>,
    /// What the terms leave of the difference.
    pub rest: Range,
}

impl Decomposition {
    /// Whether the terms are the whole difference, as far as the intervals tell.
    pub fn is_explained(&self) -> bool {
        !self.terms.is_empty() && self.rest.low <= 0.0 && self.rest.high >= 0.0
    }
}

/// The differences of all costs that both have a number and an interval of, in the order of the first.
pub fn decompositions(first: &Analysis, second: &Analysis) -> Vec<Decomposition> {
    let pairs = first.rows.iter();
    let pairs = pairs.filter_map(|row| Some((row, second.row(&row.point.id)?)));
    pairs
        .filter(|(one, other)| has_number(one) && has_number(other))
        .filter(|(one, _)| one.quantity() == Quantity::Latency)
        .filter_map(|(one, other)| decomposition(one, other))
        .collect()
}

fn decomposition(one: &Row, other: &Row) -> Option<Decomposition> {
    let cost = |row: &Row| row.estimate.as_ref()?.range();
    let (first, second) = (cost(one)?, cost(other)?);
    let by = less(second, first);
    let terms = match (&one.from_parts, &other.from_parts) {
        (Some(one), Some(other)) => terms(one, other),
        _ => Vec::new(),
    };
    let explained = terms
        .iter()
        .fold(Range::exactly(0.0), |sum, term| sum.plus(term.by));
    Some(Decomposition {
        id: one.point.id.clone(),
        first,
        second,
        by,
        rest: less(by, explained),
        terms,
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
            by: less(*after, *before),
        })
        .collect()
}

fn less(one: Range, other: Range) -> Range {
    Range {
        low: one.low - other.high,
        value: one.value - other.value,
        high: one.high - other.low,
    }
}
