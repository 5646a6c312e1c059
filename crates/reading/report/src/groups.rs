//! Rows by area and operation, and what the points of one operation have in common.

use crate::wording::joined;
use analysis::{Row, distinct};

/// The rows of one operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OperationRows<'a> {
    /// The operation's id, and the parameters that all its points share.
    pub(crate) name: String,
    /// Each row with the parameters that are its own; empty when the operation has one point.
    pub(crate) points: Vec<(&'a Row, String)>,
}

impl<'a> OperationRows<'a> {
    /// The rows alone.
    pub(crate) fn rows(&self) -> Vec<&'a Row> {
        self.points.iter().map(|(row, _)| *row).collect()
    }
}

/// The values of each key, keys in the order in which they first come.
pub(crate) fn grouped<K: PartialEq, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// The areas and the operations in them, in the order in which they first come.
pub(crate) fn areas(rows: &[Row]) -> Vec<(&str, Vec<OperationRows<'_>>)> {
    let names = distinct(rows.iter().map(|row| row.point.area.as_str()));
    let areas = names.into_iter().map(|name| {
        let here: Vec<&Row> = rows.iter().filter(|row| row.point.area == name).collect();
        let ids = distinct(here.iter().map(|row| row.point.id.operation.as_str()));
        (name, ids.into_iter().map(|id| operation(id, &here)).collect())
    });
    areas.collect()
}

fn operation<'a>(id: &str, rows: &[&'a Row]) -> OperationRows<'a> {
    let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.point.id.operation == id).collect();
    let first = rows.first().map_or("", |row| row.point.id.point.as_str());
    let common: Vec<&str> = first
        .split(' ')
        .filter(|pair| rows.iter().all(|row| row.point.id.point.split(' ').any(|other| other == *pair)))
        .collect();
    let points = rows.iter().map(|row| {
        let own = row.point.id.point.split(' ').filter(|pair| !common.contains(pair));
        (*row, joined(own, " "))
    });
    OperationRows {
        name: format!("{id} {}", common.join(" ")).trim_end().to_owned(),
        points: points.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{PlannedPoint, PointId};

    fn row(area: &str, operation: &str, point: &str) -> Row {
        Row::new(PlannedPoint { area: area.to_owned(), ..PlannedPoint::new(PointId::new(operation, point)) })
    }

    #[test]
    fn what_all_points_share_is_in_the_name() {
        let rows = [
            row("memory", "memory.latency", "bytes=1KiB page_size=4KiB"),
            row("cpu", "clock.read", ""),
            row("memory", "memory.latency", "bytes=2KiB page_size=4KiB"),
            row("memory", "fault", "kind=major"),
        ];
        let mut words = Vec::new();
        for (area, operations) in areas(&rows) {
            for group in operations {
                let own: Vec<&str> = group.points.iter().map(|(_, own)| own.as_str()).collect();
                words.push(format!("{area}: {} [{}]", group.name, own.join(", ")));
            }
        }
        let expected = [
            "memory: memory.latency page_size=4KiB [bytes=1KiB, bytes=2KiB]",
            "memory: fault kind=major []",
            "cpu: clock.read []",
        ];
        assert_eq!(words, expected);
    }
}
