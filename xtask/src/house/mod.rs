//! The rules of the house that no lint knows: sizes, where `unsafe` may stand, why dependencies are here.

mod circles;
mod manifest;
mod mask;
mod rules;
mod source;

use anyhow::{Context, Result};
use source::Source;
use std::fmt;
use std::path::Path;

/// Folders that hold crates; each entry of `crates` is one, `xtask` itself is one.
const CRATES: &str = "crates";
const XTASK: &str = "xtask";

/// Folders are not deeper than this; a link that goes round ends the search.
const DEEPEST: usize = 12;

/// Something against a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, below the root of the workspace.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// Prints every finding; gives whether there is none.
///
/// # Errors
/// When the tree cannot be read.
pub fn report(root: &Path) -> Result<bool> {
    let findings = check(root)?;
    findings.iter().for_each(|finding| println!("{finding}"));
    Ok(findings.is_empty())
}

/// Every finding in the workspace, by file and line.
fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut findings = manifest::check_root("Cargo.toml", &read(root, "Cargo.toml")?);
    let mut sources = Vec::new();
    for path in files(root)? {
        let text = read(root, &path)?;
        if path.ends_with(".rs") {
            sources.push(Source::new(&path, &text));
        } else {
            findings.extend(manifest::check_member(&path, &text));
        }
    }
    findings.extend(sources.iter().flat_map(rules::check));
    findings.extend(circles::check(&sources));
    findings.sort();
    Ok(findings)
}

fn read(root: &Path, path: &str) -> Result<String> {
    std::fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}

/// The Rust files and manifests of all crates, below the root.
fn files(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    walk(root, CRATES, DEEPEST, &mut found)?;
    walk(root, XTASK, DEEPEST, &mut found)?;
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
        } else if !is_folder && (name.ends_with(".rs") || name == "Cargo.toml") {
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
            "crates/record/src/plan.rs",
        ] {
            assert!(files.iter().any(|file| file == path), "{path}");
        }
    }

    #[test]
    fn a_finding_is_a_place_and_a_sentence() {
        let finding = Finding {
            path: "a.rs".to_owned(),
            line: 3,
            text: "wrong".to_owned(),
        };
        assert_eq!(finding.to_string(), "a.rs:3: wrong");
    }
}
