//! A column of base units that does not follow from the printed figure.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};

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
    let off = table.rows.iter().filter_map(|row| Some((row, factor(row)?)));
    let found =
        grouped(off.map(|(row, factor)| ((&row.report, &row.operation, &row.section), (row, factor))));
    let of_group = |(_, members): (_, Vec<(&Row, f64)>)| {
        let rows: Vec<&Row> = members.iter().map(|(row, _)| *row).collect();
        let (_, factor) = members.first()?;
        let text = format!("the base units are {factor:.4} times what the printed figure and unit say");
        Some(Finding::new(&rows, text))
    };
    found.into_iter().filter_map(of_group).collect()
}

/// By what factor the base units are off; `None` where they are not.
fn factor(row: &Row) -> Option<f64> {
    // Cycles lead to seconds by way of this very column.
    let by_unit = row
        .si(row.measured)
        .filter(|&value| value != 0.0 && !row.in_cycles())?;
    let factor = row.measured_si? / by_unit;
    (factor.is_finite() && (factor - 1.0).abs() >= OFF).then_some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

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
