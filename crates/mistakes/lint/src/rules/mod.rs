//! The rules by family, and the list of them.

mod clock;
mod derived;
mod hardware;
mod harness;
mod kernel;
mod memory;
mod parts;
mod prediction;
mod repeated;
mod storage;
mod summary;
mod trials;
mod units;

use crate::finding::Rule;

/// All rules, by what they look at.
pub const FAMILIES: &[(&str, &[Rule])] = &[
    ("System calls, switches and connections", kernel::RULES),
    ("Operations and their parts", parts::RULES),
    ("The harness", harness::RULES),
    ("The clock", clock::RULES),
    ("Caches and memory", memory::RULES),
    ("Files and storage", storage::RULES),
    ("Limits of the hardware", hardware::RULES),
    ("Trials", trials::RULES),
    ("Summaries of trials", summary::RULES),
    ("Predictions", prediction::RULES),
    ("Units", units::RULES),
    ("Values that are given more than once", repeated::RULES),
    ("Ratios and differences", derived::RULES),
];

/// All rules, family by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter())
}

/// What the tests of the rules share.
#[cfg(test)]
mod testing {
    use crate::{Machine, read, rules};

    pub(crate) const HEADING: &str = "operation,parameter,measured,unit\n";

    /// Asserts that a rule finds one thing in each of the first tables and nothing in the others, all below a heading.
    pub(crate) fn expect(rule: &str, heading: &str, found: &[&str], right: &[&str]) {
        found.iter().for_each(|rows| expect_count(rule, 1, heading, rows));
        right.iter().for_each(|rows| expect_count(rule, 0, heading, rows));
    }

    /// Asserts how many findings a rule has in a table.
    pub(crate) fn expect_count(rule: &str, count: usize, heading: &str, rows: &str) {
        expect_on(&Machine::default(), rule, [count; 2], heading, rows);
    }

    /// Asserts how many findings a rule has in a table of a machine, and how many where the machine is unknown.
    pub(crate) fn expect_on(machine: &Machine, rule: &str, counts: [usize; 2], heading: &str, rows: &str) {
        let rule = rules().find(|known| known.id == rule).unwrap();
        for (machine, count) in [machine, &Machine::default()].into_iter().zip(counts) {
            let table = read(&format!("{heading}{rows}"), vec![machine.clone()]).unwrap();
            let findings = rule.findings(&crate::context::Context::new(&table));
            assert_eq!(findings.len(), count, "{rows}: {findings:?}");
        }
    }

    /// Asserts how many findings a rule has in trials of one operation in one unit, with further rows below.
    pub(crate) fn expect_trials(rule: &str, count: usize, unit: &str, values: &str, more: &str) {
        expect_count(rule, count, "", &trials("a", unit, values, more));
    }

    /// A table of trials of one operation in one unit, and further rows.
    pub(crate) fn trials(operation: &str, unit: &str, values: &str, more: &str) -> String {
        let values = values.split_whitespace().enumerate();
        let rows: String =
            values.map(|(at, value)| format!("{operation},trial={},{unit},{value},\n", at + 1)).collect();
        format!("operation,parameter,unit,measured,deviation\n{rows}{more}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Machine, Table};
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_has_a_unique_name_a_code_and_sentences() {
        let names: BTreeSet<&str> = rules().map(|rule| rule.id).collect();
        assert_eq!(names.len(), rules().count());
        assert!(crate::finding::HINTS.iter().all(|hint| names.contains(hint)));
        for rule in rules() {
            assert!(rule.code.len() == 3 && rule.code.starts_with('E'), "{}", rule.id);
            for text in [rule.what, rule.why, rule.wrong_when] {
                assert!(text.ends_with('.') && text.len() > 20, "{}: {text}", rule.id);
            }
        }
    }

    #[test]
    fn every_rule_finds_its_example() {
        let machine = Machine { last_cache: Some(32e6), memory: Some(16e9), ..Machine::default() };
        for rule in rules() {
            let table = crate::read(rule.example, vec![machine.clone()]).unwrap();
            let rules: Vec<&str> = crate::lint(&table).iter().map(|finding| finding.rule).collect();
            assert!(rules.contains(&rule.id), "{}: {rules:?}", rule.id);
        }
    }

    #[test]
    fn empty_table_has_no_findings() {
        assert!(crate::lint(&Table::default()).is_empty());
    }
}
