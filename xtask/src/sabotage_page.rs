//! The page of sabotage: what each plants, which witness catches it, and which operations that witness covers.

use crate::markdown;
use sabotage::{Caught, Coverage, End, Sabotage, UNPROVOKED, all, by_kind, coverage, liar};

/// The part before the tables.
const HEAD: &str = include_str!("sabotage_page.md");

/// The page.
pub fn page() -> String {
    let coverage = coverage();
    let modes: Vec<String> = liar::modes().map(|mode| mode.replace('_', " ")).collect();
    [
        HEAD.to_owned(),
        witnesses(&coverage),
        without_sabotage(&coverage),
        bounds(),
        format!(
            "\n## Workers\n\nA worker that answers what cannot be true, nothing, or without end must give a failed row, and the \
             run goes on: {}.\n",
            modes.join(", ")
        ),
        operations(&coverage),
    ]
    .concat()
}

fn witnesses(coverage: &[Coverage]) -> String {
    let rows = by_kind().into_iter().flat_map(|(kind, sabotages)| {
        let (operations, points) = extent(kind, coverage);
        sabotages.into_iter().enumerate().map(move |(at, sabotage)| {
            let [kind, operations, points] =
                [format!("`{kind}`"), operations.to_string(), points.to_string()]
                    .map(|text| if at == 0 { text } else { String::new() });
            let verdict = verdict(sabotage.end).to_owned();
            vec![kind, sabotage.mistake.to_owned(), planted_in(sabotage), verdict, operations, points]
        })
    });
    markdown::table(&["witness", "what is planted", "in", "verdict", "operations:", "points:"], rows)
}

/// Operations and points that have a kind of witness.
fn extent(kind: &str, coverage: &[Coverage]) -> (usize, usize) {
    let points = coverage.iter().filter_map(|one| one.kinds.get(kind));
    (points.clone().count(), points.sum())
}

fn planted_in(sabotage: &Sabotage) -> String {
    let (id, point) = sabotage.right();
    format!("{} {point}", markdown::operation_link(id)).trim_end().to_owned()
}

fn verdict(end: End) -> &'static str {
    match end {
        End::Contradicted => "contradicted",
        End::Failed => "failed",
        End::Starved => "noisy, no number",
        End::Noisy => "noisy",
    }
}

fn without_sabotage(coverage: &[Coverage]) -> String {
    let rows = UNPROVOKED.iter().map(|(kind, reason)| {
        let (operations, points) = extent(kind, coverage);
        vec![format!("`{kind}`"), (*reason).to_owned(), operations.to_string(), points.to_string()]
    });
    let table = markdown::table(&["witness", "why", "operations:", "points:"], rows);
    format!("\nNo sabotage is caught by these:\n\n{table}")
}

fn bounds() -> String {
    let rows = all().filter_map(|sabotage| match sabotage.caught_by {
        Caught::Words(words) => Some(vec![
            format!("“{words}”"),
            sabotage.mistake.to_owned(),
            planted_in(sabotage),
            verdict(sabotage.end).to_owned(),
        ]),
        Caught::By(_) => None,
    });
    format!(
        "\n## Bounds and failures\n\nThese are caught by a bound, or by what the trial says of itself.\n\n{}",
        markdown::table(&["the reason says", "what is planted", "in", "verdict"], rows)
    )
}

fn operations(coverage: &[Coverage]) -> String {
    let caught = by_kind();
    let rows = coverage.iter().map(|one| {
        let known = one.kinds.iter().filter(|(kind, _)| caught.contains_key(kind.as_str()));
        let witnesses: Vec<String> = known
            .map(|(kind, points)| match *points == one.points {
                true => format!("`{kind}`"),
                false => format!("`{kind}` ({points})"),
            })
            .collect();
        vec![markdown::operation_link(one.operation.id), one.points.to_string(), witnesses.join(", ")]
    });
    format!(
        "\n## Operations\n\nThe witnesses of each operation that catch a sabotage, with the number of its points that have it \
         where not all do.\n\n{}",
        markdown::table(&["operation", "points:", "witnesses"], rows)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sabotage_and_every_operation_has_a_row() {
        let page = page();
        for sabotage in all() {
            let row = format!("| {} | {} |", sabotage.mistake, planted_in(sabotage));
            assert!(page.contains(&row), "{}", sabotage.id);
        }
        for operation in flawed::all_operations() {
            assert!(page.contains(&format!("\n| [{}](", operation.id)), "{}", operation.id);
        }
    }
}
