//! A deviation as large as its mean.

use crate::finding::{Finding, Rule};
use crate::series;
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// Share of the mean. From 1 on, mean − deviation is no time any more; 0.95 is that in the two digits to which a
/// deviation is known.
pub(crate) const SHARE: f64 = 0.95;

pub(crate) const RULE: Rule = Rule {
    id: "wide_deviation",
    code: "E26",
    what: "A time or a rate whose deviation is as large as its mean.",
    why: "Mean ± deviation would reach below zero: there are two kinds of event, or a few far out, under one mean.",
    wrong_when: "The times are spread exponentially, as arrivals are; a mean alone still hides it.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let series = series::long(table);
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let told: Vec<&Row> = telling
            .rows
            .iter()
            .copied()
            .filter(|row| row.deviation.is_some())
            .collect();
        // A single one that is wide among several tellings is a slip, which is another rule's.
        let wide = !told.is_empty() && told.iter().all(|row| is_wide(row));
        // Where the trials are told, one far out is seen in them.
        let in_trials = told.first().is_some_and(|row| {
            series
                .iter()
                .any(|one| one.summaries(table).any(|summary| summary.line == row.line))
        });
        if let (true, false, Some(first)) = (wide, in_trials, told.first()) {
            let text = format!(
                "{} ± {}: as much deviation as mean",
                first.told(first.measured),
                first.told(first.deviation)
            );
            findings.push(Finding::new(&told, text));
        }
    }
    findings
}

fn is_wide(row: &Row) -> bool {
    let timed = row.is(Quantity::Latency) || row.is(Quantity::Bandwidth);
    let figures = row.measured.zip(row.deviation);
    // Beside a median a deviation of any size is honest: it says what the median leaves out.
    timed
        && row.params.get("statistic") != Some("median")
        && !row.params.is_derived()
        && figures.is_some_and(|(mean, deviation)| mean.value > 0.0 && deviation.value >= SHARE * mean.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_deviation_above_the_mean_is_found_once_for_all_tellings() {
        let text = "section,operation,measured,deviation,unit\n1,a,0.028,0.095,ms\n7,a,0.028,0.095,ms\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn a_median_hides_nothing() {
        assert_eq!(count(&RULE, "operation,mean,deviation,unit\na,40,50,ns\n"), 1);
        assert_eq!(count(&RULE, "operation,median,deviation,unit\na,40,50,ns\n"), 0);
    }

    #[test]
    fn narrow_ones_and_slips_are_none() {
        let text = "section,operation,measured,deviation,unit\n1,a,0.029,0.004,ms\n7,a,0.028,0.031,ms\n1,b,10,1,ns\n1,c,10,,ns\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
