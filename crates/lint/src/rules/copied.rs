//! Figures of one thing that stand, digit by digit, under another.

use crate::finding::{Finding, Rule};
use crate::series::{self, Series};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Quantity;

/// Trials that must agree in a row, with this many digits each.
const TRIALS: usize = 3;
const TRIAL_DIGITS: u32 = 3;
/// Digits of a single figure: by accident two of a hundred figures agree in five digits in one table of twenty.
const DIGITS: u32 = 5;

pub(crate) const RULE: Rule = Rule {
    id: "copied",
    code: "E49",
    what: "Three trials of different values, or one figure of five digits, that stand under another operation or point as well.",
    why: "One of the two was copied from the other.",
    wrong_when: "A coarse clock gives few different values.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = whole_series(&series::all(table));
    let single: Vec<&Row> = tellings::all(table)
        .iter()
        .filter_map(|telling| telling.rows.iter().find(|row| is_plain_figure(row)).copied())
        .collect();
    for (at, row) in single.iter().enumerate() {
        let twin = single.iter().skip(at + 1).find(|other| {
            let same_point = other.params.essence() == row.params.essence();
            other.report == row.report
                && other.unit_text == row.unit_text
                && other.measured.map(|figure| figure.value) == row.measured.map(|figure| figure.value)
                // A value that is told for a part of the sweep or without its parameters is told, not copied.
                && (other.operation != row.operation)
                && same_point
        });
        if let Some(twin) = twin {
            let text = format!(
                "{} is also the result of {}",
                row.told(row.measured),
                row.operation
            );
            findings.push(Finding::new(&[twin, row], text));
        }
    }
    findings
}

fn is_plain_figure(row: &Row) -> bool {
    let timed = row.is(Quantity::Latency) || row.is(Quantity::Bandwidth);
    timed && row.params.is_plain() && row.measured.is_some_and(|figure| figure.digits >= DIGITS)
}

fn whole_series(all: &[Series<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, one) in all.iter().enumerate() {
        for other in all.iter().skip(at + 1).filter(|other| comparable(one, other)) {
            let pairs = one.rows.iter().zip(&other.rows);
            let same = pairs.filter(|(a, b)| {
                a.measured
                    .zip(b.measured)
                    .is_some_and(|(a, b)| a.value == b.value && a.digits >= TRIAL_DIGITS)
            });
            let mut same: Vec<f64> = same
                .filter_map(|(row, _)| row.measured)
                .map(|figure| figure.value)
                .collect();
            same.sort_by(f64::total_cmp);
            same.dedup();
            // A coarse clock gives few different values, and often the same.
            if same.len() >= TRIALS {
                let rows: Vec<&Row> = other.rows.iter().chain(&one.rows).copied().collect();
                let from = one.first().map(|row| row.subject()).unwrap_or_default();
                findings.push(Finding::new(
                    &rows,
                    format!("the trials are those of {from}, digit by digit"),
                ));
            }
        }
    }
    findings
}

/// Of one report and different things.
fn comparable(one: &Series<'_>, other: &Series<'_>) -> bool {
    one.first().zip(other.first()).is_some_and(|(a, b)| {
        a.report == b.report && (a.operation != b.operation || one.essence != other.essence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn copies_are_found() {
        let text = "operation,parameter,measured,unit\nping,trial=1,5.798,us\nping,trial=2,5.565,us\nping,trial=3,7.427,us\n\
                    tcp,trial=1,5.798,us\ntcp,trial=2,5.565,us\ntcp,trial=3,7.427,us\n\
                    local,size=4,0.021591,s\nremote,size=4,0.021591,s\n";
        assert_eq!(count(&RULE, text), 2);
    }

    #[test]
    fn repeats_of_one_thing_and_short_figures_are_none() {
        let text = "section,operation,parameter,measured,unit\n1,a,,16886.29,ns\n2,a,,16886.29,ns\n1,b,,250,ns\n1,c,,250,ns\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
