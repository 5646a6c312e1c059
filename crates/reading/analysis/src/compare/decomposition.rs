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
    let single = pairs.iter().filter(|(row, _)| row.system_calls() == Some(1.0));
    let cheapest =
        single.map(|(_, point)| point).min_by(|a, b| a.first.value.total_cmp(&b.first.value)).cloned();
    pairs
        .into_iter()
        .map(|(row, point)| match &cheapest {
            Some(call) if point.terms.is_empty() && point.id != call.id => made_of_calls(row, point, call),
            _ => point,
        })
        .collect()
}

/// A point that has no terms as n of the cheapest call.
fn made_of_calls(row: &Row, point: Decomposition, call: &Decomposition) -> Decomposition {
    let Some(count) = row.system_calls() else { return point };
    let by = call.by.map(|by| count * by);
    let like = call.id.clone();
    Decomposition { rest: point.by.minus(by), calls: Some(CallsChange { count, like, by }), ..point }
}

fn decomposition(one: &Row, other: &Row) -> Option<Decomposition> {
    let (first, second) = (one.estimate.as_ref()?.range()?, other.estimate.as_ref()?.range()?);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::decision::tests::row as row_of;
    use crate::rows::row::{Judged, Tier};
    use record::{Formula, Term, Witness};
    use stats::interval::Interval;

    const fn range(low: f64, value: f64, high: f64) -> Range {
        Range { low, value, high }
    }

    /// A row with this cost, one less and one more, and this count of calls.
    fn row(name: &str, cost: f64, calls: Option<f64>) -> Row {
        let mut row = row_of(Quantity::Latency, &[cost], 0.0);
        row.point.id = PointId::new(name, "");
        row.estimate
            .iter_mut()
            .for_each(|one| one.interval = Some(Interval::at_level(cost - 1.0, cost + 1.0, 0.95)));
        let counters = [("other", Some(9.0)), ("calls", calls)].into_iter();
        row.witnesses = counters
            .map(|(counter, counted)| Judged {
                witness: Witness { counter: counter.to_owned(), ..Witness::default() },
                counted,
                ..Judged::default()
            })
            .collect();
        row
    }

    /// The same made of a part and a constant.
    fn made(name: &str, cost: f64, part: Range, constant: Range) -> Row {
        let terms =
            [("part", Formula::part("a.part", ""), part), ("constant", Formula::exactly(1.0), constant)];
        let terms = terms.into_iter().map(|(name, formula, range)| {
            (Term { name: name.to_owned(), side: TermSide::Software, formula }, range)
        });
        let zero = Range::exactly(0.0);
        let predicted = Predicted {
            tier: Tier::Parts,
            hardware: zero,
            software: zero,
            total: zero,
            terms: terms.collect(),
            assumed: Vec::new(),
            uncertain_parts: Vec::new(),
        };
        Row { from_parts: Some(predicted), ..row(name, cost, Some(1.0)) }
    }

    /// The decompositions of rows, each given as it is in the first and in the second analysis.
    fn decomposed(pairs: Vec<(Row, Row)>) -> Vec<Decomposition> {
        let (first, second): (Vec<Row>, Vec<Row>) = pairs.into_iter().unzip();
        let [first, second] = [first, second].map(|rows| Analysis { rows, ..Analysis::default() });
        decompositions(&first, &second)
    }

    /// A row that costs this much in the first and in the second analysis.
    fn pair(name: &str, calls: Option<f64>, first: f64, second: f64) -> (Row, Row) {
        (row(name, first, calls), row(name, second, calls))
    }

    #[test]
    fn terms_and_rest_make_the_difference() {
        let first = made("a.x", 10.0, range(2.0, 3.0, 4.0), range(1.0, 2.0, 6.0));
        let second = made("a.x", 20.0, range(6.0, 7.0, 8.0), range(4.0, 6.0, 8.0));
        let found = decomposed(vec![(first, second)]);
        let by: Vec<(&str, Range)> =
            found.iter().flat_map(|one| &one.terms).map(|term| (term.name.as_str(), term.by)).collect();
        // What is off in a constant is off in both.
        assert_eq!(by, [("part", range(2.0, 4.0, 6.0)), ("constant", range(2.0, 4.0, 3.0))]);
        let one = found.first().map(|one| (one.first, one.second, one.by, one.rest, one.calls.clone()));
        let expected = (
            range(9.0, 10.0, 11.0),
            range(19.0, 20.0, 21.0),
            range(8.0, 10.0, 12.0),
            range(-1.0, 2.0, 8.0),
            None,
        );
        assert_eq!(one, Some(expected));
    }

    /// Of the points of one call the cheapest; what has no call, or terms, is not made of it.
    #[test]
    fn points_without_terms_are_made_of_the_cheapest_call() {
        let part = range(0.0, 0.0, 0.0);
        let mut found = decomposed(vec![
            pair("dear", Some(1.0), 8.0, 9.0),
            pair("cheap", Some(1.2), 4.0, 7.0),
            pair("three", Some(2.9), 20.0, 30.0),
            pair("none", Some(0.4), 2.0, 3.0),
            pair("unknown", None, 2.0, 3.0),
            (made("made", 3.0, part, part), made("made", 3.0, part, part)),
        ]);
        let made = found.pop();
        assert_eq!(made.map(|one| (one.terms.len(), one.calls)), Some((2, None)));
        // The cheapest of one call is made of parts here.
        let calls: Vec<Option<(f64, &str, Range)>> = found
            .iter()
            .map(|one| one.calls.as_ref().map(|calls| (calls.count, &*calls.like.operation, calls.by)))
            .collect();
        let of_one = Some((1.0, "made", range(-2.0, 0.0, 2.0)));
        assert_eq!(calls, [of_one, of_one, Some((3.0, "made", range(-6.0, 0.0, 6.0))), None, None]);
        let rests: Vec<f64> = found.iter().map(|one| one.rest.value).collect();
        assert_eq!(rests, [1.0, 3.0, 10.0, 1.0, 1.0]);
        let found = decomposed(vec![pair("one", Some(1.0), 4.0, 7.0), pair("two", Some(2.0), 20.0, 30.0)]);
        let rests: Vec<Range> = found.iter().map(|one| one.rest).collect();
        assert_eq!(rests, [range(1.0, 3.0, 5.0), range(-2.0, 4.0, 10.0)]);
        assert!(found.iter().map(|one| one.calls.is_some()).eq([false, true]));
    }

    #[test]
    fn only_costs_above_zero_with_intervals_in_both_are_decomposed() {
        for (first, second, count) in [(2.0, 3.0, 1), (0.0, 3.0, 0), (2.0, 0.0, 0), (-2.0, 3.0, 0)] {
            assert_eq!(decomposed(vec![pair("a.x", None, first, second)]).len(), count, "{first} {second}");
        }
        type Change = (fn(&mut Row), [usize; 2]);
        let changes: [Change; 4] = [
            (|row| row.estimate = None, [0, 0]),
            (|row| row.verdict = crate::rows::row::Verdict::Failed, [0, 0]),
            (|row| row.point.id = PointId::new("other", ""), [0, 0]),
            (|row| row.point.quantity = Quantity::Bandwidth, [0, 1]),
        ];
        for (at, (change, counts)) in changes.into_iter().enumerate() {
            let (mut in_first, mut in_second) = (pair("a.x", None, 2.0, 3.0), pair("a.x", None, 2.0, 3.0));
            change(&mut in_first.0);
            change(&mut in_second.1);
            assert_eq!([in_first, in_second].map(|pair| decomposed(vec![pair]).len()), counts, "change {at}");
        }
    }

    #[test]
    fn a_difference_is_explained_where_the_rest_may_be_nothing() {
        for (low, high, has_call, is_explained) in [
            (-1.0, 1.0, true, true),
            (0.0, 0.0, true, true),
            (0.1, 1.0, true, false),
            (-1.0, -0.1, true, false),
            (-1.0, 1.0, false, false),
        ] {
            let (id, like, by) = (PointId::default(), PointId::default(), Range::exactly(0.0));
            let calls = has_call.then_some(CallsChange { count: 1.0, like, by });
            let rest = range(low, 0.5, high);
            let found = Decomposition { id, first: by, second: by, by, calls, terms: Vec::new(), rest };
            assert_eq!((found.has_parts(), found.is_explained()), (has_call, is_explained), "{low} {high}");
        }
    }
}
