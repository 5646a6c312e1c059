//! The points of operations on several CPUs: those of one CPU that they are compared with, and those of selected operations.

use super::declared::points;
use super::one::{Selected, add, parts, sort};
use crate::Operations;
use crate::exit::usage;
use measure::{Operation, Point};
use record::{PointId, Profile};
use std::collections::BTreeSet;

/// Adds to every point of several CPUs that of one: alone it gives no speed-up.
pub fn add_alone(operations: Operations, selected: &mut Vec<Selected>, profile: Profile) {
    let alone: Vec<_> = selected.iter().filter_map(|(operation, point)| alone(operation, point)).collect();
    alone.iter().for_each(|id| add(operations, selected, id, profile));
    sort(operations, selected);
}

fn alone(operation: &Operation, point: &Point) -> Option<PointId> {
    operation.alone.map(|alone| operation.point_id(&alone(point)))
}

/// In place of the selected points, those of several CPUs that make the call of a selected operation.
pub fn scaled(
    operations: Operations,
    selected: &[Selected],
    profile: Profile,
) -> anyhow::Result<Vec<Selected>> {
    let ids: BTreeSet<PointId> = selected.iter().map(|(operation, at)| operation.point_id(at)).collect();
    let several = operations.iter().filter(|operation| operation.alone.is_some());
    let all =
        several.flat_map(|&operation| points(operation, profile).into_iter().map(move |at| (operation, at)));
    let found: Vec<Selected> = all.filter(|one| is_same_call(one, &ids)).collect();
    if found.is_empty() {
        return Err(usage(
            "none of these operations is measured on several CPUs; `oscope list scaling` shows those that are",
        ));
    }
    Ok(found)
}

/// Whether a point is selected, or is predicted from a selected operation that is named after its call: others give the pace of
/// the kernel.
fn is_same_call((operation, point): &Selected, selected: &BTreeSet<PointId>) -> bool {
    let own = operation.point_id(point);
    let call = own.parameter("call").unwrap_or_default();
    let alone = operation.alone.map(|alone| (*operation, alone(point)));
    let parts = alone.as_ref().map(parts).unwrap_or_default();
    let is_selected = |part: &PointId| selected.iter().any(|id| id.operation == part.operation);
    let is_named = |part: &PointId| part.operation.split(['.', '_']).any(|word| word == call);
    selected.contains(&own) || parts.iter().any(|part| is_selected(part) && is_named(part))
}
