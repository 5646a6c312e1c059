//! A comparison as one JSON document.

use super::view::{ComparedRecord, ComparedView, reason};
use crate::json::{all, object, write_document};
use analysis::{Change, Compared, Comparison, Decision, FactChange};
use serde::Serialize;
use std::io::{self, Write};

/// Version of the document. Fields may be added without changing it, never renamed or given another sense.
const SCHEMA: u32 = 1;

/// Writes the document, indented. Values are in the base unit that each point names; what is unknown is null.
pub(super) fn write(view: &ComparedView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let comparisons = all(view.others, |(second, found)| comparison(second, found));
    write_document(&object! { schema: SCHEMA, first: record(&view.first), comparisons: comparisons }, out)
}

fn record(record: &ComparedRecord<'_>) -> impl Serialize {
    object! { name: record.name, header: record.header, settings: &record.plan.settings }
}

fn comparison(second: &ComparedRecord<'_>, found: &Comparison) -> impl Serialize {
    object! {
        second: record(second),
        differs: all(&found.machines, |fact: &FactChange| object! {
            key: &fact.key,
            first: fact.first.as_ref(),
            second: fact.second.as_ref(),
        }),
        // Median factor of all costs.
        common: found.common,
        // The clocks of both, where they differ.
        clocks: found.clocks.map(|clocks| object! {
            first_hz: clocks.first_hz,
            second_hz: clocks.second_hz,
            // The clock at which both are compared.
            at_hz: clocks.at_hz,
            points: clocks.points,
            // Points with the value at that clock in both.
            carried: clocks.carried,
        }),
        points: all(&found.points, point),
        only_first: &found.only_first,
        only_second: &found.only_second,
    }
}

fn point(point: &Compared) -> impl Serialize {
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
        // The second value divided by the first.
        factor: factor,
        // The second value less the first, where there is no factor.
        difference: difference,
        decision: point.decision.word(),
        // The share within which the values are the same.
        within: match point.decision {
            Decision::Same { within } => Some(within),
            _ => None,
        },
        noisy: point.noisy,
        reason: reason(point),
    }
}
