//! Where a deviation lies: in the measured parts of a prediction, in what it takes from constants, or in what nobody
//! measured.

use crate::rows::deviation::LikelyReason;
use crate::rows::row::{NoValue, Row, Tier};
use quantity::Quantity;
use record::{PointId, Unevaluated};
use std::collections::BTreeSet;

/// What the measured parts of a time come to, and what the whole costs beside them.
pub(crate) fn beside_parts(row: &Row) -> Option<LikelyReason> {
    let predicted = row.predicted().filter(|predicted| predicted.tier == Tier::Parts)?;
    if row.quantity() != Quantity::Latency || !predicted.uncertain_parts.is_empty() {
        return None;
    }
    let (measured, published): (Vec<_>, Vec<_>) =
        predicted.terms.iter().partition(|(term, _)| !term.formula.parts().is_empty());
    let parts: f64 = measured.iter().map(|(_, range)| range.value).sum();
    let rest = row.typical()? - parts;
    (!measured.is_empty()).then(|| LikelyReason::Parts {
        parts,
        rest,
        predicted: published.iter().map(|(_, range)| range.value).sum(),
        terms: published.iter().map(|(term, _)| term.name.clone()).collect(),
    })
}

/// That a prediction is from facts and constants alone: for want of which parts, or because it has none.
pub(crate) fn published(row: &Row, rows: &[Row]) -> Option<LikelyReason> {
    row.predicted().filter(|predicted| predicted.tier == Tier::Facts)?;
    let unmeasured = row.unpredicted.iter().filter_map(|term| match &term.why {
        NoValue::Unevaluated(Unevaluated::Part(point)) if term.tier == Tier::Parts => Some(point),
        _ => None,
    });
    let uncertain = row.from_parts.iter().flat_map(|parts| &parts.uncertain_parts);
    let parts: BTreeSet<&PointId> = unmeasured.chain(uncertain).collect();
    let own = &row.point.id;
    let mut others = rows.iter().filter(|other| other.point.id.operation == own.operation);
    Some(match parts.is_empty() {
        true => LikelyReason::Published {
            point: own.clone(),
            other_points: others.any(|other| other.point.id != *own),
        },
        false => {
            LikelyReason::UnknownParts { point: own.clone(), parts: parts.into_iter().cloned().collect() }
        }
    })
}
