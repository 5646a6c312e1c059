//! The page of sabotage: what each plants, which witness catches it, and which operations that witness covers.

use sabotage::{Caught, Coverage, End, Sabotage, UNPROVOKED, all, by_kind, coverage, liar};
use std::fmt::Write;

/// The part before the tables.
const HEAD: &str = include_str!("sabotage_page.md");

/// The page.
///
/// # Errors
/// Never: writing to a string does not fail.
pub fn page() -> Result<String, std::fmt::Error> {
    let coverage = coverage();
    let mut page = HEAD.to_owned();
    witnesses(&mut page, &coverage)?;
    without_sabotage(&mut page, &coverage)?;
    bounds(&mut page)?;
    let modes: Vec<String> = liar::modes().map(|mode| mode.replace('_', " ")).collect();
    write!(
        page,
        "\n## Workers\n\nA worker that answers what cannot be true, nothing, or without end must give a failed row, and the run \
         goes on: {}.\n",
        modes.join(", ")
    )?;
    operations(&mut page, &coverage)?;
    Ok(page)
}

fn witnesses(page: &mut String, coverage: &[Coverage]) -> std::fmt::Result {
    *page += "| witness | what is planted | in | verdict | operations | points |\n| --- | --- | --- | --- | --: | --: |\n";
    for (kind, sabotages) in by_kind() {
        let (operations, points) = extent(kind, coverage);
        for (at, sabotage) in sabotages.into_iter().enumerate() {
            let first = |text: String| if at == 0 { text } else { String::new() };
            writeln!(
                page,
                "| {} | {} | {} | {} | {} | {} |",
                first(format!("`{kind}`")),
                sabotage.mistake,
                planted_in(sabotage),
                verdict(sabotage.end),
                first(operations.to_string()),
                first(points.to_string())
            )?;
        }
    }
    Ok(())
}

/// Operations and points that have a kind of witness.
fn extent(kind: &str, coverage: &[Coverage]) -> (usize, usize) {
    let points = coverage.iter().filter_map(|one| one.kinds.get(kind));
    (points.clone().count(), points.sum())
}

fn planted_in(sabotage: &Sabotage) -> String {
    let (id, point) = sabotage.right();
    format!("[{id}](handbook/{id}.md) {point}").trim_end().to_owned()
}

fn verdict(end: End) -> &'static str {
    match end {
        End::Contradicted => "contradicted",
        End::Failed => "failed",
        End::Starved => "noisy, no number",
        End::Noisy => "noisy",
    }
}

fn without_sabotage(page: &mut String, coverage: &[Coverage]) -> std::fmt::Result {
    *page += "\nNo sabotage is caught by these:\n\n| witness | why | operations | points |\n| --- | --- | --: | --: |\n";
    for (kind, reason) in UNPROVOKED {
        let (operations, points) = extent(kind, coverage);
        writeln!(page, "| `{kind}` | {reason} | {operations} | {points} |")?;
    }
    Ok(())
}

fn bounds(page: &mut String) -> std::fmt::Result {
    *page += "\n## Bounds and failures\n\nThese are caught by a bound, or by what the trial says of itself.\n\n\
              | the reason says | what is planted | in | verdict |\n| --- | --- | --- | --- |\n";
    for sabotage in all() {
        if let Caught::Words(words) = sabotage.caught_by {
            let (mistake, place) = (sabotage.mistake, planted_in(sabotage));
            writeln!(page, "| “{words}” | {mistake} | {place} | {} |", verdict(sabotage.end))?;
        }
    }
    Ok(())
}

fn operations(page: &mut String, coverage: &[Coverage]) -> std::fmt::Result {
    *page += "\n## Operations\n\nThe witnesses of each operation that catch a sabotage, with the number of its points that have it \
              where not all do.\n\n| operation | points | witnesses |\n| --- | --: | --- |\n";
    let caught = by_kind();
    for one in coverage {
        let known = one.kinds.iter().filter(|(kind, _)| caught.contains_key(kind.as_str()));
        let witnesses: Vec<String> = known
            .map(|(kind, points)| match *points == one.points {
                true => format!("`{kind}`"),
                false => format!("`{kind}` ({points})"),
            })
            .collect();
        let id = one.operation.id;
        let (points, witnesses) = (one.points, witnesses.join(", "));
        writeln!(page, "| [{id}](handbook/{id}.md) | {points} | {witnesses} |")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_sabotage_and_every_operation_has_a_row() {
        let page = page().unwrap();
        for sabotage in all() {
            let row = format!("| {} | {} |", sabotage.mistake, planted_in(sabotage));
            assert!(page.contains(&row), "{}", sabotage.id);
        }
        for operation in operations::ALL {
            assert!(page.contains(&format!("\n| [{}](", operation.id)), "{}", operation.id);
        }
    }
}
