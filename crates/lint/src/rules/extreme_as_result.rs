//! The best or the worst of several as the result.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};

pub(crate) const RULE: Rule = Rule {
    id: "extreme_as_result",
    code: "E31",
    what: "A minimum, maximum, peak or ceiling that a prediction is held against, or that is all that is told of an \
           operation.",
    why: "The luckiest of several is no estimate, and it gets luckier the longer one tries.",
    wrong_when: "The question was what the hardware can do at best, and the prediction is of that.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let ends = table
        .rows
        .iter()
        .filter(|row| row.params.is_extreme() && row.measured.is_some());
    let found = ends.filter(|row| row.predicted.is_some() || is_all(table, row));
    let found = grouped(found.map(|row| ((&row.report, &row.operation), row)));
    let sentence = |rows: &[&Row]| {
        let word = rows
            .first()
            .and_then(|row| row.params.get("statistic"))
            .unwrap_or_default()
            .to_owned();
        format!("the {word} is given for the result")
    };
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence(rows)))
        .collect()
}

/// Whether no other row tells a plain result of this operation.
fn is_all(table: &Table, row: &Row) -> bool {
    !table.of(&row.report).any(|other| {
        other.operation == row.operation
            && other.quantity == row.quantity
            && other.measured.is_some()
            && !other.params.is_extreme()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn an_end_that_stands_for_the_result_is_found() {
        let text = "operation,parameter,measured,predicted,unit\na,statistic=maximum,7,8,MB/s\nb,statistic=ceiling,7,,MB/s\n";
        assert_eq!(count(&RULE, text), 2);
    }

    #[test]
    fn an_end_beside_the_result_is_none() {
        let text = "operation,parameter,measured,predicted,unit\na,statistic=maximum,7,,MB/s\na,statistic=median,6,8,MB/s\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
