//! docs/PREDICTIONS.md: how far predictions are from what was measured, machine by machine.

use super::Evaluated;
use super::figures::{lines, tiers};
use crate::markdown;
use analysis::{Accuracy, Agreement, Factors, Row};
use quantity::{show_percent, show_ratio};
use record::PointId;

/// Where the page is, below the root.
pub const PAGE: &str = "docs/PREDICTIONS.md";

const HEAD: &str = include_str!("page.md");

const LEFT_OUT: &str = "\
All points of all machines. No formula has a constant that was read off a machine of the corpus, so that leaving one out
changes nothing; which terms a formula has was chosen with all of them in view.
";

/// From this factor on a point is named.
const FAR: f64 = 3.0;

/// The page.
pub fn page(evaluated: &[Evaluated]) -> String {
    // Each point is predicted without a constant from its own machine.
    let rows: Vec<Row> = evaluated.iter().flat_map(|one| one.rows.clone()).collect();
    let all = format!("## Leave one machine out\n\n{LEFT_OUT}\n{}\n", table(&Accuracy::from_rows(&rows)));
    let machines: String = evaluated.iter().map(machine).collect();
    format!("{HEAD}\n{all}{}\n", machines.trim_end())
}

fn table(accuracy: &Accuracy) -> String {
    let rows = tiers(accuracy).into_iter().flat_map(|(tier, agreement)| {
        let lines = agreement.iter().flat_map(|of| lines(of).into_iter().chain(by_source(of)));
        lines.map(move |(area, factors, _)| line(tier, area, &factors))
    });
    let titles = ["tier", "area", "points", "median", "ninth decile", "within ×1.25", "within ×1.5"];
    markdown::table(&titles, rows)
}

/// Points by whether a fact of their prediction is an assumption.
fn by_source(of: &Agreement) -> Vec<(&str, Factors, usize)> {
    let cited = of.cited.filter(|_| of.assumed.is_some()).map(|factors| ("published facts only", factors, 0));
    cited.into_iter().chain(of.assumed.map(|factors| ("with an assumed fact", factors, 0))).collect()
}

fn line(tier: &str, area: &str, factors: &Factors) -> Vec<String> {
    let [quarter, half] = factors.within.map(show_percent);
    let points = factors.points.to_string();
    let [median, ninth_decile] = [factors.median, factors.ninth_decile]
        .map(|factor| format!("×{}", show_ratio(factor).trim_end_matches('×')));
    vec![tier.to_owned(), area.to_owned(), points, median, ninth_decile, quarter, half]
}

fn machine(one: &Evaluated) -> String {
    let mut text = format!("## {}\n\n{}.\n\n{}\n", one.name, one.machine, table(&one.accuracy));
    for (tier, agreement) in tiers(&one.accuracy) {
        let left_out = agreement.iter().flat_map(|agreement| &agreement.left_out);
        let words: Vec<String> =
            left_out.map(|(why, count)| format!("{} {count}", report::left_out(*why))).collect();
        if agreement.is_some() {
            text += &format!("Left out of {tier}: {}.\n", words.join(", "));
        }
    }
    let unknown: Vec<String> = one.unknown.iter().map(|id| format!("`{id}`")).collect();
    if !unknown.is_empty() {
        text += &format!("Points that no operation has today: {}.\n", unknown.join(", "));
    }
    let far: Vec<String> =
        far(one).into_iter().map(|(ratio, id)| format!("`{id}` {}", show_ratio(ratio))).collect();
    if !far.is_empty() {
        text += &format!("\nOff by more than ×{FAR}, measured / predicted: {}.\n", far.join(", "));
    }
    text + "\n"
}

/// The points that are furthest off by the prediction that is shown, worst first, with measured / predicted. What is the same
/// as a part is off for the reasons of that part.
fn far(one: &Evaluated) -> Vec<(f64, &PointId)> {
    let rows = one.rows.iter();
    let rows = rows.filter(|row| row.point.flaw.is_none() && row.same_as().is_none());
    let mut far: Vec<(f64, &PointId)> = rows
        .filter_map(|row| Some((row.ratio()?, &row.point.id)))
        .filter(|(ratio, _)| ratio.ln().abs() > FAR.ln())
        .collect();
    far.sort_by(|(a, _), (b, _)| b.ln().abs().total_cmp(&a.ln().abs()));
    far
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::evaluate_all;
    use super::*;
    use std::collections::BTreeSet;

    /// The operations that begin the items of the list of LIMITS.
    fn named_in_limits() -> BTreeSet<String> {
        let limits = std::fs::read_to_string(crate::root().join("LIMITS.md")).unwrap();
        let (_, section) = limits.split_once("\n## Predictions\n").unwrap();
        let section = section.split("\n## ").next().unwrap();
        let items = section.lines().filter_map(|line| line.strip_prefix("- `"));
        items.map(|item| item.split(['`', ' ']).next().unwrap().to_owned()).collect()
    }

    #[test]
    fn limits_name_every_operation_that_is_far_off_and_no_other() {
        let evaluated = evaluate_all().unwrap();
        let far: BTreeSet<String> =
            evaluated.iter().flat_map(far).map(|(_, id)| id.operation.to_string()).collect();
        assert_eq!(named_in_limits(), far, "off by more than ×{FAR}");
    }
}
