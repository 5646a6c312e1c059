//! How long a trial of a point takes.

use crate::Operations;
use measure::{Operation, Point};
use record::PointId;
use std::time::Duration;

/// The operation and the point that an id of a plan stands for.
fn declared(operations: Operations, id: &PointId) -> Option<(&'static Operation, Point)> {
    let operation = operations.iter().find(|operation| operation.id == id.operation)?;
    Some((operation, Point::parse(&id.point)?))
}

/// Time for the batches of one trial of a point.
pub fn spend_ns(operations: Operations, id: &PointId) -> u64 {
    declared(operations, id).map_or(10_000_000, |(operation, point)| operation.spend_at(&point))
}

/// How long a trial of a point rests and runs batches.
pub fn rest_and_spend(operations: Operations, id: &PointId) -> Duration {
    let rest = declared(operations, id)
        .map_or(Duration::ZERO, |(operation, point)| operation.settle_time_at(&point));
    rest + Duration::from_nanos(spend_ns(operations, id))
}
