//! What the sabotages prove: the kinds of witnesses that catch one, and the operations whose evidence has these.

use crate::list;
use crate::sabotage::{Caught, Sabotage};
use measure::Operation;
use record::Profile;
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a counter: its name without what only names a system call.
pub fn kind(counter: &str) -> &str {
    if counter.starts_with("calls.") { "calls.*" } else { counter }
}

/// The sabotages that a witness catches, by its kind.
pub fn by_kind() -> BTreeMap<&'static str, Vec<&'static Sabotage>> {
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for sabotage in list::all() {
        if let Caught::By(counter) = sabotage.caught_by {
            found.entry(kind(counter)).or_default().push(sabotage);
        }
    }
    found
}

/// The evidence of an operation at all points of the thorough profile.
pub struct Coverage {
    /// The operation.
    pub operation: &'static Operation,
    /// Its points.
    pub points: usize,
    /// The kinds of its witnesses, each with the number of points that have it.
    pub kinds: BTreeMap<String, usize>,
    /// Points without a positive witness of a kind that catches a sabotage.
    pub unproven: Vec<String>,
}

/// The evidence of every operation.
pub fn coverage() -> Vec<Coverage> {
    let caught = by_kind();
    flawed::all_operations().iter().map(|operation| of(operation, &caught)).collect()
}

fn of(operation: &'static Operation, caught: &BTreeMap<&str, Vec<&Sabotage>>) -> Coverage {
    let points = operation.points_of(Profile::Thorough);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut unproven = Vec::new();
    for point in &points {
        let witnesses = operation.witnesses_at(point);
        let has: BTreeSet<&str> = witnesses.iter().map(|witness| kind(&witness.counter)).collect();
        for kind in has {
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
        let proves =
            |witness: &record::Witness| witness.positive && caught.contains_key(kind(&witness.counter));
        if !witnesses.iter().any(proves) {
            unproven.push(point.text());
        }
    }
    Coverage { operation, points: points.len(), kinds, unproven }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::UNPROVOKED;

    #[test]
    fn every_kind_of_witness_has_a_sabotage_or_a_reason_for_none() {
        let caught = by_kind();
        let declared: BTreeSet<String> =
            coverage().into_iter().flat_map(|one| one.kinds.into_keys()).collect();
        let missing: Vec<&String> = declared
            .iter()
            .filter(|kind| {
                !caught.contains_key(kind.as_str())
                    && !UNPROVOKED.iter().any(|(counter, _)| *counter == *kind)
            })
            .collect();
        assert!(missing.is_empty(), "no sabotage is caught by these witnesses: {missing:?}");
        for (kind, _) in UNPROVOKED {
            assert!(declared.contains(*kind) && !caught.contains_key(kind), "{kind} needs no reason");
        }
    }

    #[test]
    fn every_point_has_a_positive_witness_that_catches_a_sabotage() {
        let unproven: Vec<String> = coverage()
            .iter()
            .flat_map(|one| {
                let id = one.operation.id;
                one.unproven.iter().map(move |point| format!("{id} {point}"))
            })
            .collect();
        assert!(
            unproven.is_empty(),
            "no witness that catches a sabotage says that these did their work: {unproven:#?}"
        );
    }
}
