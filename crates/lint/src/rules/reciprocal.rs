//! A time and a rate of the same thing that do not fit each other.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use quantity::Quantity;

/// A product that is off by more belongs to another row.
const OFF: f64 = 0.1;
/// So many rows must fit for the two columns to be of one thing, and more than half of all.
const FEWEST: usize = 3;

pub(crate) const RULE: Rule = Rule {
    id: "reciprocal",
    code: "E37",
    what: "A time for one and a number in a second, in columns that fit each other in most rows, that do not in this one.",
    why: "One of the two was cut short, or is in another unit.",
    wrong_when: "Several ran at once in this row alone, and no parameter says so.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let told: Vec<(&Row, f64)> = table
        .rows
        .iter()
        .filter_map(|row| Some((row, product(row)?)))
        .collect();
    let (fit, off): (Vec<_>, Vec<_>) = told.iter().partition(|(_, product)| (product - 1.0).abs() < OFF);
    if fit.len() < FEWEST || fit.len() <= off.len() {
        return Vec::new();
    }
    let found = off.into_iter().map(|(row, product)| {
        let rate = row.per_second.unwrap_or_default();
        let text = format!(
            "{} and {rate} in a second multiply to {product:.3} instead of 1",
            row.told(row.measured)
        );
        Finding::new(&[row], text)
    });
    found.collect()
}

/// How many at once a time and a rate would mean: one, where each waits for the one before it.
fn product(row: &Row) -> Option<f64> {
    let one = row.is(Quantity::Latency) && !row.params.is_derived();
    let at_once = [
        "threads",
        "iodepth",
        "depth",
        "queue_depth",
        "numjobs",
        "jobs",
        "clients",
        "streams",
        "processes",
    ];
    let alone = at_once
        .iter()
        .all(|name| row.params.number(name).is_none_or(|count| count <= 1.0));
    let product = row.result()? * row.per_second?;
    (one && alone && product > 0.0).then_some(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn the_row_that_does_not_fit_is_found() {
        let text = "benchmark,usecs/op,ops/sec\na,4,25000\nb,10,100000\nc,2,500000\nd,1,1000000\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn rows_that_fit_columns_of_other_things_and_many_at_once_are_none() {
        let text = "benchmark,usecs/op,ops/sec\na,4,250000\nb,10,100000\nc,2,500000\n";
        assert_eq!(count(&RULE, text), 0);
        let others = "benchmark,usecs/op,ops/sec\na,4,2500\nb,10,100\nc,2,500\n";
        assert_eq!(count(&RULE, others), 0);
        let deep =
            "test,iodepth,lat_avg_us,iops\na,1,80,12500\nb,1,40,25000\nc,1,20,50000\nd,32,100,312000\n";
        assert_eq!(count(&RULE, deep), 0);
    }
}
