//! What is left of the result, called the overhead of the software.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;

/// Digits of a single row by which the sum is no accident, and of each of several.
const DIGITS: u32 = 4;
const DIGITS_EACH: u32 = 2;
/// A prediction nearer to the result than this share may be the sum itself.
const APART: f64 = 0.02;

pub(crate) const RULE: Rule = Rule {
    id: "residual",
    code: "E34",
    what: "Base hardware performance and software overhead that make up the result to its last digit, and not the \
           prediction beside it.",
    why: "The overhead was not estimated: it is what the result left over, under another name.",
    wrong_when: "The overhead was measured apart, and the sum is right by chance.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    let rows: Vec<&Row> = tellings
        .iter()
        .filter_map(|telling| telling.rows.iter().copied().find(|row| digits(row).is_some()))
        .collect();
    let mut findings = Vec::new();
    for report in table.reports() {
        let left: Vec<&Row> = rows.iter().copied().filter(|row| row.report == report).collect();
        let alone = left.len() < 2 && left.iter().all(|row| digits(row) < Some(DIGITS));
        if let (Some(first), false) = (left.first(), alone) {
            let text = format!(
                "{} and {} make {}, the result, where {} was predicted",
                first.told(first.base),
                first.told(first.software),
                first.told(first.measured),
                first.told(first.predicted)
            );
            findings.push(Finding::new(&left, text));
        }
    }
    findings
}

/// The digits in which base and software make the result and not the prediction; `None` where they do not.
fn digits(row: &Row) -> Option<u32> {
    let (base, software) = (row.base?, row.software?);
    let (predicted, measured) = (row.predicted?, row.measured?);
    let sum = base.value + software.value;
    let is_result = (sum - measured.value).abs() < 0.5 * measured.place;
    let is_prediction = (predicted.value / measured.value - 1.0).abs() < APART;
    let apart = software.value > 0.0 && base.value > 0.0 && software.digits >= DIGITS_EACH;
    (is_result && !is_prediction && apart && measured.digits >= DIGITS_EACH).then_some(measured.digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const HEADING: &str = "operation,hardware,software,predicted,measured,unit\n";

    #[test]
    fn what_is_left_over_is_found_in_several_rows_or_to_many_digits() {
        let two = "a,500,2310,2000,2810,ns\nb,500,1690,1500,2190,ns\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{two}")), 1);
        assert_eq!(
            count(&RULE, &format!("{HEADING}a,500,2311.5,2000,2811.5,ns\n")),
            1
        );
    }

    #[test]
    fn estimates_and_good_predictions_are_none() {
        let text = "a,500,1500,2000,2810,ns\nb,500,1690,2190,2190,ns\nc,5,2,6,7,ns\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
    }
}
