//! Trials so far apart that they measured different things.

use crate::finding::{Finding, Rule};
use crate::series::long;
use crate::statistics::ends;
use crate::table::Table;
use quantity::Quantity;

/// Largest over smallest, without the one that is farthest from the others.
const APART: f64 = 3.0;

pub(crate) const RULE: Rule = Rule {
    id: "runs_apart",
    code: "E28",
    what: "Trials of one measurement that differ by a factor of three and more, not only by one of them.",
    why: "Something that differs from run to run decides the result: its mean is of none of them.",
    wrong_when: "The thing measured is spread so widely by itself, as waiting times are.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for series in long(table) {
        let mut values = series.values();
        values.sort_by(f64::total_cmp);
        let timed = series
            .first()
            .is_some_and(|row| row.is(Quantity::Latency) && !too_short(row));
        let (low, high) = ends(&values);
        let without_one = |values: &[f64]| {
            let (low, high) = ends(values);
            high / low
        };
        let (all_but_last, all_but_first) = (values.split_last(), values.split_first());
        let (Some((_, lower)), Some((_, upper))) = (all_but_last, all_but_first) else {
            continue;
        };
        // The other rules see one far out, zeros, and what falls steadily.
        let apart = without_one(lower).min(without_one(upper));
        // Two heaps have a rule of their own.
        let heaps = super::two_modes::heaps(&series.values(), series.place()).is_some();
        if timed && low > 0.0 && apart >= APART && !heaps {
            let unit = series.first().map_or("", |row| row.unit_text.as_str());
            let text = format!(
                "the trials lie between {low} and {high} {unit}: something unnamed decides between them"
            );
            findings.push(Finding::new(&series.rows, text));
        }
    }
    findings
}

/// Less than a cycle: the trials are what is left of a subtraction, which is another rule's.
fn too_short(row: &crate::Row) -> bool {
    row.result().is_none_or(|time| time < row.period.unwrap_or(1e-10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn trials_apart_are_found_and_one_far_out_is_none() {
        assert_eq!(
            count(
                &RULE,
                &trials("a", "us", &["548", "322", "231", "177", "433", "117", "89"], "")
            ),
            1
        );
        assert_eq!(
            count(&RULE, &trials("a", "us", &["100", "105", "102", "900", "99"], "")),
            0
        );
        assert_eq!(
            count(&RULE, &trials("a", "us", &["100", "105", "102", "120", "99"], "")),
            0
        );
    }
}
