//! Trials that go on falling.

use crate::finding::{Finding, Rule};
use crate::series::long;
use crate::statistics::{ends, falling, mean};
use crate::table::Table;
use quantity::Quantity;

/// The chance below which a fall is no accident; with five trials only a fall at every step is rarer.
const CHANCE: f64 = 0.0085;
/// The first trial must be dearer than the mean of the later half by this share: less is noise of good runs.
const SHARE: f64 = 0.25;

pub(crate) const RULE: Rule = Rule {
    id: "warm_up",
    code: "E24",
    what: "Trials that fall one after the other, the first by a quarter or more above the later half.",
    why: "The machine was still warming up: their mean is that of no state it was in.",
    wrong_when: "Trials were sorted by size before they were printed.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for series in long(table) {
        let values = series.values();
        let times = series.first().is_some_and(|row| row.is(Quantity::Latency));
        let late = mean(values.get(values.len() / 2..).unwrap_or_default());
        let first = values.first().copied().unwrap_or(0.0);
        if times && falling(&values) < CHANCE && first > late * (1.0 + SHARE) && ends(&values).1 == first {
            let unit = series.first().map_or("", |row| row.unit_text.as_str());
            let text =
                format!("the trials fall from {first} to {late:.4} {unit}: no steady state was reached");
            findings.push(Finding::new(&series.rows, text));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn a_long_fall_is_found_and_a_plain_sample_is_none() {
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ms", &["0.352", "0.226", "0.198", "0.193", "0.137"], "")
            ),
            1
        );
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ms", &["1.02", "1.01", "1.00", "0.99", "0.98"], "")
            ),
            0
        );
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ms", &["3.5", "1.0", "2.0", "1.5", "1.1"], "")
            ),
            0
        );
        assert_eq!(
            count(
                &RULE,
                &trials("a", "MB/s", &["352", "226", "198", "193", "137"], "")
            ),
            0
        );
    }
}
