//! What differs between two machines, or in one machine between two runs.

use record::{Fact, FactValue, Machine};

/// A fact that is not the same.
#[derive(Debug, Clone, PartialEq)]
pub struct FactChange {
    /// The fact's name.
    pub key: String,
    /// What it was in the first; `None` where that machine has no such thing.
    pub first: Option<Fact>,
    /// What it was in the second; `None` where that machine has no such thing.
    pub second: Option<Fact>,
}

/// What the facts of two records say together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FactsCompared {
    /// Those that differ, the most relevant first.
    pub differing: Vec<FactChange>,
    /// Facts that both records have a value of.
    pub compared: usize,
    /// Facts that the second has a value of and the first does not name: an older program recorded it, or another machine.
    pub not_in_first: usize,
    /// Likewise, the other way round.
    pub not_in_second: usize,
}

/// Groups of facts, those first that most often explain a difference.
const PRIORITY: [&str; 12] = [
    "libc.",
    "environment.",
    "kernel.",
    "sysctl.",
    "mitigation.",
    "processor.",
    "power.",
    "cpus.",
    "limit.",
    "scheduler.",
    "memory.",
    "cache.",
];

/// Facts that are never the same twice, and those that follow from others.
const VOLATILE: [&str; 9] = [
    "quiet.",
    "family.",
    "memory.available",
    "memory.free",
    "memory.cached",
    "processor.frequency",
    "limit.memory",
    "power.throttled",
    "environment.hostname",
];

/// Groups whose facts are those that the machine has, by its devices or its kernel. Where a record has facts of such a group,
/// one that it lacks is absent from its machine; any other fact that it lacks was not recorded.
const OF_THE_MACHINE: [&str; 5] = ["mitigation.", "network.", "scheduler.", "storage.", "sysctl."];

/// Compares the facts that stay.
pub(super) fn compared(first: &Machine, second: &Machine) -> FactsCompared {
    let before = first.facts.iter().map(|fact| fact.key.as_str());
    let added = second.facts.iter().map(|fact| fact.key.as_str());
    let added = added.filter(|key| first.get(key).is_none());
    let mut found = FactsCompared::default();
    for key in before.chain(added) {
        if VOLATILE.iter().any(|name| is_within(key, name)) {
            continue;
        }
        let facts = [first, second].map(|machine| machine.get(key));
        let [one, other] = facts.map(known);
        let recorded = [first, second].map(|machine| is_recorded(machine, key));
        match (one.is_some() || other.is_some(), recorded) {
            (false, _) => {}
            (true, [false, _]) => found.not_in_first += 1,
            (true, [_, false]) => found.not_in_second += 1,
            (true, _) => {
                found.compared += 1;
                if one != other {
                    let [first, second] = facts.map(Option::<&Fact>::cloned);
                    found.differing.push(FactChange { key: key.to_owned(), first, second });
                }
            }
        }
    }
    found.differing.sort_by_key(|differs| priority(&differs.key));
    found
}

/// Whether the program that described a machine looked for a fact: it is there, or others of its group are, which are those
/// that the machine has.
fn is_recorded(machine: &Machine, key: &str) -> bool {
    let group = OF_THE_MACHINE.iter().find(|group| key.starts_with(**group));
    machine.get(key).is_some()
        || group.is_some_and(|group| machine.facts.iter().any(|fact| fact.key.starts_with(group)))
}

/// Whether a name is this one, or begins with it where it ends in a dot.
fn is_within(key: &str, name: &str) -> bool {
    key == name || (name.ends_with('.') && key.starts_with(name))
}

/// The value of a fact; what is unknown is nothing, for whatever reason.
fn known(fact: Option<&Fact>) -> Option<&FactValue> {
    fact.map(|fact| &fact.value).filter(|value| !matches!(value, FactValue::Unknown { .. }))
}

fn priority(key: &str) -> usize {
    let group = PRIORITY.iter().position(|group| key.starts_with(group));
    group.unwrap_or(PRIORITY.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_end_in_a_dot_are_of_groups() {
        for (key, name, within) in [
            ("quiet.load", "quiet.", true),
            ("quiet", "quiet.", false),
            ("memory.free", "memory.free", true),
            ("memory.free.huge", "memory.free", false),
            ("kernel.release", "quiet.", false),
        ] {
            assert_eq!(is_within(key, name), within, "{key} {name}");
        }
    }

    #[test]
    fn groups_come_in_their_order_and_others_last() {
        let keys = ["environment.x", "kernel.x", "cache.x", "kernelx", "other.x"];
        assert_eq!(keys.map(priority), [1, 2, 11, 12, 12]);
    }
}
