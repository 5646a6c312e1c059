//! Mean, ends and deviation that cannot be of the same sample.

use super::Rule;
use crate::{Finding, Row, Table};

pub(crate) const RULE: Rule = Rule {
    id: "impossible_summary",
    code: "E49",
    what: "A result outside its own smallest and largest, a smallest above the largest, or a deviation that is \
           negative or larger than the whole range.",
    why: "No sample has such a summary: a figure belongs elsewhere.",
    wrong_when: "Smallest and largest are of another sample than the mean.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for row in &table.rows {
        findings.extend(judge(row).map(|text| Finding::new(&[row], text)));
    }
    findings
}

fn judge(row: &Row) -> Option<String> {
    let value = |figure: Option<quantity::Printed>| figure.map(|figure| figure.value);
    // What is printed may be off by one of its last digits.
    let slack: f64 = [row.measured, row.minimum, row.maximum]
        .into_iter()
        .flatten()
        .map(|figure| figure.step)
        .fold(0.0, f64::max);
    let (low, high) = (value(row.minimum), value(row.maximum));
    if low.zip(high).is_some_and(|(low, high)| low > high) {
        return Some(format!(
            "the smallest, {}, is above the largest, {}",
            row.told(row.minimum),
            row.told(row.maximum)
        ));
    }
    if value(row.deviation).is_some_and(|deviation| deviation < 0.0) {
        return Some(format!("a deviation of {}", row.told(row.deviation)));
    }
    let mean = value(row.measured)?;
    if low.is_some_and(|low| mean < low - slack) || high.is_some_and(|high| mean > high + slack) {
        return Some(format!(
            "{} lies outside {} to {}",
            row.told(row.measured),
            row.told(row.minimum),
            row.told(row.maximum)
        ));
    }
    let range = high? - low?;
    // With n − 1 and two values the deviation is 0.71 of the range; it is never more.
    (value(row.deviation)? > range + slack && range > 0.0).then(|| {
        format!(
            "a deviation of {} within a range of {range}",
            row.told(row.deviation)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::count;
    use super::*;

    #[test]
    fn impossible_summaries_are_found_and_possible_ones_are_none() {
        let heading = "operation,measured,deviation,minimum,maximum,unit\n";
        assert_eq!(
            count(
                &RULE,
                &format!("{heading}a,3,1,6,9,ns\nb,7,1,4,4.5,us\nc,5,9,4,6,ns\nd,,,9,6,ns\ne,5,-1,,,ns\n")
            ),
            5
        );
        assert_eq!(
            count(
                &RULE,
                &format!("{heading}a,5.1,1,4,9,ns\nb,203,78,124,761,us\nc,5,,,,ns\n")
            ),
            0
        );
    }
}
