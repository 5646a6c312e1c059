//! A comparison as one JSON document.

use super::view::{ComparedRecord, ComparedView};
use crate::json::write_document;
use analysis::{Change, Clocks, Compared, Comparison, Decision, FactChange};
use record::{Fact, Header, PointId, Range, Settings};
use serde::Serialize;
use std::io::{self, Write};

/// Version of the document. Fields may be added without changing it, never renamed or given another sense.
const SCHEMA: u32 = 1;

/// Writes the document, indented. Values are in the base unit that each point names; what is unknown is null.
///
/// # Errors
/// When `out` cannot be written.
pub fn comparison_json(view: &ComparedView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        first: JsonRecord::from(&view.first),
        comparisons: view.others.iter().map(JsonComparison::from).collect(),
    };
    write_document(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    first: JsonRecord<'a>,
    comparisons: Vec<JsonComparison<'a>>,
}

#[derive(Serialize)]
struct JsonRecord<'a> {
    name: &'a str,
    header: &'a Header,
    settings: &'a Settings,
}

impl<'a> From<&ComparedRecord<'a>> for JsonRecord<'a> {
    fn from(record: &ComparedRecord<'a>) -> Self {
        Self { name: record.name, header: record.header, settings: &record.plan.settings }
    }
}

#[derive(Serialize)]
struct JsonComparison<'a> {
    second: JsonRecord<'a>,
    differs: Vec<JsonDiffers<'a>>,
    /// Median factor of all costs.
    common: Option<f64>,
    /// The clocks of both, where they differ.
    clocks: Option<JsonClocks>,
    points: Vec<JsonPoint<'a>>,
    only_first: &'a [PointId],
    only_second: &'a [PointId],
}

impl<'a> From<&'a (ComparedRecord<'a>, Comparison)> for JsonComparison<'a> {
    fn from((record, comparison): &'a (ComparedRecord<'a>, Comparison)) -> Self {
        Self {
            second: JsonRecord::from(record),
            differs: comparison.machines.iter().map(JsonDiffers::from).collect(),
            common: comparison.common,
            clocks: comparison.clocks.map(JsonClocks::from),
            points: comparison.points.iter().map(JsonPoint::from).collect(),
            only_first: &comparison.only_first,
            only_second: &comparison.only_second,
        }
    }
}

#[derive(Serialize)]
struct JsonClocks {
    first_hz: f64,
    second_hz: f64,
    /// The clock at which both are compared.
    at_hz: Option<f64>,
    points: usize,
    /// Points with the value at that clock in both.
    carried: usize,
}

impl From<Clocks> for JsonClocks {
    fn from(clocks: Clocks) -> Self {
        Self {
            first_hz: clocks.first_hz,
            second_hz: clocks.second_hz,
            at_hz: clocks.at_hz,
            points: clocks.points,
            carried: clocks.carried,
        }
    }
}

#[derive(Serialize)]
struct JsonDiffers<'a> {
    key: &'a str,
    first: Option<&'a Fact>,
    second: Option<&'a Fact>,
}

impl<'a> From<&'a FactChange> for JsonDiffers<'a> {
    fn from(differs: &'a FactChange) -> Self {
        Self { key: &differs.key, first: differs.first.as_ref(), second: differs.second.as_ref() }
    }
}

#[derive(Serialize)]
struct JsonPoint<'a> {
    operation: &'a str,
    point: &'a str,
    area: &'a str,
    quantity: &'a str,
    unit: &'a str,
    first: Option<f64>,
    second: Option<f64>,
    /// The second value divided by the first.
    factor: Option<Range>,
    /// The second value less the first, where there is no factor.
    difference: Option<Range>,
    decision: &'a str,
    /// The share within which the values are the same.
    within: Option<f64>,
    noisy: bool,
    reason: Option<String>,
}

impl<'a> From<&'a Compared> for JsonPoint<'a> {
    fn from(point: &'a Compared) -> Self {
        let (factor, difference) = match point.change {
            None => (None, None),
            Some(Change::Factor(range)) => (Some(range), None),
            Some(Change::Difference(range)) => (None, Some(range)),
        };
        Self {
            operation: &point.id.operation,
            point: &point.id.point,
            area: &point.area,
            quantity: point.quantity.contract_name(),
            unit: point.quantity.contract_unit(),
            first: point.first,
            second: point.second,
            factor,
            difference,
            decision: point.decision.word(),
            within: match point.decision {
                Decision::Same { within } => Some(within),
                _ => None,
            },
            noisy: point.noisy,
            reason: super::view::reason(point),
        }
    }
}
