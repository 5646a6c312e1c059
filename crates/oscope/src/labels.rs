//! What the first screen calls the points of the headline.

use crate::Operations;
use report::Label;

/// The point of the headline that the first screen calls so.
pub fn labelled(operations: Operations, name: &str) -> Option<String> {
    let labels = labels(operations);
    let found = labels.iter().find(|label| label.label.eq_ignore_ascii_case(name))?;
    Some(format!("{} {}", found.operation, found.point).trim_end().to_owned())
}

/// What the first screen calls the points of the headline.
pub fn labels(operations: Operations) -> Vec<Label<'static>> {
    let all = operations.iter().flat_map(|operation| {
        let headline = operation.headline.iter();
        headline.map(|&(point, label)| Label { operation: operation.id, point, label })
    });
    all.collect()
}
