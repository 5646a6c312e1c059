//! A size read off a curve that is a power of two away from what was expected.

use crate::finding::{Finding, Rule};
use crate::table::Table;
use crate::tellings;
use quantity::Quantity;

/// How near the factor must be to a power of two, and the smallest power that is no detection's error: caches are
/// found too small by half where they are shared, hardly by three quarters.
const NEAR: f64 = 0.1;
const SMALLEST: i32 = 2;

pub(crate) const RULE: Rule = Rule {
    id: "knee_unit",
    code: "E19",
    what: "A size read off a curve that is a quarter, an eighth, a sixteenth… of the size that is predicted or known, \
           or as many times that.",
    why: "The axis counted something else than bytes: nodes, words, lines.",
    wrong_when: "Detection failed by just that much.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let row = telling
            .rows
            .iter()
            .find(|row| row.is(Quantity::Size) && row.params.is_plain() && row.operation.contains("level"));
        let Some(row) = row else { continue };
        let expected = row.si(row.predicted).or(row.si(row.base));
        let (Some(found), Some(expected)) = (row.result(), expected) else {
            continue;
        };
        let power = (found / expected).log2();
        let whole = power.round();
        if whole.abs() >= f64::from(SMALLEST) && (power - whole).abs() < NEAR {
            let factor = power.abs().exp2().round();
            let text = format!(
                "found and expected differ by just {factor}: the axis counts something of {factor} bytes"
            );
            findings.push(Finding::new(&[row], text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn sixteenths_are_found_and_near_misses_are_none() {
        let heading = "operation,parameter,predicted,measured,unit\n";
        assert_eq!(
            count(
                &RULE,
                &format!("{heading}memory.levels.size,level=L3,23,19,log2 bytes\n")
            ),
            1
        );
        let good = "memory.levels.size,level=L1,5,5,log2 KB\nmemory.levels.size,level=L3,11.585,11,log2 KB\n\
                    memory.levels.size,level=L2,2097152,1048576,bytes\nmemory.levels.size,level=L4,,3,bytes\n";
        assert_eq!(count(&RULE, &format!("{heading}{good}")), 0);
    }
}
