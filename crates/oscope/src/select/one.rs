//! Selected points: found, added, put in order.

use super::declared::points;
use crate::Operations;
use crate::operation_list::operation;
use measure::{Operation, Point};
use record::{PointId, Profile};
use std::collections::BTreeSet;

/// An operation and one of its points.
pub type Selected = (&'static Operation, Point);

/// The point of this name, if this profile has it.
pub fn find(operations: Operations, id: &PointId, profile: Profile) -> Option<Selected> {
    let operation = operation(operations, &id.operation)?;
    let point = points(operation, profile).into_iter().find(|point| point.text() == id.point)?;
    Some((operation, point))
}

/// Adds a point that is not there yet, if there is one of this name.
pub fn add(operations: Operations, selected: &mut Vec<Selected>, id: &PointId, profile: Profile) {
    let known = selected.iter().any(|(operation, point)| operation.point_id(point) == *id);
    if !known && let Some(found) = find(operations, id, profile) {
        selected.push(found);
    }
}

/// Back into the order of the list.
pub fn sort(operations: Operations, selected: &mut [Selected]) {
    selected.sort_by_key(|(operation, _)| operations.iter().position(|listed| listed.id == operation.id));
}

/// The points that one is predicted from.
pub fn parts((operation, point): &Selected) -> BTreeSet<PointId> {
    let prediction = operation.prediction_at(point);
    let terms = prediction.from_parts.iter();
    terms.flat_map(|term| term.formula.parts()).cloned().collect()
}
