//! A deviation of almost nothing.

use crate::finding::{Finding, Rule};
use crate::series;
use crate::table::Table;
use crate::tellings;
use quantity::Quantity;

/// Fewer trials than this give no interval: of four, two of three deviations are off by more than a third.
const FEWEST: f64 = 5.0;

pub(crate) const RULE: Rule = Rule {
    id: "too_few",
    code: "E29",
    what: "A result from fewer than five trials, where the table tells how many there were.",
    why: "So few give no deviation and no interval that means anything.",
    wrong_when: "Each of the trials is itself the mean of many, and the deviation is given of those.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let few = telling.rows.iter().find_map(|row| {
            let trials = row
                .params
                .number("trials")
                .filter(|&trials| (1.0..FEWEST).contains(&trials))?;
            let timed = row.is(Quantity::Latency) || row.is(Quantity::Bandwidth);
            (timed && row.measured.is_some()).then_some((*row, trials))
        });
        if let Some((row, trials)) = few {
            findings.push(Finding::new(
                &[row],
                format!("{} from {trials} trials", row.told(row.measured)),
            ));
        }
    }
    for series in series::all(table)
        .iter()
        .filter(|series| (series.rows.len() as f64) < FEWEST)
    {
        let summary = series
            .summaries(table)
            .find(|row| row.deviation.is_some() && row.params.get("trials").is_none());
        if let Some(row) = summary {
            let text = format!(
                "a deviation of {} from {} trials",
                row.told(row.deviation),
                series.rows.len()
            );
            findings.push(Finding::new(&[row], text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn few_trials_are_found_where_they_are_told() {
        assert_eq!(
            count(
                &RULE,
                "operation,measured,unit,trials\na,7,ns,1\nb,7,ns,12\nc,7,ns,\nd,,ns,0\n"
            ),
            1
        );
        assert_eq!(
            count(&RULE, &trials("a", "ns", &["1", "2", "3"], "a,,ns,2,1\n")),
            1
        );
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ns", &["1", "2", "3", "2", "2"], "a,,ns,2,0.7\n")
            ),
            0
        );
    }
}
