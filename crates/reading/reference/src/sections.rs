//! The sections of the five reports, into which figures, experiments and sources point.

use crate::data::{ReferenceError, rows};
use serde::Deserialize;
use std::sync::LazyLock;

/// A section of a report.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Section {
    /// The report.
    pub report: String,
    /// Its number, such as `4.1.2`.
    pub section: String,
    /// Its title, as printed.
    pub title: String,
}

/// Every section of every report, in the order of the reports.
///
/// # Errors
/// When the data that the program carries cannot be read.
pub fn sections() -> Result<Vec<Section>, ReferenceError> {
    rows(include_str!("../data/sections.csv"))
}

/// The section of a pointer such as `3.4 text` or `3 Fig 7`: it begins with the number, and a figure or table may follow.
pub fn section(report: &str, pointer: &str) -> Option<&'static Section> {
    static ALL: LazyLock<Vec<Section>> = LazyLock::new(|| sections().unwrap_or_default());
    let number = pointer.split(' ').next()?;
    ALL.iter().find(|section| section.report == report && section.section == number)
}

/// Every place where a text names a report: `R0` to `R4`, each with what follows it.
fn report_names(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.match_indices('R').filter_map(move |(at, _)| {
        let (before, rest) = text.split_at_checked(at)?;
        let (name, rest) = rest.split_at_checked(2)?;
        let is_name = matches!(name.as_bytes(), [b'R', b'0'..=b'4']);
        let is_alone =
            !before.as_bytes().last().is_some_and(is_word) && !rest.as_bytes().first().is_some_and(is_word);
        (is_name && is_alone).then_some((name, rest))
    })
}

/// Whether each report that a text names is followed by one of its sections, as in `R3, 4.1.2`.
pub fn names_sections(text: &str) -> bool {
    report_names(text).all(|(report, rest)| {
        let pointer = rest.strip_prefix(", ").unwrap_or_default();
        let end =
            pointer.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(pointer.len());
        let number = pointer.get(..end).unwrap_or_default();
        section(report, number.trim_end_matches('.')).is_some()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_figure_and_experiment_points_into_a_section() {
        for figure in crate::figures().unwrap() {
            let found = section(&figure.report, &figure.section);
            assert!(found.is_some(), "{} {}", figure.report, figure.section);
        }
        for experiment in crate::experiments().unwrap() {
            let found = section(&experiment.report, &experiment.section);
            assert!(found.is_some(), "{} {}", experiment.report, experiment.section);
        }
    }

    #[test]
    fn a_report_is_named_with_its_section() {
        assert!(names_sections("as in R3, 4.1.2, and R1, 3 Fig 7 (R0, 6.4.1)."));
        assert!(names_sections("no report, R5, R12, xR3 and R3x are not names"));
        for wrong in ["R3", "R3, 9.1", "R3 4.1.2", "R0, R3", "the method of R2.", "R4, 4.1.2"] {
            assert!(!names_sections(wrong), "{wrong}");
        }
    }
}
