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

/// The only point of the headline that the first screen calls by these words and others: `process switch` for
/// `process switch, same CPU`.
pub fn labelled_by_words(operations: Operations, name: &str) -> Option<String> {
    match with_words(&labels(operations), name).as_slice() {
        [only] => Some(PointId::new(only.operation, only.point).to_string()),
        _ => None,
    }
}

/// The operations of the points of the headline that the first screen calls by these words and others, each once.
pub fn labelled_operations(operations: Operations, name: &str) -> Vec<&'static Operation> {
    let labels = labels(operations);
    let mut found: Vec<&'static Operation> = Vec::new();
    for operation in
        with_words(&labels, name).iter().filter_map(|label| operation(operations, label.operation))
    {
        if found.iter().all(|known| known.id != operation.id) {
            found.push(operation);
        }
    }
    found
}

/// The labels that have all words of a name of several words. An id or a condition is no name.
fn with_words<'l, 'a>(labels: &'l [Label<'a>], name: &str) -> Vec<&'l Label<'a>> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let named = words(name);
    if named.len() < 2 || name.contains(['=', '.', '_']) {
        return Vec::new();
    }
    let has_all = |label: &&Label<'_>| {
        let own = words(label.label);
        named.iter().all(|word| own.contains(word))
    };
    labels.iter().filter(has_all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_label_mean_its_point_where_no_other_label_has_them() {
        let all = flawed::all_operations();
        let exact = labelled(all, "process switch, same CPU");
        assert!(exact.as_ref().is_some_and(|id| id.starts_with("switch.process.pipe")), "{exact:?}");
        assert_eq!(labelled_by_words(all, "process switch"), exact);
        assert_eq!(labelled_by_words(all, "hand-off"), None, "several labels have it");
        let ids = |name| labelled_operations(all, name).iter().map(|one| one.id).collect::<Vec<_>>();
        assert_eq!(ids("hand-off"), ["switch.process.pipe"]);
        for name in ["switch", "switch.process.pipe cpu=same", "no such label"] {
            assert!(ids(name).is_empty(), "{name}");
        }
    }
}
