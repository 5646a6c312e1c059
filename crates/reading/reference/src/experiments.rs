//! The reports' experiments, section by section: which operations measure the same, and which exhibits show its mistakes.

use crate::data::{ReferenceError, rows};
use serde::Deserialize;
use std::sync::LazyLock;

/// An experiment of a report.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Experiment {
    /// The report.
    pub report: String,
    /// The section, or the beginning of what the figures call it.
    pub section: String,
    /// What it measures.
    pub experiment: String,
    /// Operations with semicolons between, each with parameters that narrow it down to some of its points.
    operations: String,
    /// Exhibits of the museum with semicolons between.
    exhibits: String,
    /// What is different, or why no operation is named.
    pub note: String,
}

/// Every experiment, in the order of the reports.
///
/// # Errors
/// When the data that the program carries cannot be read.
pub fn experiments() -> Result<Vec<Experiment>, ReferenceError> {
    rows(include_str!("../data/experiments.csv"))
}

/// Whether an experiment of any report is measured by a point of an operation.
pub fn is_of_an_experiment(operation: &str, point: &str) -> bool {
    static ALL: LazyLock<Vec<Experiment>> = LazyLock::new(|| experiments().unwrap_or_default());
    let measures = |(id, parameters): (&str, &str)| id == operation && has_parameters(point, parameters);
    ALL.iter().any(|experiment| experiment.operations().any(measures))
}

/// Whether a point has all of these parameters; `!name` is one that it must not have.
pub fn has_parameters(point: &str, parameters: &str) -> bool {
    let has = |wanted: &str| match wanted.strip_prefix('!') {
        Some(name) => !point.split(' ').any(|pair| pair.split('=').next() == Some(name)),
        None => point.split(' ').any(|pair| pair == wanted),
    };
    parameters.split_whitespace().all(has)
}

fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split("; ").filter(|one| !one.is_empty())
}

impl Experiment {
    /// The operations that measure it, each with the parameters that its points must have.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &str)> {
        listed(&self.operations).map(|one| one.split_once(' ').unwrap_or((one, "")))
    }

    /// The exhibits that show its mistakes.
    pub fn exhibits(&self) -> impl Iterator<Item = &str> {
        listed(&self.exhibits)
    }

    /// Whether a section of a published figure belongs to it.
    pub fn has(&self, report: &str, section: &str) -> bool {
        let rest = section.strip_prefix(self.section.as_str());
        self.report == report && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '.']))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_experiment_is_mapped_or_says_why_not() {
        for experiment in experiments().unwrap() {
            let is_mapped = experiment.operations().next().is_some();
            assert!(is_mapped || experiment.note.len() > 20, "{experiment:?}");
        }
    }

    #[test]
    fn every_published_figure_belongs_to_an_experiment() {
        let all = experiments().unwrap();
        for figure in crate::figures().unwrap() {
            let is_there = all.iter().any(|one| one.has(&figure.report, &figure.section));
            assert!(is_there, "{} {}", figure.report, figure.section);
        }
    }

    #[test]
    fn experiment_matches_points_by_all_its_parameters() {
        let clones = |point| is_of_an_experiment("network.bandwidth.transfer", point);
        assert!(clones("path=remote bytes=2KiB"), "R0 5.2 has every size");
        let pipes = |point| is_of_an_experiment("switch.process.pipe", point);
        assert!(pipes("cpu=same") && !pipes("cpu=other"));
        assert!(!is_of_an_experiment("switch.process", "cpu=same"));
    }

    #[test]
    fn section_matches_whole_numbers_only() {
        let all = experiments().unwrap();
        let loops = all.iter().find(|one| one.section == "3.2.1").unwrap();
        assert!(loops.has("R0", "3.2.1 text") && !loops.has("R0", "3.2.11") && !loops.has("R1", "3.2.1"));
    }
}
