//! The page of the machines, docs/LAB.md: a line for each, of which those of the machines that ran are written anew.

use super::judge::Outcome;
use super::machines::{MACHINES, Machine};
use crate::markdown;
use analysis::Verdict;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;

const PAGE: &str = "docs/LAB.md";

const HEAD: &str = include_str!("page.md");

/// Writes the lines of these machines into the page.
///
/// # Errors
/// When it cannot be written.
pub fn write(root: &Path, judged: &BTreeMap<&str, Outcome>) -> Result<()> {
    let path = root.join(PAGE);
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    Ok(std::fs::write(path, page(&before, judged))?)
}

fn page(before: &str, judged: &BTreeMap<&str, Outcome>) -> String {
    let mut page = HEAD.to_owned();
    for machine in MACHINES {
        let beginning = format!("| `{}` |", machine.name);
        let old = before.lines().find(|line| line.starts_with(&beginning));
        let line = match (judged.get(machine.name), old) {
            (Some(outcome), _) => line(machine, outcome),
            (None, Some(old)) => format!("{old}\n"),
            (None, None) => format!("{beginning} {} |  |  |  |  |  |  | not run |\n", machine.about),
        };
        page += &line;
    }
    page
}

fn line(machine: &Machine, outcome: &Outcome) -> String {
    let counts =
        Verdict::ALL.map(|verdict| outcome.verdicts.get(verdict.word()).copied().unwrap_or_default());
    let remarks: Vec<String> =
        outcome.findings.iter().chain(&outcome.explained).map(|remark| markdown::cell(remark)).collect();
    let remarks = if remarks.is_empty() { "none".to_owned() } else { remarks.join("; ") };
    let (known, all) = outcome.facts;
    let first = [format!("`{}`", machine.name), machine.about.to_owned(), format!("{known} of {all}")];
    let counts = counts.map(|count| count.to_string());
    markdown::row(&first.into_iter().chain(counts).chain([remarks]).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_lines_of_machines_that_ran_are_new() {
        let first = page("", &BTreeMap::new());
        assert_eq!(first.matches("not run").count(), MACHINES.len());
        let outcome = Outcome { facts: (1, 2), findings: vec!["a | b".to_owned()], ..Outcome::default() };
        let second = page(&first, &BTreeMap::from([("small", outcome)]));
        assert!(
            second.contains("| `small` | 256 MiB of memory | 1 of 2 | 0 | 0 | 0 | 0 | 0 | a \\| b |"),
            "{second}"
        );
        assert_eq!(page(&second, &BTreeMap::new()), second);
    }
}
