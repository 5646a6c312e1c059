//! The reports' experiments, section by section: which operations measure the same, and which exhibits show its mistakes.

use crate::ReferenceError;
use serde::Deserialize;

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
    let mut rows = csv::Reader::from_reader(include_str!("../data/experiments.csv").as_bytes());
    Ok(rows.deserialize().collect::<Result<_, _>>()?)
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
    fn a_section_is_not_another_one_with_more_digits() {
        let all = experiments().unwrap();
        let loops = all.iter().find(|one| one.section == "3.2.1").unwrap();
        assert!(loops.has("R0", "3.2.1 text") && !loops.has("R0", "3.2.11") && !loops.has("R1", "3.2.1"));
    }
}
