//! A mean, or an end, that the trials beside it do not have.

use crate::finding::{Finding, Rule};
use crate::series::{Series, long};
use crate::statistics::{ends, mean, median};
use crate::table::{Row, Table};

/// A summary farther from the trials' mean than this share sums up something else.
const RELATED: f64 = 0.2;

pub(crate) const RULE: Rule = Rule {
    id: "mean_of_trials",
    code: "E49",
    what: "A result near the trials beside it that is neither their mean nor their median to the digits that are \
           printed; or a smallest or largest that is not theirs.",
    why: "Table and summary are of two different sets of trials, or one was typed by hand.",
    wrong_when: "The summary is of more trials than are printed, or of another centre.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for series in long(table) {
        // Rows beside the trials; a summary elsewhere rounds as it likes, and is compared as a second telling.
        let beside = series.summaries(table).filter(|row| {
            series
                .first()
                .is_some_and(|first| first.unit_text == row.unit_text && near(&first.section, &row.section))
                && row
                    .params
                    .number("trials")
                    .is_none_or(|trials| trials == series.rows.len() as f64)
        });
        findings.extend(beside.filter_map(|row| judge(&series, row)));
    }
    findings
}

/// Whether two sections are the same chapter: equal up to the first space (`3.3 Table 3` and `3.3 text`).
fn near(a: &str, b: &str) -> bool {
    a.split(' ').next() == b.split(' ').next()
}

fn judge(series: &Series<'_>, row: &Row) -> Option<Finding> {
    let values = series.values();
    let slack = 0.51 * series.place();
    if let Some(told) = row.measured {
        let centres = [mean(&values), median(&values)];
        let is = centres
            .iter()
            .any(|centre| (centre - told.value).abs() <= told.step.max(slack) * 1.000_001);
        // A mean in the row of the trials is theirs, however far off.
        let own = series.first().is_some_and(|first| first.line == row.line);
        let related = own || (told.value / mean(&values) - 1.0).abs() < RELATED;
        let picked = values.contains(&told.value);
        if related && !is && !picked {
            let text = format!(
                "{} where the trials average {:.6}",
                row.told(row.measured),
                mean(&values)
            );
            return Some(all(series, row, text));
        }
    }
    let (low, high) = ends(&values);
    let off = |figure: Option<quantity::Printed>, end: f64| {
        figure.is_some_and(|figure| (figure.value - end).abs() > figure.place.max(slack) * 1.000_001)
    };
    // Of both ends one must be the trials' own, or they are of another sample altogether.
    let (below, above) = (off(row.minimum, low), off(row.maximum, high));
    if below != above && row.minimum.is_some() && row.maximum.is_some() {
        let text = format!(
            "{} to {} where the trials reach from {low} to {high}",
            row.told(row.minimum),
            row.told(row.maximum)
        );
        return Some(all(series, row, text));
    }
    None
}

fn all(series: &Series<'_>, row: &Row, text: String) -> Finding {
    let rows: Vec<&Row> = std::iter::once(row).chain(series.rows.iter().copied()).collect();
    Finding::new(&rows, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    const VALUES: [&str; 5] = ["9.42", "11.49", "10.96", "12.79", "13.00"];

    #[test]
    fn another_mean_is_found() {
        assert_eq!(
            count(&RULE, &trials("a", "ns", &VALUES, "a,statistic=mean,ns,11.41,\n")),
            1
        );
    }

    #[test]
    fn a_mean_beside_its_trials_is_theirs() {
        let text = "test,run1,run2,run3,run4,run5,average,unit\na,3.12,3.09,3.11,3.14,3.10,4.11,us\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn mean_median_truncation_and_other_samples_are_none() {
        for right in ["11.53", "11.5", "11.49", "12", "25.0"] {
            assert_eq!(
                count(
                    &RULE,
                    &trials("a", "ns", &VALUES, &format!("a,statistic=mean,ns,{right},\n"))
                ),
                0,
                "{right}"
            );
        }
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ns", &VALUES, "a,statistic=mean trials=500,ns,11.41,\n")
            ),
            0
        );
    }
}
