//! A column of base units that does not follow from the printed figure.

use super::Rule;
use crate::{Finding, Row, Table};

/// Converted figures are printed with fewer digits; a slip is a factor.
const OFF: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    id: "si_disagrees",
    code: "E37",
    what: "A result in base units that is not the printed figure in its printed unit.",
    why: "One of the two units is wrong, mostly by 8, 1000 or 1024.",
    wrong_when: "The column was not converted but measured apart.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut found: Vec<(String, Vec<&Row>, f64)> = Vec::new();
    for row in &table.rows {
        // Cycles lead to seconds by way of this very column.
        let (Some(by_unit), Some(told)) =
            (row.si(row.measured).filter(|_| !row.in_cycles()), row.measured_si)
        else {
            continue;
        };
        let factor = told / by_unit;
        if by_unit == 0.0 || (factor - 1.0).abs() < OFF || !factor.is_finite() {
            continue;
        }
        let key = format!("{} {} {}", row.report, row.operation, row.section);
        match found.iter_mut().find(|(known, _, _)| *known == key) {
            Some((_, rows, _)) => rows.push(row),
            None => found.push((key, vec![row], factor)),
        }
    }
    let text =
        |factor: &f64| format!("the base units are {factor:.4} times what the printed figure and unit say");
    found
        .iter()
        .map(|(_, rows, factor)| Finding::new(rows, text(factor)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::count;
    use super::*;

    #[test]
    fn a_wrong_conversion_is_found_and_a_right_one_is_none() {
        let heading = "operation,measured,unit,quantity,measured_si\n";
        assert_eq!(
            count(&RULE, &format!("{heading}a,100,Mb/s,bandwidth,100000000\n")),
            1
        );
        assert_eq!(
            count(
                &RULE,
                &format!(
                    "{heading}a,100,Mb/s,bandwidth,12500000\nb,5,log2 KB,size,32768\nc,7,cycles,latency,3e-9\n"
                )
            ),
            0
        );
    }
}
