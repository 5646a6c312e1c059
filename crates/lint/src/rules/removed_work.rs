//! The total of a loop that does not grow with what there is to do.

use crate::finding::{Finding, Rule};
use crate::table::{Row, SHORTEST_PERIOD, Table};
use crate::tellings;

/// Iterations in a cycle that no core does, where each must end in a branch.
const MOST_PER_CYCLE: f64 = 3.0;
/// A total that is so much below that of fewer iterations has fallen.
const FALL: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    id: "removed_work",
    code: "E13",
    what: "The total of a longer loop below that of a shorter one, or below a third of a cycle per iteration.",
    why: "The work was not done: a compiler removed it, or the counter ran over.",
    wrong_when: "The loop was unrolled or vectorised, and `n` counts what it does rather than its turns.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    let totals: Vec<(f64, f64, &Row)> = tellings
        .iter()
        .filter_map(|telling| telling.rows.iter().copied().find(|row| is_total(row)))
        .filter_map(|row| Some((row.params.iterations()?, row.result()?, row)))
        .collect();
    let wrong = totals.iter().filter_map(|(n, time, row)| {
        let shorter = totals
            .iter()
            .find(|(fewer, dearer, other)| fewer < n && *time < dearer * (1.0 - FALL) && alike(row, other));
        let least = n * table.cycle(row).unwrap_or(SHORTEST_PERIOD) / MOST_PER_CYCLE;
        let text = match shorter {
            Some((fewer, _, other)) => format!(
                "{} for {n} iterations and {} for {fewer}",
                row.told(row.measured),
                other.told(other.measured)
            ),
            None if *time < least && *time > 0.0 => {
                format!(
                    "{} for {n} iterations is less than a third of a cycle for each",
                    row.told(row.measured)
                )
            }
            None => return None,
        };
        let rows: Vec<&Row> = std::iter::once(*row)
            .chain(shorter.map(|(_, _, other)| *other))
            .collect();
        Some(Finding::new(&rows, text))
    });
    wrong.collect()
}

fn is_total(row: &Row) -> bool {
    let total = row.params.get("scope") == Some("total");
    total && row.is_time_of_one() && row.params.is_plain() && row.result().is_some()
}

/// Totals of the same loop.
fn alike(a: &Row, b: &Row) -> bool {
    let rest = |row: &Row| row.params.essence().without(&["n", "iterations"]);
    (&a.report, &a.operation) == (&b.report, &b.operation) && rest(a) == rest(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const HEADING: &str = "operation,parameter,measured,unit\n";

    #[test]
    fn totals_that_fall_or_hold_still_are_found() {
        let text = "loop.iteration,n=100 scope=total,134,ns\nloop.iteration,n=1000 scope=total,1.4,ns\n\
                    loop.iteration,n=10000 scope=total,1.4,ns\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 2);
    }

    #[test]
    fn totals_that_grow_are_none() {
        let text = "loop.iteration,n=1 scope=total,44,ns\nloop.iteration,n=10 scope=total,44,ns\n\
                    loop.iteration,n=1000 scope=total,334,ns\nloop.iteration,n=10000,0.3,ns\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
    }
}
