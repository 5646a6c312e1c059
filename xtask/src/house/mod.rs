//! The rules of the house that no lint knows: sizes, where `unsafe` may stand, why dependencies are here.

mod circles;
mod floors;
mod manifest;
mod mask;
mod named_tests;
mod rules;
mod source;
mod words;

use anyhow::{Context, Result};
use source::{Finding, Source};
use std::path::Path;

/// Folders that hold crates: in `crates` by floor, `xtask` itself is one.
const CRATES: &str = "crates";
const XTASK: &str = "xtask";

/// The folder of documents, and the document that names the forbidden words.
const DOCUMENTS: &str = "docs";
const UNCHECKED: [&str; 1] = [words::GLOSSARY];

/// The document with the table of the heaviest dependencies.
const HEAVIEST: &str = "CONTRIBUTING.md";

/// Folders are not deeper than this; a link that goes round ends the search.
const MAX_DEPTH: usize = 12;

/// Prints every finding, or only those of one crate; gives whether there is none.
///
/// # Errors
/// When the tree cannot be read.
pub fn report(root: &Path, only: Option<&str>) -> Result<bool> {
    let mut findings = check(root)?;
    findings.retain(|finding| only.is_none() || words::owner(&finding.path) == only);
    findings.iter().for_each(|finding| println!("{finding}"));
    Ok(findings.is_empty())
}

/// Every finding in the workspace, by file and line.
fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut findings = manifest::check_root("Cargo.toml", &read(root, "Cargo.toml")?);
    findings.extend(manifest::check_heaviest(HEAVIEST, &read(root, HEAVIEST)?, &read(root, "Cargo.lock")?));
    let glossary = words::parse(&read(root, words::GLOSSARY)?)?;
    let (mut sources, mut documents, mut manifests) = (Vec::new(), Vec::new(), Vec::new());
    for path in files(root)? {
        let text = read(root, &path)?;
        if path.ends_with(".rs") {
            sources.push(Source::new(&path, &text));
        } else if path.ends_with(".md") {
            findings.extend(words::check_document(&path, &text, &glossary));
            documents.push((path, text));
        } else {
            findings.extend(manifest::check_member(&path, &text));
            manifests.push((path, text));
        }
    }
    for source in &sources {
        findings.extend(rules::check(source));
        findings.extend(words::check_source(source, &glossary));
    }
    findings.extend(floors::check(&manifests));
    findings.extend(circles::check(&sources));
    findings.extend(named_tests::check(&documents, &sources));
    findings.sort();
    findings.dedup();
    Ok(findings)
}

fn read(root: &Path, path: &str) -> Result<String> {
    std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}

/// The Rust files and manifests of all crates, and the documents whose words are checked, below the root. Of the
/// documents in crates only sources of xtask: the others are expected output of tests.
fn files(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in [CRATES, XTASK, DOCUMENTS] {
        walk(root, folder, MAX_DEPTH, &mut found)?;
    }
    found.retain(|path| !path.ends_with(".md") || !path.starts_with(CRATES));
    let entries = std::fs::read_dir(root).context("cannot list the workspace")?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    found.extend(names.filter(|name| name.ends_with(".md")));
    found.retain(|path| !UNCHECKED.contains(&path.as_str()));
    Ok(found)
}

fn walk(root: &Path, folder: &str, deeper: usize, found: &mut Vec<String>) -> Result<()> {
    let entries = std::fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {folder}"))?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = format!("{folder}/{name}");
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && deeper > 0 && name != "target" {
            walk(root, &path, deeper - 1, found)?;
        } else if !is_folder && (name.ends_with(".rs") || name.ends_with(".md") || name == "Cargo.toml") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_crate_is_looked_at() {
        let root = crate::root();
        let files = files(&root).unwrap();
        for path in [
            "xtask/src/main.rs",
            "xtask/Cargo.toml",
            "crates/ground/record/src/plan.rs",
            "README.md",
            "docs/PROTOCOL.md",
            "docs/handbook/README.md",
        ] {
            assert!(files.iter().any(|file| file == path), "{path}");
        }
        for path in UNCHECKED {
            assert!(root.join(path).exists() && !files.iter().any(|file| file == path), "{path}");
        }
    }

    #[test]
    fn a_finding_is_a_place_and_a_sentence() {
        assert_eq!(Finding::new("a.rs", 3, "wrong").to_string(), "a.rs:3: wrong");
    }
}
