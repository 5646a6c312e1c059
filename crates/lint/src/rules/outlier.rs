//! One trial that moves the mean.

use crate::finding::{Finding, Rule};
use crate::series::{Series, long};
use crate::statistics::{farthest, mean};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// The chance below which one so far out is none of the others' kind.
const CHANCE: f64 = 1e-3;
/// It must move the mean by this share; what moves it less does no harm.
const MOVES: f64 = 0.02;
/// Without trials: the largest is so many times the mean, and the deviation this share of it.
const FAR: f64 = 3.0;
const WIDE: f64 = 1.0 / 3.0;
/// One value so far out that it made all of the deviation s would stand among (distance / s)² values and move their mean
/// by s² / distance: no more than this share of the mean is no harm.
const MAY_MOVE: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    id: "outlier",
    code: "E25",
    what: "One trial far from all the others that moves their mean by 2 % or more; or a largest value of three times \
           the mean with a deviation of a third of it.",
    why: "The mean is no longer that of the usual case. A median would hardly have moved.",
    wrong_when: "The tail is part of what was asked for, and the table gives the mean as well as a median elsewhere.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let series = long(table);
    let trials = series.iter().filter_map(|series| in_trials(table, series));
    trials.chain(in_ends(table)).collect()
}

fn in_trials(table: &Table, series: &Series<'_>) -> Option<Finding> {
    let first = series.first()?;
    let timed = first.is(Quantity::Latency) || first.is(Quantity::Bandwidth);
    // A median is not moved, and who gives one has seen it.
    let median_told = |row: &Row| row.params.get("statistic") == Some("median");
    if !timed || series.summaries(table).any(median_told) {
        return None;
    }
    let values = series.values();
    let (at, chance) = farthest(&values)?;
    let others: Vec<f64> = values
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != at)
        .map(|(_, value)| *value)
        .collect();
    let (with, without) = (mean(&values), mean(&others));
    if chance > CHANCE || (with / without - 1.0).abs() < MOVES {
        return None;
    }
    let (far, row) = (values.get(at)?, series.rows.get(at)?);
    let share = (with / without - 1.0) * 100.0;
    let text = format!(
        "trial {} of {far} {} moves the mean by {share:+.0} %",
        row.params.get("trial")?,
        row.unit_text
    );
    Some(Finding::new(&[*row], text))
}

/// Rows that give mean, deviation and largest.
fn in_ends(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let far = |row: &&&Row| {
            let (mean, largest) = (row.measured, row.maximum);
            let (Some(mean), Some(largest), Some(deviation)) = (mean, largest, row.deviation) else {
                return false;
            };
            row.is(Quantity::Latency)
                && row.params.get("statistic") != Some("median")
                && largest.value > FAR * mean.value
                && (WIDE * mean.value..super::wide_deviation::SHARE * mean.value).contains(&deviation.value)
                && deviation.value.powi(2) > MAY_MOVE * mean.value * (largest.value - mean.value)
        };
        if let Some(row) = telling.rows.iter().find(far) {
            let text = format!(
                "the largest, {}, is more than three times the mean of {}",
                row.told(row.maximum),
                row.told(row.measured)
            );
            findings.push(Finding::new(&[*row], text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn one_far_out_is_found() {
        let values = ["1.82", "1.84", "5.2", "1.83", "1.84", "1.85", "1.83", "1.84"];
        assert_eq!(count(&RULE, &trials("a", "ns", &values, "")), 1);
        let text = "operation,measured,deviation,minimum,maximum,unit\nread,203,78,124,761,us\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn plain_samples_medians_and_two_values_are_none() {
        let values = ["1.82", "1.84", "1.9", "1.83", "1.81", "1.85", "1.83", "1.84"];
        assert_eq!(count(&RULE, &trials("a", "ns", &values, "")), 0);
        let values = ["1.82", "1.84", "5.2", "1.83", "1.84", "1.85", "1.83", "1.84"];
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ns", &values, "a,statistic=median,ns,1.84,\n")
            ),
            0
        );
        let text = "operation,measured,deviation,minimum,maximum,unit\nread,203,20,124,261,us\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
