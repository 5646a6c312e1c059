//! More switches than an operation has.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};

/// There and back: a round trip between two actors switches twice; one way once.
const MOST: f64 = 2.5;

pub(crate) const RULE: Rule = Rule {
    id: "switches",
    code: "E39",
    what: "A count of switches per operation above two, or below one, for an operation that is a switch.",
    why: "The cost belongs to what was counted, not to what was meant.",
    wrong_when: "The operation is a ring of more than two actors, or the count is of a whole run.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let wrong = |row: &&Row| {
        let named = row.params.get("statistic");
        let counted = named.is_some_and(|word| word.contains("switches")) || row.unit_text == "switches";
        let low = row.minimum.or(row.measured).map(|figure| figure.value);
        let high = row.maximum.or(row.measured).map(|figure| figure.value);
        counted
            && row.belongs("switch")
            && row.params.get("processes").is_none()
            && (low.is_some_and(|low| low > MOST) || high.is_some_and(|high| high < 0.9))
    };
    let rows = table.rows.iter().filter(wrong);
    rows.map(|row| {
        Finding::new(
            &[row],
            "as many switches were counted as the operation does not have",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn six_switches_are_found_and_two_are_none() {
        let text = "operation,parameter,minimum,maximum,measured,unit\nswitch.pipe,statistic=voluntary_switches,6,8,,switches\n\
                    switch.a,statistic=voluntary_switches,,,2,switches\nswitch.b,statistic=switches processes=8,,,8,1\n";
        assert_eq!(count(&RULE, text), 1);
    }
}
