//! docs/PREDICTIONS.md: how far predictions are from what was measured, machine by machine.

use super::Evaluated;
use super::figures::lines;
use analysis::{Accuracy, Agreement, Factors, Row};
use quantity::{show_percent, show_ratio};
use record::PointId;
use std::fmt::Write;

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
    let mut page = format!("{HEAD}\n");
    let _ = all_left_out(evaluated, &mut page);
    for one in evaluated {
        let _ = machine(one, &mut page);
    }
    format!("{}\n", page.trim_end())
}

/// All points of all machines, each predicted without a constant from its own machine.
fn all_left_out(evaluated: &[Evaluated], page: &mut String) -> std::fmt::Result {
    let rows: Vec<Row> = evaluated.iter().flat_map(|one| one.rows.clone()).collect();
    writeln!(page, "## Leave one machine out\n\n{LEFT_OUT}")?;
    table(&Accuracy::of(&rows), page)
}

fn tiers(accuracy: &Accuracy) -> [(&'static str, &Option<Agreement>); 2] {
    [("T1", &accuracy.from_parts), ("T0", &accuracy.from_facts)]
}

fn table(accuracy: &Accuracy, page: &mut String) -> std::fmt::Result {
    writeln!(page, "| tier | area | points | median | ninth decile | within ×1.25 | within ×1.5 |")?;
    writeln!(page, "| --- | --- | --- | --- | --- | --- | --- |")?;
    for (tier, agreement) in tiers(accuracy) {
        for (area, factors, _) in agreement.iter().flat_map(lines) {
            line(tier, area, &factors, page)?;
        }
    }
    writeln!(page)
}

fn machine(one: &Evaluated, page: &mut String) -> std::fmt::Result {
    writeln!(page, "## {}\n\n{}.\n", one.name, one.machine)?;
    table(&one.accuracy, page)?;
    for (tier, agreement) in tiers(&one.accuracy) {
        if let Some(agreement) = agreement {
            writeln!(page, "Left out of {tier}: {}.", left_out(agreement))?;
        }
    }
    let unknown: Vec<String> = one.unknown.iter().map(|id| format!("`{id}`")).collect();
    if !unknown.is_empty() {
        writeln!(page, "Points that no operation has today: {}.", unknown.join(", "))?;
    }
    let far: Vec<String> =
        far(one).into_iter().map(|(ratio, id)| format!("`{id}` {}", show_ratio(ratio))).collect();
    if !far.is_empty() {
        writeln!(page, "\nOff by more than ×{FAR}, measured / predicted: {}.", far.join(", "))?;
    }
    writeln!(page)
}

fn line(tier: &str, area: &str, factors: &Factors, page: &mut String) -> std::fmt::Result {
    let [quarter, half] = factors.within.map(show_percent);
    let factor = |factor: f64| format!("×{}", show_ratio(factor).trim_end_matches('×'));
    writeln!(
        page,
        "| {tier} | {area} | {} | {} | {} | {quarter} | {half} |",
        factors.points,
        factor(factors.median),
        factor(factors.ninth_decile),
    )
}

fn left_out(agreement: &Agreement) -> String {
    let left_out = agreement.left_out.iter();
    let words: Vec<String> =
        left_out.map(|(why, count)| format!("{} {count}", report::left_out(*why))).collect();
    words.join(", ")
}

/// The points that are furthest off by the prediction that is shown, worst first, with measured / predicted. What is the same
/// as a part is off for the reasons of that part.
fn far(one: &Evaluated) -> Vec<(f64, &PointId)> {
    let rows = one.rows.iter();
    let rows = rows.filter(|row| row.point.reference.is_none() && row.same_as().is_none());
    let off = |ratio: f64| ratio.ln().abs();
    let mut far: Vec<(f64, &PointId)> = rows
        .filter_map(|row| Some((row.ratio()?, &row.point.id)))
        .filter(|(ratio, _)| off(*ratio) > FAR.ln())
        .collect();
    far.sort_by(|(a, _), (b, _)| off(*b).total_cmp(&off(*a)));
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
