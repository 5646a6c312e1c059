//! Trials in two heaps.

use crate::finding::{Finding, Rule};
use crate::params::Params;
use crate::series::long;
use crate::statistics::mean;
use crate::table::Table;
use quantity::Quantity;

/// Fewer trials than this in all, and in a heap, are no heaps.
const FEWEST: usize = 7;
const IN_A_HEAP: usize = 2;
/// The gap between the heaps, in widths of the wider one: a gap in one normal distribution is never so wide.
const GAP: f64 = 4.0;
/// The upper heap lies so many times as high as the lower one; nearer ones hardly spoil a mean.
const APART: f64 = 1.2;

pub(crate) const RULE: Rule = Rule {
    id: "two_modes",
    code: "E26",
    what: "Trials in two heaps with an empty gap between them, four times as wide as the wider heap, and no word of it.",
    why: "Two kinds of event happened; their mean is of neither, and their deviation is the gap.",
    wrong_when: "Something that the row does not name was changed on purpose between the trials.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for series in long(table) {
        let Some(first) = series.first() else { continue };
        let timed = first.is(Quantity::Latency) || first.is(Quantity::Bandwidth);
        // Who tells a median or the modes has seen them.
        let seen = series
            .summaries(table)
            .any(|row| row.params.get("statistic") == Some("median"));
        if !timed || seen || is_mode(&first.params) {
            continue;
        }
        if let Some((low, high)) = heaps(&series.values(), series.place()) {
            let text = format!(
                "{} trials near {:.5} and {} near {:.5} {}, and none between",
                low.len(),
                mean(&low),
                high.len(),
                mean(&high),
                first.unit_text
            );
            findings.push(Finding::new(&series.rows, text));
        }
    }
    findings
}

fn is_mode(params: &Params) -> bool {
    ["mode", "modes", "weight"]
        .iter()
        .any(|name| params.get(name).is_some())
}

/// The two heaps of the values, where there are two; `place` is what the values were rounded to.
pub(super) fn heaps(values: &[f64], place: f64) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < FEWEST || sorted.first().is_none_or(|least| *least <= 0.0) {
        return None;
    }
    let gap = |at: usize| Some(sorted.get(at)? - sorted.get(at.checked_sub(1)?)?);
    let widest = (IN_A_HEAP..=sorted.len() - IN_A_HEAP)
        .filter_map(|at| Some((at, gap(at)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let (at, gap) = widest?;
    let (low, high) = sorted.split_at(at);
    let width = |heap: &[f64]| {
        heap.last()
            .zip(heap.first())
            .map_or(0.0, |(last, first)| last - first)
    };
    let wider = width(low).max(width(high)).max(place);
    (gap > GAP * wider && mean(high) > APART * mean(low)).then(|| (low.to_vec(), high.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    const VALUES: [&str; 8] = ["212", "214", "209", "391", "388", "211", "395", "210"];

    #[test]
    fn two_heaps_are_found() {
        assert_eq!(
            count(
                &RULE,
                &trials("a", "us", &VALUES, "a,statistic=mean,us,278.75,91.4\n")
            ),
            1
        );
        let far = ["4.1", "38.2", "4.0", "37.5", "38.8", "4.2", "39.4", "4.1"];
        assert_eq!(count(&RULE, &trials("a", "us", &far, "")), 1);
    }

    #[test]
    fn one_far_out_steady_falls_coarse_ones_and_those_that_were_seen_are_none() {
        for values in [
            ["212", "214", "209", "391", "213", "211", "215", "210"],
            ["9.8", "8.6", "7.7", "6.9", "6.1", "5.5", "5.1", "4.7"],
            ["1", "1", "2", "1", "2", "1", "1", "2"],
            ["100", "101", "100", "102", "108", "109", "108", "109"],
        ] {
            assert_eq!(count(&RULE, &trials("a", "us", &values, "")), 0, "{values:?}");
        }
        assert_eq!(
            count(&RULE, &trials("a", "us", &VALUES, "a,statistic=median,us,213,\n")),
            0
        );
    }
}
