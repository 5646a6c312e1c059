//! A working set called memory that fits into the last cache.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};

/// Parameters that name the working set.
const SETS: [&str; 5] = ["array", "working_set", "buffer", "size", "bytes"];

pub(crate) const RULE: Rule = Rule {
    id: "too_small",
    code: "E16",
    what: "A working set labelled memory that is no larger than the machine's last cache.",
    why: "The cache answered. It needs at least four times the cache for nine of ten lines to come from memory.",
    wrong_when: "The caches were emptied before each access.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let too_small = |row: &&Row| {
        let memory = row
            .params
            .get("level")
            .is_some_and(|level| level.eq_ignore_ascii_case("memory"));
        let cache = table.machine(&row.report).and_then(|machine| machine.last_cache);
        let set = SETS.iter().find_map(|name| row.params.bytes(name));
        memory && row.measured.is_some() && matches!((set, cache), (Some(set), Some(cache)) if set <= cache)
    };
    let rows = table.rows.iter().filter(too_small);
    rows.map(|row| {
        Finding::new(
            &[row],
            "the working set fits into the last cache and is called memory",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Machine, read};

    #[test]
    fn a_set_within_the_cache_is_found_and_a_large_one_is_none() {
        let text = "operation,parameter,measured,unit\nmemory.latency,level=memory array=2MB,30,ns\n\
                    memory.latency,level=memory array=64MB,80,ns\nmemory.latency,level=L3 array=2MB,10,ns\n";
        let machine = Machine {
            last_cache: Some(3e6),
            ..Machine::default()
        };
        assert_eq!(check(&read(text, vec![machine]).unwrap()).len(), 1);
        assert!(check(&read(text, Vec::new()).unwrap()).is_empty());
    }
}
