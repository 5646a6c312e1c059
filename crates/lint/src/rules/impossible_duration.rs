//! Times that are negative or longer than anybody waits.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};

/// Seconds: a day. No single operation of a table is longer.
const LONGEST: f64 = 86_400.0;

/// What is a difference between two times by its name may be below zero by noise.
const DIFFERENCES: [&str; 5] = ["difference", "refill", "penalty", "residual", "unexplained"];

pub(crate) const RULE: Rule = Rule {
    id: "impossible_duration",
    code: "E36",
    what: "A time below zero that is no difference by its name, or longer than a day.",
    why: "Two stamps were taken on different clocks, or one never.",
    wrong_when: "The operation truly runs for days.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let is_difference = |row: &Row| DIFFERENCES.iter().any(|name| row.operation.contains(name));
    let impossible = |row: &&Row| {
        row.is_time_of_one()
            && !is_difference(row)
            && row.result().is_some_and(|time| !(0.0..=LONGEST).contains(&time))
    };
    let rows = table.rows.iter().filter(impossible);
    let text = |row: &Row| match row.result() {
        Some(time) if time < 0.0 => format!("{} is less than nothing", row.told(row.measured)),
        time => format!(
            "{} is {:.0} days",
            row.told(row.measured),
            time.unwrap_or(0.0) / LONGEST
        ),
    };
    grouped(rows.map(|row| ((&row.report, &row.operation, row.params.essence()), row)))
        .iter()
        .map(|(_, rows)| Finding::new(rows, rows.first().map_or_else(String::new, |row| text(row))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn days_and_negative_times_are_found_and_differences_are_none() {
        let text = "operation,parameter,measured,unit,measured_si\nexit,,1.9E+16,cycles,8562246.7\na,,-3,ns,\n\
                    b,difference=a-b,-3,ns,\nswitch.process.refill,,-3,ns,\nsleep,,3600,s,\n";
        assert_eq!(count(&RULE, text), 2);
    }
}
