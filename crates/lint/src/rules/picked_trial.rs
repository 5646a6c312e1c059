//! A summary that is one of the trials.

use crate::finding::{Finding, Rule};
use crate::series::{Series, long};
use crate::statistics::{mean, median};
use crate::table::{Row, Table};

/// Digits from which on equality with one trial is no accident.
const DIGITS: u32 = 4;

pub(crate) const RULE: Rule = Rule {
    id: "picked_trial",
    code: "E31",
    what: "A result that is, digit by digit, one of the trials and neither their mean nor their median.",
    why: "One trial was picked: the best, the worst, or the one nearest to the prediction.",
    wrong_when: "Another centre than mean and median falls on a trial, and the row does not name it.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for series in long(table) {
        for row in series.summaries(table) {
            findings.extend(judge(&series, row));
        }
    }
    findings
}

fn judge(series: &Series<'_>, row: &Row) -> Option<Finding> {
    let (told, values) = (row.measured?, series.values());
    let same = |trial: &&&Row| {
        let printed = trial.measured.is_some_and(|value| value.value == told.value);
        printed && trial.unit_text == row.unit_text
    };
    let trial = series.rows.iter().find(same)?;
    let centre = [mean(&values), median(&values)];
    let is_centre = centre
        .iter()
        .any(|centre| (centre - told.value).abs() <= told.step.max(series.place()));
    if told.digits < DIGITS || is_centre {
        return None;
    }
    let text = format!(
        "{} is trial {}; the trials' mean is {:.6}",
        row.told(row.measured),
        trial.params.get("trial")?,
        mean(&values)
    );
    Some(Finding::new(&[row, trial], text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    const VALUES: [&str; 5] = ["1393.21", "1416.13", "1421.98", "1377.13", "1380.23"];

    #[test]
    fn a_picked_trial_is_found() {
        assert_eq!(count(&RULE, &trials("a", "ns", &VALUES, "a,,ns,1416.13,\n")), 1);
    }

    #[test]
    fn mean_median_and_maximum_are_none() {
        for right in [
            "a,,ns,1397.74,",
            "a,,ns,1393.21,",
            "a,statistic=maximum,ns,1421.98,",
        ] {
            assert_eq!(
                count(&RULE, &trials("a", "ns", &VALUES, &format!("{right}\n"))),
                0,
                "{right}"
            );
        }
    }
}
