//! A comparison as one JSON document.

use super::view::{ComparedRecord, ComparedView, reason};
#[cfg(feature = "schema")]
use crate::json::schema_of;
use crate::json::{Part, all, object, write_document};
use analysis::{Change, Compared, Comparison, Decision, FactChange, TailChange, TailDecision};
use std::io::{self, Write};

/// Version of the document. Fields may be added without changing it, never renamed or given another sense.
const SCHEMA: u32 = 1;

/// Writes the document, indented. Values are in the base unit that each point names; what is unknown is null.
pub(super) fn write(view: &ComparedView<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_document(&document(view), out)
}

/// The schema of the document.
#[cfg(feature = "schema")]
pub fn comparison_schema() -> schemars::Schema {
    let run = record::Record::default();
    let first = ComparedRecord {
        name: "",
        header: &run.header,
        machine: &run.machine,
        plan: &record::Plan::default(),
        environment: None,
    };
    schema_of(&document(&ComparedView { first, others: &[], all: true, labels: &[], most: 0 }))
}

fn document(view: &ComparedView<'_>) -> impl Part {
    let comparisons = all(view.others, |(second, found)| comparison(second, found));
    object! { schema: SCHEMA, first: subject(&view.first), comparisons: comparisons }
}

fn subject(record: &ComparedRecord<'_>) -> impl Part {
    object! { name: record.name, header: record.header, settings: &record.plan.settings }
}

fn comparison(second: &ComparedRecord<'_>, found: &Comparison) -> impl Part {
    object! {
        second: subject(second),
        differs: all(&found.facts.differing, |fact: &FactChange| object! {
            key: &fact.key,
            first: fact.first.as_ref(),
            second: fact.second.as_ref(),
        }),
        /// How many facts were compared, and how many one record does not have.
        facts: object! {
            compared: found.facts.compared,
            not_in_first: found.facts.not_in_first,
            not_in_second: found.facts.not_in_second,
        },
        /// Median factor of all costs.
        common: found.common,
        /// The clocks of both, where they differ.
        clocks: found.clocks.map(|clocks| object! {
            first_hz: clocks.first_hz,
            second_hz: clocks.second_hz,
            /// The clock at which both are compared.
            at_hz: clocks.at_hz,
            points: clocks.points,
            /// Points with the value at that clock in both.
            carried: clocks.carried,
        }),
        points: all(&found.points, point),
        only_first: &found.only_first,
        only_second: &found.only_second,
        /// Those of `only_first` that have a number there.
        absent: &found.absent,
        /// Percentiles of points of which both timed every iteration, in nanoseconds.
        percentiles: all(&found.tails, |(id, changes)| object! {
            operation: &id.operation,
            point: &id.point,
            percentiles: all(changes, |change: &TailChange| object! {
                share: change.share,
                first: change.ns[0],
                second: change.ns[1],
                decision: match change.decision {
                    TailDecision::Lower => "faster",
                    TailDecision::Higher => "slower",
                    TailDecision::Undecided => "undecided",
                    TailDecision::Unknown => "unknown",
                },
            }),
        }),
    }
}

fn point(point: &Compared) -> impl Part {
    let (factor, difference) = match point.change {
        None => (None, None),
        Some(Change::Factor(range)) => (Some(range), None),
        Some(Change::Difference(range)) => (None, Some(range)),
    };
    object! {
        operation: &point.id.operation,
        point: &point.id.point,
        area: &point.area,
        quantity: point.quantity.contract_name(),
        unit: point.quantity.contract_unit(),
        first: point.first,
        second: point.second,
        /// The second value divided by the first.
        factor: factor,
        /// The second value less the first, where there is no factor.
        difference: difference,
        /// The second cost divided by the first, of what is a cost: above 1 it is slower, also where less is moved per second.
        cost: point.cost().and(point.relative_cost()),
        decision: point.decision.word(),
        /// The share within which the values are the same.
        within: match point.decision {
            Decision::Same { within } => Some(within),
            _ => None,
        },
        noisy: point.noisy,
        /// Whether the first record has a number and the second has none.
        lost: point.is_lost(),
        reason: reason(point),
    }
}
