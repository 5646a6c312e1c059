//! A clock whose frequency moves from trial to trial.

use crate::finding::{Finding, Rule};
use crate::series;
use crate::statistics::{ends, median};
use crate::table::Table;

/// A crystal keeps its frequency to a few millionths; more than this is another clock, or another length of the trial.
const DRIFT: f64 = 0.01;
/// Fewer trials show no drift.
const FEWEST: usize = 3;

pub(crate) const RULE: Rule = Rule {
    id: "clock_drift",
    code: "E10",
    what: "Trials of the frequency of a clock that differ by more than 1 %.",
    why: "Whatever was converted by that clock is off by as much, and nobody knows which trial held.",
    wrong_when: "The clock of the core was meant to be seen as it changes.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    let all = series::all(table);
    let clocks = all.iter().filter(|series| {
        let clock = series.first().is_some_and(|row| row.belongs("clock.frequency"));
        clock && series.rows.len() >= FEWEST
    });
    for series in clocks {
        let values = series.values();
        let ((low, high), centre) = (ends(&values), median(&values));
        if low > 0.0 && (high - low) > DRIFT * centre {
            let share = 100.0 * (high - low) / centre;
            findings.push(Finding::new(
                &series.rows,
                format!("the trials differ by {share:.1} %"),
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn a_clock_that_jumps_is_found_and_a_steady_one_is_none() {
        let jumps = ["22999873011", "22999880402", "25810441200", "22999871920"];
        let steady = ["22667474081", "22667487880", "22667476230", "22667480001"];
        assert_eq!(count(&RULE, &trials("clock.frequency", "counts", &jumps, "")), 1);
        assert_eq!(count(&RULE, &trials("clock.frequency", "counts", &steady, "")), 0);
        assert_eq!(count(&RULE, &trials("a", "counts", &jumps, "")), 0);
    }
}
