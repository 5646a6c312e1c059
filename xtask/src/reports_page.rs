//! The page of the five reports: every section with the operations and exhibits that do the same, and the source files of
//! these.

use crate::markdown;
use anyhow::{Context, Result, ensure};
use measure::Operation;
use record::Profile;
use reference::Experiment;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The part before the tables.
const HEAD: &str = include_str!("reports_page.md");

/// The part before the table of source files.
const SOURCES: &str =
    "\n## Source files\n\nThe card of each operation, and the workloads that the cards of its file use.\n\n";

/// The page.
///
/// # Errors
/// When an experiment names an operation, points or an exhibit that there is not, or the sources cannot be read.
pub fn page() -> Result<String> {
    let titles = ["section", "experiment", "operations", "points:", "thorough:", "exhibits", "note"];
    let mut page = HEAD.to_owned();
    let experiments = reference::experiments()?;
    for experiments in experiments.chunk_by(|one, other| one.report == other.report) {
        let report = experiments.first().map_or("", |experiment| experiment.report.as_str());
        let rows = experiments
            .iter()
            .map(|experiment| row(experiment).with_context(|| format!("{report} {}", experiment.section)));
        let rows: Vec<Vec<String>> = rows.collect::<Result<_>>()?;
        page += &format!("\n## {report}\n\n{}", markdown::table(&titles, rows));
    }
    let ids: BTreeSet<&str> = experiments.iter().flat_map(Experiment::operations).map(|(id, _)| id).collect();
    Ok(page + SOURCES + &source_files(&root(), &ids)?)
}

fn row(experiment: &Experiment) -> Result<Vec<String>> {
    let mut operations = Vec::new();
    let mut all: [BTreeSet<String>; 2] = Default::default();
    for (id, parameters) in experiment.operations() {
        let operation = flawed::find(id).with_context(|| format!("there is no operation {id}"))?;
        let [standard, thorough] =
            [Profile::Standard, Profile::Thorough].map(|profile| points(operation, parameters, profile));
        ensure!(!thorough.is_empty(), "{id} has no point with {parameters}");
        let link = format!("[{id}](handbook/{id}.md)");
        let wrong = if flawed::method(operation.id).is_some() { " *" } else { "" };
        let long = if standard.is_empty() { " (thorough)" } else { "" };
        all[0].extend(standard);
        all[1].extend(thorough);
        operations.push(format!("{link} {parameters}").trim_end().to_owned() + wrong + long);
    }
    check_note(&experiment.note, &all)?;
    for name in experiment.exhibits() {
        let is_there = analysis::exhibits().any(|exhibit| exhibit.name == name);
        ensure!(is_there, "there is no exhibit {name}");
    }
    let exhibits: Vec<&str> = experiment.exhibits().collect();
    let [standard, thorough] =
        all.map(|points| if operations.is_empty() { String::new() } else { points.len().to_string() });
    Ok(vec![
        experiment.section.clone(),
        experiment.experiment.clone(),
        operations.join("<br>"),
        standard,
        thorough,
        exhibits.join("<br>"),
        markdown::cell(&experiment.note),
    ])
}

/// What marks points of a note that the standard profile does not have.
const THOROUGH: &str = "(thorough)";

/// Checks the points that a note names, such as `cache=cold order=random|sequential`: each is a standard point of the row, or
/// a thorough one with the mark behind it.
fn check_note(note: &str, [standard, thorough]: &[BTreeSet<String>; 2]) -> Result<()> {
    let mut choices = vec![String::new()];
    let mut words = note.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let Some((name, values)) = parameter(word) else { continue };
        choices = choices
            .iter()
            .flat_map(|before| values.split('|').map(move |value| format!("{before} {name}={value}")))
            .collect();
        let next = words.peek().copied().unwrap_or_default();
        if parameter(next).is_some() && word.ends_with(values) {
            continue;
        }
        for choice in std::mem::replace(&mut choices, vec![String::new()]) {
            let has = |points: &BTreeSet<String>| {
                points.iter().any(|point| reference::has_parameters(point, &choice))
            };
            ensure!(has(thorough), "no point has{choice}, which the note names");
            let is_marked = next.starts_with(THOROUGH);
            ensure!(
                has(standard) != is_marked,
                "{choice} wants {THOROUGH} behind it if and only if it is thorough"
            );
        }
    }
    Ok(())
}

