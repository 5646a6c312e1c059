//! Hardware and software that do not add up to the prediction.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;

/// Beyond the digits that are printed, the sum may differ by this share.
const OFF: f64 = 0.01;

pub(crate) const RULE: Rule = Rule {
    id: "sums",
    code: "E49",
    what: "A prediction that is not the sum of the base hardware performance and the software overhead beside it.",
    why: "One of the three figures belongs to another prediction.",
    wrong_when: "The prediction combines its parts otherwise than by adding them.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let row = telling.rows.iter().find_map(|row| Some((*row, judge(row)?)));
        findings.extend(row.map(|(row, text)| Finding::new(&[row], text)));
    }
    findings
}

fn judge(row: &Row) -> Option<String> {
    let (base, software, predicted) = (row.base?, row.software?, row.predicted?);
    let sum = base.value + software.value;
    let slack = predicted.step.max(base.place).max(software.place);
    let off = (sum - predicted.value).abs();
    // A rate is slowed by its overhead in one way or another; what agrees with neither is wrong.
    let less = (base.value - software.value - predicted.value).abs();
    (off.min(less) > slack && off.min(less) > OFF * predicted.value.abs()).then(|| {
        format!(
            "{} and {} do not make {}",
            row.told(row.base),
            row.told(row.software),
            row.told(row.predicted)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn sums_that_do_not_add_up_are_found() {
        let heading = "operation,hardware,software,predicted,unit\n";
        assert_eq!(
            count(
                &RULE,
                &format!("{heading}a,2.00,0.052,2.52,ns\nb,8000,4000,12150,MB/s\n")
            ),
            2
        );
        assert_eq!(
            count(
                &RULE,
                &format!(
                    "{heading}a,0.247,3.7,3.9,ns\nb,10.024,0.004,10.03,ms\nc,0.24,0.05,0.3,ms\nd,,5,9,ns\n"
                )
            ),
            0
        );
    }
}
