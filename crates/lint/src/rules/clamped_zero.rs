//! Results that are exactly zero among others that are not.

use crate::finding::{Finding, Rule};
use crate::series;
use crate::table::{Row, Table, grouped};
use quantity::Quantity;

pub(crate) const RULE: Rule = Rule {
    id: "clamped_zero",
    code: "E05",
    what: "A time or a rate of exactly zero beside others of the same operation that are not, or of something that takes \
           time everywhere.",
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

/// Trials of more steps than this are told apart by their clock.
const MOST_TICKS: f64 = 5.0;

fn check(table: &Table) -> Vec<Finding> {
    let zeros = table
        .rows
        .iter()
        .filter(|row| is_zero(row) && !nothing_to_do(row));
    let series = series::long(table);
    let ticks = |row: &Row| {
        let own = series
            .iter()
            .find(|one| one.rows.iter().any(|trial| trial.line == row.line));
        own.is_some_and(|own| are_ticks(&own.values(), own.place()))
    };
    let zeros = zeros.filter(|row| (has_others(table, row) && !ticks(row)) || takes_time(row));
    let found = grouped(zeros.map(|row| ((&row.report, &row.operation, row.params.essence()), row)));
    let sentence =
        "exactly 0, where nothing takes no time: it was cut off at zero, or the clock saw nothing of it";
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence))
        .collect()
}

fn is_zero(row: &Row) -> bool {
    let timed = row.is(Quantity::Latency) || row.is(Quantity::Bandwidth);
    timed && !row.params.is_derived() && row.measured.is_some_and(|measured| measured.value == 0.0)
}

/// Operations that take time everywhere: a clock that told nothing of them is told by their zero alone.
fn takes_time(row: &Row) -> bool {
    let known = ["syscall", "switch", "process", "thread", "network", "fault"];
    !row.params.is_trial() && row.is(Quantity::Latency) && known.iter().any(|prefix| row.belongs(prefix))
}

/// Whether the trials are none, one or a few steps of a coarse clock: a zero among those is its, and no subtraction's.
fn are_ticks(values: &[f64], place: f64) -> bool {
    let above = values.iter().copied().filter(|value| *value > 0.0);
    let tick = above.clone().fold(f64::INFINITY, f64::min);
    above.count() > 1
        && values.iter().all(|value| {
            let ticks = (value / tick).round();
            (value - ticks * tick).abs() <= 0.51 * place * (1.0 + ticks) && ticks <= MOST_TICKS
        })
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
    use super::*;
    use crate::rules::testing::count;

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
    fn a_zero_of_what_takes_time_is_found_and_ticks_are_none() {
        let heading = "operation,parameter,measured,unit\n";
        assert_eq!(
            count(&RULE, &format!("{heading}connection.close,peer=remote,0,us\n")),
            1
        );
        let ticks: String = ["41.67", "0", "41.67", "83.33", "0"]
            .iter()
            .enumerate()
            .map(|(at, value)| format!("clock,trial={at},{value},ns\n"))
            .collect();
        assert_eq!(count(&RULE, &format!("{heading}{ticks}")), 0);
    }

    #[test]
    fn nothing_to_do_takes_no_time() {
        let text = "operation,parameter,measured,unit\nread,file=0KB,0,s\nread,file=1KB,0.1,s\nloss,,0,%\nloss,n=2,1,%\nx,,0,ns\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
