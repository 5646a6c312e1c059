//! Look-ups in the list of operations: by id, by what the first screen calls a point, and how long a trial takes.

use crate::Operations;
use measure::{Operation, Point};
use record::{Plan, PointId};
use report::Label;
use std::time::Duration;

/// The operation with this id.
pub fn operation(operations: Operations, id: &str) -> Option<&'static Operation> {
    operations.iter().copied().find(|operation| operation.id == id)
}

/// The operation and the point that an id of a plan stands for.
fn point(operations: Operations, id: &PointId) -> Option<(&'static Operation, Point)> {
    Some((operation(operations, &id.operation)?, Point::parse(&id.point)?))
}

/// Time for the batches of one trial of a point.
pub fn spend_ns(operations: Operations, id: &PointId) -> u64 {
    point(operations, id).map_or(10_000_000, |(operation, point)| operation.spend_at(&point))
}

/// How long a trial of a point settles and runs batches.
pub fn settle_and_spend(operations: Operations, id: &PointId) -> Duration {
    let settle = point(operations, id).map(|(operation, point)| operation.settle_time_at(&point));
    settle.unwrap_or_default() + Duration::from_nanos(spend_ns(operations, id))
}

/// What the first screen calls the points of the headline.
pub fn labels(operations: Operations) -> Vec<Label<'static>> {
    let points =
        operations.iter().flat_map(|operation| operation.headline.iter().map(|label| (operation.id, label)));
    points.map(|(operation, &(point, label))| Label { operation, point, label }).collect()
}

/// What the first screen calls the points of a plan: as they were called when it was made, and as they are called today where
/// it does not say.
pub fn labels_of(plan: &Plan, operations: Operations) -> Vec<Label<'_>> {
    let own: Vec<Label<'_>> = plan
        .points
        .iter()
        .filter_map(|point| {
            let label = point.label.as_deref()?;
            Some(Label { operation: &point.id.operation, point: &point.id.point, label })
        })
        .collect();
    if own.is_empty() { labels(operations) } else { own }
}

/// The point of the headline that the first screen calls so.
pub fn labelled(operations: Operations, name: &str) -> Option<String> {
    let mut labels = labels(operations).into_iter();
    let found = labels.find(|label| label.label.eq_ignore_ascii_case(name))?;
    Some(PointId::new(found.operation, found.point).to_string())
}
