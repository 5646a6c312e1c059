//! Results that are exactly zero among others that are not.

use super::Rule;
use crate::table::grouped;
use crate::{Finding, Row, Table};
use quantity::Quantity;

pub(crate) const RULE: Rule = Rule {
    id: "clamped_zero",
    code: "E05",
    what: "A time or a rate of exactly zero beside others of the same operation that are not.",
    why: "Nothing takes no time: a subtraction went below zero and was cut off there.",
    wrong_when: "Nothing was asked for at that point (an empty file), and a parameter does not say so.",
    check,
};

/// Parameters that say how much there is to do.
const AMOUNTS: [&str; 8] = [
    "file",
    "bytes",
    "size",
    "transfer",
    "block",
    "n",
    "iterations",
    "count",
];

fn check(table: &Table) -> Vec<Finding> {
    let zeros = table
        .rows
        .iter()
        .filter(|row| is_zero(row) && !nothing_to_do(row));
    let zeros = zeros.filter(|row| has_others(table, row));
    let found = grouped(zeros.map(|row| ((&row.report, &row.operation, row.params.essence()), row)));
    let sentence = "exactly 0, where the same operation takes time elsewhere: it was cut off at zero";
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence))
        .collect()
}

fn is_zero(row: &Row) -> bool {
    let timed = row.is(Quantity::Latency) || row.is(Quantity::Bandwidth);
    timed && !row.params.is_derived() && row.measured.is_some_and(|measured| measured.value == 0.0)
}

fn nothing_to_do(row: &Row) -> bool {
    AMOUNTS
        .iter()
        .any(|name| row.params.number(name) == Some(0.0) || row.params.bytes(name) == Some(0.0))
}

fn has_others(table: &Table, row: &Row) -> bool {
    table.of(&row.report).any(|other| {
        other.operation == row.operation
            && other.quantity == row.quantity
            && other.measured.is_some_and(|measured| measured.value > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::count;
    use super::*;

    #[test]
    fn a_zero_among_others_is_found() {
        assert_eq!(
            count(
                &RULE,
                "operation,parameter,measured,unit\ncall,trial=1,5.3,ns\ncall,trial=2,0,ns\n"
            ),
            1
        );
    }

    #[test]
    fn nothing_to_do_takes_no_time() {
        let text = "operation,parameter,measured,unit\nread,file=0KB,0,s\nread,file=1KB,0.1,s\nloss,,0,%\nloss,n=2,1,%\nx,,0,ns\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