/// The name and the values of a parameter.
fn parameter(word: &str) -> Option<(&str, &str)> {
    let word = word.trim_end_matches([',', ':', ';', '.']);
    word.split_once('=').filter(|(name, values)| !name.is_empty() && !values.is_empty())
}

/// The points of a profile that have these parameters.
fn points(operation: &Operation, parameters: &str, profile: Profile) -> Vec<String> {
    operation
        .points_of(profile)
        .iter()
        .filter(|point| reference::has_parameters(&point.text(), parameters))
        .map(|point| operation.point_id(point).to_string())
        .collect()
}

/// Where cards are, and where workloads are.
const CARDS: [&str; 2] = ["crates/instrument/operations/src", "crates/mistakes/flawed/src"];
const WORKLOADS: &str = "crates/instrument/workloads/src";

/// The folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_owned)
}

/// A table of the files of each operation.
fn source_files(root: &Path, ids: &BTreeSet<&str>) -> Result<String> {
    let mut cards = Vec::new();
    for folder in CARDS {
        collect(&root.join(folder), &mut cards)?;
    }
    cards.sort();
    let mut rows = Vec::new();
    for id in ids {
        let declares = |(_, text): &&(PathBuf, String)| text.contains(&format!("id: \"{id}\""));
        let (path, text) =
            cards.iter().find(declares).with_context(|| format!("no file has the card of {id}"))?;
        let link = |path: &Path| -> String {
            let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
            format!("[{shown}](../{shown})")
        };
        let workloads: Vec<String> = workloads(root, text).iter().map(|path| link(path)).collect();
        rows.push(vec![markdown::operation_link(id), link(path), workloads.join("<br>")]);
    }
    Ok(markdown::table(&["operation", "card", "workloads"], rows))
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push((path.clone(), fs::read_to_string(&path)?));
        }
    }
    Ok(())
}

/// The files of the workloads that a file of cards uses.
fn workloads(root: &Path, text: &str) -> BTreeSet<PathBuf> {
    let uses = text.lines().filter_map(|line| line.strip_prefix("use workloads::"));
    uses.filter_map(|path| {
        let names = path.split("::").map(|name| name.trim_end_matches(';'));
        let names: Vec<&str> = names.take_while(|name| !name.starts_with('{')).collect();
        (1..=names.len()).rev().find_map(|length| {
            let module = names.get(..length)?.join("/");
            let base = root.join(WORKLOADS).join(module);
            [base.with_extension("rs"), base.join("mod.rs")].into_iter().find(|file| file.exists())
        })
    })
    .collect()
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
    fn note_marks_points_that_only_thorough_has() {
        let points = |all: &[&str]| all.iter().map(|point| (*point).to_owned()).collect::<BTreeSet<String>>();
        let standard = points(&["x a=1 b=1", "x a=2 b=2"]);
        let all = [standard.clone(), &standard | &points(&["x a=1 b=2", "x a=3 b=1"])];
        for right in
            ["a=1|2 is all, b=2; counted= by", "a=3 (thorough) and a=1 b=1.", "a=1 b=2 (thorough): so"]
        {
            check_note(right, &all).unwrap();
        }
        for wrong in ["a=3 is all", "a=1|3", "a=1 b=1|2 of x", "a=4 (thorough)", "a=1 (thorough)"] {
            assert!(check_note(wrong, &all).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_has_every_report() {
        let page = page().unwrap();
        for report in ["R0", "R1", "R2", "R3", "R4"] {
            assert!(page.contains(&format!("## {report}\n")), "{report}");
        }
    }

    #[test]
    fn an_operation_is_shown_with_the_files_of_its_card_and_workload() {
        let table = source_files(&root(), &BTreeSet::from(["network.acknowledge.handshake"])).unwrap();
        assert!(table.contains("crates/instrument/operations/src/network/acknowledge.rs"), "{table}");
        assert!(table.contains("crates/instrument/workloads/src/network/acknowledgements.rs"), "{table}");
    }
}
