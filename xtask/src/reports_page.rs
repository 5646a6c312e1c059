//! The page of the five reports: every section with the operations and exhibits that do the same.

use crate::markdown;
use anyhow::{Context, Result, ensure};
use measure::Operation;
use record::Profile;
use reference::Experiment;

/// The part before the tables.
const HEAD: &str = include_str!("reports_page.md");

/// The page.
///
/// # Errors
/// When an experiment names an operation, points or an exhibit that there is not.
pub fn page() -> Result<String> {
    let titles = ["section", "experiment", "operations", "points:", "exhibits", "note"];
    let mut page = HEAD.to_owned();
    for experiments in reference::experiments()?.chunk_by(|one, other| one.report == other.report) {
        let report = experiments.first().map_or("", |experiment| experiment.report.as_str());
        let rows = experiments
            .iter()
            .map(|experiment| row(experiment).with_context(|| format!("{report} {}", experiment.section)));
        let rows: Vec<Vec<String>> = rows.collect::<Result<_>>()?;
        page += &format!("\n## {report}\n\n{}", markdown::table(&titles, rows));
    }
    Ok(page)
}

fn row(experiment: &Experiment) -> Result<Vec<String>> {
    let mut operations = Vec::new();
    let mut count = 0;
    for (id, parameters) in experiment.operations() {
        let operation = flawed::find(id).with_context(|| format!("there is no operation {id}"))?;
        let points = points(operation, parameters);
        ensure!(points > 0, "{id} has no point with {parameters}");
        count += points;
        let link = format!("[{id}](handbook/{id}.md)");
        let wrong = if flawed::method(operation.id).is_some() { " *" } else { "" };
        operations.push(format!("{link} {parameters}").trim_end().to_owned() + wrong);
    }
    for name in experiment.exhibits() {
        let is_there = analysis::exhibits().any(|exhibit| exhibit.name == name);
        ensure!(is_there, "there is no exhibit {name}");
    }
    let exhibits: Vec<&str> = experiment.exhibits().collect();
    Ok(vec![
        experiment.section.clone(),
        experiment.experiment.clone(),
        operations.join("<br>"),
        if count == 0 { String::new() } else { count.to_string() },
        exhibits.join("<br>"),
        experiment.note.clone(),
    ])
}

/// The points of the thorough profile that have these parameters.
fn points(operation: &Operation, parameters: &str) -> usize {
    operation
        .points_of(Profile::Thorough)
        .iter()
        .filter(|point| reference::has_parameters(&point.text(), parameters))
        .count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_experiment_names_operations_points_and_exhibits_that_exist() {
        let page = page().unwrap();
        let rows = page.lines().filter(|line| line.starts_with("| R") || line.contains("](handbook/"));
        assert!(rows.count() > 60);
    }

    #[test]
    fn a_page_has_every_report() {
        let page = page().unwrap();
        for report in ["R0", "R1", "R2", "R3", "R4"] {
            assert!(page.contains(&format!("## {report}\n")), "{report}");
        }
    }
}
