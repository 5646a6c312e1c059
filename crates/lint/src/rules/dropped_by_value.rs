//! Values left out for what they are.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};

/// Statistics that are a cut.
const CUTS: [&str; 5] = ["filter", "cutoff", "cut", "clip", "dropped"];

pub(crate) const RULE: Rule = Rule {
    id: "dropped_by_value",
    code: "E30",
    what: "A row that names a cut: values above or below it were dropped.",
    why: "What is dropped for its value is part of the answer; only a named cause may set something aside.",
    wrong_when: "The row tells of somebody else's cut.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let cut = |row: &&Row| {
        row.params
            .get("statistic")
            .is_some_and(|word| CUTS.contains(&word))
    };
    let rows = table.rows.iter().filter(cut);
    rows.map(|row| {
        Finding::new(
            &[row],
            "values were dropped for being beyond a limit, not for a cause",
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_filter_is_found_and_a_bound_is_none() {
        let text = "operation,parameter,maximum,measured,unit\na,statistic=filter,2000,,cycles\na,statistic=bound,10,,ns\n";
        assert_eq!(count(&RULE, text), 1);
    }
}
