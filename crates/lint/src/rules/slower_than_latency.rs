//! A rate of memory so low that every byte would have waited for the memory.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// Seconds: how long the slowest memory in use takes to answer, where the table does not tell.
const SLOWEST: f64 = 2e-7;
/// Bytes that the memory gives in the time of one answer: a line at the least; this is far below one byte.
const BYTES: f64 = 0.5;

pub(crate) const RULE: Rule = Rule {
    id: "slower_than_latency",
    code: "E37",
    what: "A rate of the memory below half a byte in the time in which the memory answers once.",
    why: "Even a byte at a time from the farthest place would be faster: the unit is a thousand times too small.",
    wrong_when: "The memory is behind a bus or a network that the table does not name.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let slow = telling.rows.iter().find(|row| is_too_slow(table, row));
        findings.extend(slow.map(|row| {
            let text = format!(
                "{} is less than half a byte while the memory answers once",
                row.told(row.measured)
            );
            Finding::new(&[*row], text)
        }));
    }
    findings
}

fn is_too_slow(table: &Table, row: &Row) -> bool {
    let latency = table
        .of(&row.report)
        .filter(|other| other.belongs("memory.latency") && other.is_time_of_one())
        .filter_map(Row::result)
        .fold(SLOWEST, f64::max);
    let memory = row.belongs("memory.bandwidth") && row.is(Quantity::Bandwidth) && !row.params.is_derived();
    memory
        && row
            .result()
            .is_some_and(|rate| rate > 0.0 && rate * latency < BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn megabytes_for_gigabytes_are_found() {
        let heading = "operation,parameter,measured,unit\n";
        let wrong = "memory.bandwidth.read,,1.93,MB/s\nmemory.latency,level=memory,141,ns\n";
        assert_eq!(count(&RULE, &format!("{heading}{wrong}")), 1);
        let right =
            "memory.bandwidth.read,,38,MB/s\nmemory.latency,level=memory,300,ns\nfile.read,,1.9,MB/s\n";
        assert_eq!(count(&RULE, &format!("{heading}{right}")), 0);
    }
}
