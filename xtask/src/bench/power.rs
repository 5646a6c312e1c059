//! `cargo xtask bench power`: how often `compare` calls sides of runs different between which nothing changed, and the smallest
//! change that it finds in four of five such pairs, by area.

use super::area::area;
use super::next_run::{Choice, after, has_trials, others, runs_of};
use super::runs::Run;
use crate::markdown;
use analysis::{Analysis, Compare, Decision, EarlierRuns, Limits, compare_runs};
use anyhow::{Result, ensure};
use record::PointId;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The smallest change that `compare` lets count.
const LEAST: f64 = 0.01;

/// Share of the pairs in which a planted change must be found.
const POWER: f64 = 0.8;

/// What is measured, or read, and compared.
#[derive(clap::Args)]
pub struct PowerChoice {
    #[command(flatten)]
    runs: Choice,
    /// Runs on each side of a comparison, one after the other; 4 is what the recipe for pull requests has
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=50))]
    a_side: u16,
}

/// Measures or reads the runs, and prints what a comparison of two sides of them can find.
pub fn power(root: &Path, choice: &PowerChoice) -> Result<bool> {
    let runs = runs_of(root, "power", &choice.runs)?;
    let a_side = usize::from(choice.a_side);
    let pairs = pairs(runs.len(), a_side);
    ensure!(!pairs.is_empty(), "{} runs; sides of {a_side} need {}", runs.len(), 2 * a_side);
    ensure!(runs.iter().all(|run| has_trials(&run.analysis)), "tables have no trials: name records");
    println!("{} runs, {} pairs of sides with {a_side} runs each:\n", runs.len(), pairs.len());
    print!("{}", table(&figures(&runs, &pairs, a_side, |_, _| EarlierRuns::default())));
    // Sides of several runs measure what runs differ by themselves.
    if runs.len() >= 5 && a_side == 1 {
        println!("\nfrom the other {} runs, as if they were earlier records:\n", runs.len() - 2);
        print!("{}", table(&figures(&runs, &pairs, 1, |one, other| others(&runs, one, other))));
    }
    Ok(true)
}

/// The first runs of all pairs of sides, each of consecutive runs, that have no run in common.
fn pairs(runs: usize, a_side: usize) -> Vec<(usize, usize)> {
    let sides = (runs + 1).saturating_sub(a_side);
    (0..sides).flat_map(|one| (one + a_side..sides).map(move |other| (one, other))).collect()
}

/// What comparisons say of the points of an area.
#[derive(Debug, Default)]
struct Figures {
    points: BTreeSet<PointId>,
    compared: usize,
    different: usize,
    /// For each of them, as a share, the least rise of the cost that would have been called slower.
    least_found: Vec<f64>,
}

fn figures(
    runs: &[Run],
    pairs: &[(usize, usize)],
    a_side: usize,
    earlier: impl Fn(usize, usize) -> EarlierRuns,
) -> BTreeMap<&'static str, Figures> {
    let mut all: BTreeMap<&'static str, Figures> = BTreeMap::new();
    for &(one, other) in pairs {
        let earlier = earlier(one, other);
        let analyses: Vec<Vec<Analysis>> = [one, other]
            .map(|first| runs.iter().skip(first).take(a_side).map(|run| after(run, &earlier)).collect())
            .into();
        let sides: Vec<Vec<Compare<'_>>> = [one, other]
            .iter()
            .zip(&analyses)
            .map(|(first, analyses)| {
                let runs = runs.iter().skip(*first).zip(analyses);
                runs.map(|(run, analysis)| Compare {
                    machine: &run.machine,
                    plan: &run.plan,
                    analysis,
                    period: None,
                })
                .collect()
            })
            .collect();
        let [before, after] = sides.as_slice() else { continue };
        let Some(comparison) = compare_runs(before, after, false, &Limits::default()) else { continue };
        let points = comparison.points.iter().filter(|point| point.decision != Decision::Incomparable);
        for point in points {
            let Some(row) = before.first().and_then(|run| run.analysis.row(&point.id)) else { continue };
            // A cost that is higher by this factor has a change that is higher by it, and so has the end of its interval. What
            // has no interval is undecided, whatever is planted.
            let least_found =
                point.relative_cost().map_or(f64::INFINITY, |change| (1.0 + LEAST) / change.low - 1.0);
            for area in [area(&row.point), "all"] {
                let figures = all.entry(area).or_default();
                figures.points.insert(point.id.clone());
                figures.compared += 1;
                figures.different += usize::from(point.decision.is_change());
                figures.least_found.push(least_found);
            }
        }
    }
    all
}

/// The comparisons that call something different although nothing changed, and the smallest change that is found.
fn table(all: &BTreeMap<&'static str, Figures>) -> String {
    let rows = all.iter().map(|(area, figures)| {
        let least = stats::order::Sorted::from_values(&figures.least_found).quantile(POWER);
        let wrong = 100.0 * figures.different as f64 / figures.compared.max(1) as f64;
        vec![
            (*area).to_owned(),
            figures.points.len().to_string(),
            format!("{wrong:.1} % ({} of {})", figures.different, figures.compared),
            match least {
                Some(least) if least.is_finite() => format!("+{:.1} %", 100.0 * least),
                _ => "none".to_owned(),
            },
        ]
    });
    let titles = ["area", "points", "called different without a change", "smallest change found in 80 %"];
    markdown::table(&titles, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_have_no_run_in_common() {
        assert_eq!(pairs(3, 1), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(9, 4), [(0, 4), (0, 5), (1, 5)]);
        assert_eq!(pairs(7, 4), []);
    }
}
