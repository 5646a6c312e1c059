//! What is known of a part of the machine by its name (`L3`, `tsc`, `memory`): its facts, and what was found of its size.

use analysis::{Answer, Derivation, Finding};
use record::{Fact, FactValue, Machine};

/// The cache of which a guest has a share: what is predicted of it is its own fact.
const LAST_LEVEL: &str = "l3";

/// The facts that have this name: as a group or a part of their key (`cache.l3.size`, `family.l3_cycles`), or as their
/// value (`clock.source`: tsc).
pub(super) fn named<'m>(machine: &'m Machine, name: &str) -> Vec<&'m Fact> {
    let name = name.to_lowercase();
    let begins = format!("{name}_");
    machine
        .facts
        .iter()
        .filter(|fact| {
            fact.key.split('.').any(|part| part == name || part.starts_with(&begins))
                || (name == LAST_LEVEL && fact.key == "cache.owned.size")
                || matches!(&fact.value, FactValue::Text { text } if text.eq_ignore_ascii_case(&name))
        })
        .collect()
}

/// Whether an answer compares what this operation found of a cache of this name with what the machine reports.
fn is_of(answer: &Answer, operation: &str, name: &str) -> bool {
    answer.question.derivations.iter().any(|(derivation, _)| match derivation {
        Derivation::ReportedSize(of) => {
            of.found.operation == operation && of.cache.eq_ignore_ascii_case(name)
        }
        _ => false,
    })
}

/// What an operation found of the size of a cache, beside the reported one.
pub(super) fn answers_of<'a>(
    answers: &'a [Answer],
    operation: &'a str,
    cache: &'a str,
) -> impl Iterator<Item = &'a Answer> {
    let found = answers.iter().filter(move |answer| is_of(answer, operation, cache));
    found.filter(|answer| !matches!(answer.finding, Finding::Untested(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Unit;

    fn fact(key: &str, value: FactValue) -> Fact {
        Fact { key: key.to_owned(), value, source: "a test".to_owned(), within: None, assumed: false }
    }

    #[test]
    fn parts_of_keys_and_values_are_names() {
        let source = FactValue::Text { text: "tsc".to_owned() };
        let machine = Machine {
            facts: vec![
                size("cache.l3.size"),
                size("cache.l2.size"),
                size("family.l3_cycles"),
                size("memory.total"),
                fact("clock.source", source),
            ],
        };
        for (name, expected) in [
            ("L3", &["cache.l3.size", "family.l3_cycles"][..]),
            ("memory", &["memory.total"]),
            ("TSC", &["clock.source"]),
            ("l", &[]),
            ("size.", &[]),
        ] {
            let keys: Vec<&str> = named(&machine, name).iter().map(|fact| fact.key.as_str()).collect();
            assert_eq!(keys, expected, "{name}");
        }
    }

    fn size(key: &str) -> Fact {
        let (value, unit) = (1e6, Unit::Bytes);
        fact(key, FactValue::Number { value, unit })
    }
}
