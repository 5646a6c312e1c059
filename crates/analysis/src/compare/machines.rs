//! What differs between two machines, or in one machine between two runs.

use record::{Fact, FactValue, Machine};

/// A fact that is not the same.
#[derive(Debug, Clone, PartialEq)]
pub struct FactChange {
    /// The fact's name.
    pub key: String,
    /// What it was in the first; `None` where nobody looked.
    pub first: Option<Fact>,
    /// What it was in the second; `None` where nobody looked.
    pub second: Option<Fact>,
}

/// Groups of facts, those first that most often explain a difference.
const PRIORITY: [&str; 10] = [
    "environment.",
    "kernel.",
    "mitigation.",
    "processor.",
    "power.",
    "cpus.",
    "limit.",
    "libc.",
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

/// The facts that differ and stay, by groups, the most relevant first.
pub(super) fn differences(first: &Machine, second: &Machine) -> Vec<FactChange> {
    let before = first.facts.iter().map(|fact| fact.key.as_str());
    let added = second.facts.iter().map(|fact| fact.key.as_str());
    let added = added.filter(|key| first.get(key).is_none());
    let stays = |key: &&str| !VOLATILE.iter().any(|name| is_within(key, name));
    let mut found: Vec<FactChange> = before
        .chain(added)
        .filter(stays)
        .filter(|key| known(first.get(key)) != known(second.get(key)))
        .map(|key| FactChange {
            key: key.to_owned(),
            first: first.get(key).cloned(),
            second: second.get(key).cloned(),
        })
        .collect();
    found.sort_by_key(|differs| priority(&differs.key));
    found
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
        assert_eq!(keys.map(priority), [0, 1, 9, 10, 10]);
    }
}
