//! docs/PREDICTIONS.md: how far predictions are from what was measured, machine by machine.

use super::Evaluated;
use super::figures::lines;
use analysis::{Agreement, Factors};
use quantity::{show_percent, show_ratio};
use std::fmt::Write;

/// Where the page is, below the root.
pub const PAGE: &str = "docs/PREDICTIONS.md";

const HEAD: &str = include_str!("page.md");

/// From this factor on a point is named.
const FAR: f64 = 3.0;

/// The page.
pub fn page(evaluated: &[Evaluated]) -> String {
    let mut page = format!("{HEAD}\n");
    for one in evaluated {
        let _ = machine(one, &mut page);
    }
    format!("{}\n", page.trim_end())
}

fn machine(one: &Evaluated, page: &mut String) -> std::fmt::Result {
    writeln!(page, "## {}\n\n{}.\n", one.name, one.machine)?;
    writeln!(
        page,
        "| tier | area | points | median | ninth decile | within ×1.25 | within ×1.5 |"
    )?;
    writeln!(page, "| --- | --- | --- | --- | --- | --- | --- |")?;
    let tiers = [("T1", &one.accuracy.from_parts), ("T0", &one.accuracy.from_facts)];
    for (tier, agreement) in tiers {
        for (area, factors, _) in agreement.iter().flat_map(lines) {
            line(tier, area, &factors, page)?;
        }
    }
    writeln!(page)?;
    for (tier, agreement) in tiers {
        if let Some(agreement) = agreement {
            writeln!(page, "Left out of {tier}: {}.", left_out(agreement))?;
        }
    }
    let unknown: Vec<String> = one.unknown.iter().map(|id| format!("`{id}`")).collect();
    if !unknown.is_empty() {
        writeln!(
            page,
            "Points that no operation has today: {}.",
            unknown.join(", ")
        )?;
    }
    let far = far(one);
    if !far.is_empty() {
        writeln!(
            page,
            "\nOff by more than ×{FAR}, measured / predicted: {}.",
            far.join(", ")
        )?;
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
    let words: Vec<String> = left_out
        .map(|(why, count)| format!("{} {count}", report::left_out(*why)))
        .collect();
    words.join(", ")
}

/// The points that are furthest off by the prediction that is shown, worst first.
fn far(one: &Evaluated) -> Vec<String> {
    let rows = one.rows.iter().filter(|row| row.point.reference.is_none());
    let mut far: Vec<(f64, String)> = rows
        .filter_map(|row| Some((row.ratio()?, row.point.id.to_string())))
        .map(|(ratio, id)| (ratio.ln().abs(), format!("`{id}` {}", show_ratio(ratio))))
        .filter(|(off, _)| *off > FAR.ln())
        .collect();
    far.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    far.into_iter().map(|(_, words)| words).collect()
}
