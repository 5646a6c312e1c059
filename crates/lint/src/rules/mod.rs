//! The rules, one file each, and the list of them.

mod answered_by_cache;
mod axis_unit;
mod below_a_cycle;
mod binary_units;
mod cheaper_than_parts;
mod clamped_zero;
mod clock_drift;
mod cold_first;
mod common_quantum;
mod copied;
mod derived;
mod deviation_kind;
mod dropped_by_value;
mod extreme_as_result;
mod faster_than_hardware;
mod faster_than_storage;
mod impossible_duration;
mod impossible_summary;
mod knee_unit;
mod larger_than_memory;
mod levels;
mod mean_of_trials;
mod no_kernel_entry;
mod outlier;
mod picked_trial;
mod predicted_from_result;
mod quantised;
mod reciprocal;
mod removed_work;
mod residual;
mod runs_apart;
mod si_disagrees;
mod slower_than_latency;
mod sums;
mod switches;
mod the_harness;
mod told_twice;
mod too_few;
mod too_good;
mod too_small;
mod two_modes;
mod unit_slip;
mod unoptimised;
mod waited;
mod warm_up;
mod wholes;
mod wide_deviation;

use crate::finding::Rule;

/// All rules, by the code of their mistake.
pub const RULES: &[Rule] = &[
    no_kernel_entry::RULE,
    cheaper_than_parts::RULE,
    the_harness::RULE,
    below_a_cycle::RULE,
    clamped_zero::RULE,
    quantised::RULE,
    common_quantum::RULE,
    clock_drift::RULE,
    unoptimised::RULE,
    removed_work::RULE,
    levels::RULE,
    too_small::RULE,
    axis_unit::RULE,
    knee_unit::RULE,
    faster_than_storage::RULE,
    answered_by_cache::RULE,
    cold_first::RULE,
    warm_up::RULE,
    outlier::RULE,
    two_modes::RULE,
    wide_deviation::RULE,
    deviation_kind::RULE,
    runs_apart::RULE,
    too_few::RULE,
    dropped_by_value::RULE,
    extreme_as_result::RULE,
    picked_trial::RULE,
    too_good::RULE,
    predicted_from_result::RULE,
    residual::RULE,
    faster_than_hardware::RULE,
    impossible_duration::RULE,
    binary_units::RULE,
    si_disagrees::RULE,
    unit_slip::RULE,
    slower_than_latency::RULE,
    reciprocal::RULE,
    switches::RULE,
    larger_than_memory::RULE,
    waited::RULE,
    copied::RULE,
    derived::RULE,
    impossible_summary::RULE,
    mean_of_trials::RULE,
    sums::RULE,
    told_twice::RULE,
];

/// What the rules' tests share.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod testing {
    use crate::finding::Rule;
    use crate::read::read;

    /// How many findings a rule has in a table without machines.
    pub(crate) fn count(rule: &Rule, table: &str) -> usize {
        (rule.check)(&read(table, Vec::new()).unwrap()).len()
    }

    /// A table of trials of one operation in one unit, and further rows.
    pub(crate) fn trials(operation: &str, unit: &str, values: &[&str], more: &str) -> String {
        let mut text = "operation,parameter,unit,measured,deviation\n".to_owned();
        for (at, value) in values.iter().enumerate() {
            text.push_str(&format!("{operation},trial={},{unit},{value},\n", at + 1));
        }
        text + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    #[test]
    fn every_rule_is_named_once_and_says_what_why_and_when_it_is_wrong() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(
                RULES.iter().skip(at + 1).all(|other| other.id != rule.id),
                "{}",
                rule.id
            );
            assert!(rule.code.len() == 3 && rule.code.starts_with('E'), "{}", rule.id);
            for text in [rule.what, rule.why, rule.wrong_when] {
                assert!(text.ends_with('.') && text.len() > 20, "{}: {text}", rule.id);
            }
        }
    }

    #[test]
    fn an_empty_table_has_no_findings() {
        let table = Table::default();
        assert!(RULES.iter().all(|rule| (rule.check)(&table).is_empty()));
    }
}
