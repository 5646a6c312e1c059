//! A major fault or an uncached read that no storage could have answered.

use super::Rule;
use crate::table::grouped;
use crate::{Finding, Row, Table};

/// Seconds. The fastest storage that was ever sold for a block bus answers after 7 µs, fault and copy come on top.
const FASTEST_STORAGE: f64 = 5e-6;
/// Words in an id that say that storage must answer.
const FROM_STORAGE: [&str; 3] = ["major", "uncached", "direct"];

pub(crate) const RULE: Rule = Rule {
    id: "faster_than_storage",
    code: "E20",
    what: "A major fault, or an uncached or direct read, in less than 5 µs.",
    why: "No storage answers so fast: the page was in memory, and the fault was a minor one.",
    wrong_when: "The storage is memory itself (persistent memory mapped directly), or the time is per byte.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let found = table.rows.iter().filter(|row| too_fast(row));
    let found = grouped(found.map(|row| ((&row.report, &row.operation), row)));
    let sentence = |rows: &[&Row]| {
        let told = rows.first().map(|row| row.told(row.measured)).unwrap_or_default();
        format!("{told} is less than any storage takes: the page was in memory")
    };
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence(rows)))
        .collect()
}

fn too_fast(row: &Row) -> bool {
    let words = row.operation.split('.');
    let stored = words.clone().any(|word| FROM_STORAGE.contains(&word));
    // `fault.file.major.cached` says itself that it is none.
    let denied = words
        .clone()
        .any(|word| ["cached", "sparse", "minor", "assumed"].contains(&word));
    let per_part = row.unit.is_none_or(|unit| unit.per_part);
    let time = row.result().filter(|&time| time > 0.0);
    stored && !denied && !per_part && row.is_time_of_one() && time.is_some_and(|time| time < FASTEST_STORAGE)
}

#[cfg(test)]
mod tests {
    use super::super::testing::count;
    use super::*;

    #[test]
    fn a_major_fault_of_two_microseconds_is_found() {
        assert_eq!(
            count(
                &RULE,
                "operation,parameter,measured,unit\nfault.file.major,stride=1MB,1.765,us\n"
            ),
            1
        );
    }

    #[test]
    fn storage_minor_faults_and_times_per_byte_are_none() {
        let text = "operation,measured,unit\nfault.file.major,80,us\nfault.file.minor,0.25,us\nfault.file.major.cached,0.5,us\nfault.file.major,2,us/byte\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
