//! A level of the memory that answers sooner than the level before it.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings::{self, Telling};

/// Levels from near to far.
const LEVELS: [&str; 5] = ["L1", "L2", "L3", "L4", "memory"];
/// A fall must be more than this share: medians of good runs move by a few percent.
const FALL: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    id: "levels",
    code: "E16",
    what: "A farther level of the memory that answers sooner than a nearer one.",
    why: "It can only take longer: the working set was not where the label says, or the rows are exchanged.",
    wrong_when: "Hardly; a table may sort its levels by another name.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    let ranked: Vec<(&Row, f64, String)> = tellings
        .iter()
        .filter_map(first_result)
        .filter_map(|row| Some((row, rank(row)?, family(row))))
        .collect();
    let mut findings = Vec::new();
    for (near, low, family) in &ranked {
        let farther = ranked
            .iter()
            .filter(|(_, high, other)| other == family && high > low);
        let next = farther.min_by(|a, b| a.1.total_cmp(&b.1));
        let (Some((far, _, _)), Some(small)) = (next, near.result()) else {
            continue;
        };
        if far.result().is_some_and(|large| large < small * (1.0 - FALL)) {
            let text = format!(
                "{} comes after {} and can only be more",
                far.told(far.measured),
                near.told(near.measured)
            );
            findings.push(Finding::new(&[far, near], text));
        }
    }
    findings
}

fn first_result<'t>(telling: &Telling<'t>) -> Option<&'t Row> {
    let first = telling.rows.iter().find(|row| row.result().is_some())?;
    (first.is_time_of_one() && first.params.is_plain()).then_some(*first)
}

/// How far a row is along what can only grow.
fn rank(row: &Row) -> Option<f64> {
    let level = row
        .params
        .get("level")
        .filter(|_| row.belongs("memory.latency"))?;
    LEVELS
        .iter()
        .position(|known| known.eq_ignore_ascii_case(level))
        .map(|at| at as f64)
}

fn family(row: &Row) -> String {
    let rest = row.params.essence().without(&["level"]).text();
    format!("{} {} {rest}", row.report, row.operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_level_that_falls_is_found() {
        let text = "operation,parameter,measured,unit\nmemory.latency,level=L1,1.4,ns\nmemory.latency,level=L3,20,ns\n\
                    memory.latency,level=memory,12,ns\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn rising_levels_are_none() {
        let text = "operation,parameter,measured,unit\nmemory.latency,level=L1,1.4,ns\nmemory.latency,level=L2,4,ns\n\
                    memory.latency,level=memory,80,ns\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
