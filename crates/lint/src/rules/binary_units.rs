//! Two tellings that agree only if one counts by 1024 and the other says 1000.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::{Printed, Quantity};

/// How far 1024 and 1000 are apart, less a little for rounding; one step between `MB` and `GB`.
const STEP: f64 = 1000.0;
const BINARY: f64 = 1.024;

pub(crate) const RULE: Rule = Rule {
    id: "binary_units",
    code: "E37",
    what: "A size or rate told in two decimal units (MB and GB) that agree to their digits only by 1024.",
    why: "Powers of 1024 were called by the names of powers of 1000: 2.4 % per step.",
    wrong_when: "The two figures are of two measurements that happen to differ by 2.4 %.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let rows: Vec<&Row> = telling
            .rows
            .iter()
            .copied()
            .filter(|row| is_amount(row))
            .collect();
        let pair = rows.iter().enumerate().find_map(|(at, fine)| {
            let rest = rows.iter().skip(at + 1);
            rest.map(|other| (*fine, *other))
                .find(|(a, b)| binary(a, b) || binary(b, a))
        });
        if let Some((a, b)) = pair {
            let text = format!(
                "{} and {} are the same only by powers of 1024",
                a.told(a.measured),
                b.told(b.measured)
            );
            findings.push(Finding::new(&[a, b], text));
        }
    }
    findings
}

fn is_amount(row: &Row) -> bool {
    (row.is(Quantity::Size) || row.is(Quantity::Bandwidth))
        && !row.unit_text.contains('i')
        && row.measured.is_some()
}

/// Whether `fine`, in the smaller unit, rounds to `coarse` by 1024 and not by 1000.
fn binary(fine: &Row, coarse: &Row) -> bool {
    let (Some(small), Some(large)) = (fine.factor(), coarse.factor()) else {
        return false;
    };
    let (Some(fine), Some(coarse)) = (fine.measured, coarse.measured) else {
        return false;
    };
    if (large / small / STEP - 1.0).abs() > 1e-9 {
        return false;
    }
    let by = |step: f64, coarse: Printed| (fine.value / step - coarse.value).abs() <= 0.5 * coarse.step;
    by(STEP * BINARY, coarse) && !by(STEP, coarse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn only_what_needs_1024_is_found() {
        assert_eq!(
            count(&RULE, "operation,measured,unit\ncache,7296,MB\ncache,7.1,GB\n"),
            1
        );
        assert_eq!(
            count(&RULE, "operation,measured,unit\ncache,7296,MB\ncache,7.3,GB\n"),
            0
        );
        assert_eq!(
            count(
                &RULE,
                "operation,measured,unit\ncache,7296,MiB\ncache,7.125,GiB\n"
            ),
            0
        );
    }
}
