//! A major fault that no storage could have answered.

use super::answered_by_cache::too_fast;
use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};

pub(crate) const RULE: Rule = Rule {
    id: "faster_than_storage",
    code: "E20",
    what: "A major fault in less than 5 µs, or one at a random place in less than 1 ms where the machine's storage turns.",
    why: "No storage answers so fast: the page was in memory, and the fault was a minor one.",
    wrong_when: "The storage is memory itself (persistent memory mapped directly) and nothing says so, or the time is per \
                 byte.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let found = table
        .rows
        .iter()
        .filter(|row| is_fault(row) && too_fast(table, row));
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

fn is_fault(row: &Row) -> bool {
    row.operation.split('.').any(|word| word == "major")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_major_fault_of_two_microseconds_is_found() {
        let text = "operation,parameter,measured,unit\nfault.file.major,stride=1MB,1.765,us\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn storage_minor_faults_and_times_per_byte_are_none() {
        let text = "operation,measured,unit\nfault.file.major,80,us\nfault.file.minor,0.25,us\nfault.file.major.cached,0.5,us\nfault.file.major,2,us/byte\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
