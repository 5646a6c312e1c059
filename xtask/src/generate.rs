//! What is generated from the declarations, written into the tree or compared with it.

use crate::{corpus, handbook, lint_page, reports_page, sabotage_page, schema};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Folder of the handbook. It holds nothing else: what is not generated is removed.
const HANDBOOK: &str = "docs/handbook";
const SCHEMA: &str = "docs/schema/record.schema.json";
const LINT: &str = "docs/LINT.md";
const REPORTS: &str = "docs/REPORTS.md";
const SABOTAGE: &str = "docs/SABOTAGE.md";

/// How a file differs from what it should be.
#[derive(Debug, PartialEq, Eq)]
enum Stale {
    /// It says something else.
    Differs(String),
    /// It is not there.
    Missing(String),
    /// Nothing generates it.
    Orphan(String),
}

/// Every generated file: its path below the root, and its text.
fn files() -> Result<BTreeMap<String, String>> {
    let pages = handbook::pages(operations::ALL).into_iter();
    let mut files: BTreeMap<String, String> =
        pages.map(|(name, text)| (format!("{HANDBOOK}/{name}"), text)).collect();
    files.insert(SCHEMA.to_owned(), schema::text()?);
    files.insert(LINT.to_owned(), lint_page::page()?);
    files.insert(REPORTS.to_owned(), reports_page::page()?);
    files.insert(SABOTAGE.to_owned(), sabotage_page::page()?);
    let evaluated = corpus::evaluate_all()?;
    files.insert(corpus::FIGURES.to_owned(), corpus::figures(&evaluated)?);
    files.insert(corpus::PAGE.to_owned(), corpus::page(&evaluated));
    Ok(files)
}

/// Writes every generated file that is stale, and removes orphans of the handbook.
///
/// # Errors
/// When a file cannot be written, or predictions became worse.
pub fn write(root: &Path) -> Result<()> {
    let files = files()?;
    corpus::refuse_worse(root, files.get(corpus::FIGURES).map_or("", String::as_str))?;
    for stale in stale(root, &files) {
        match &stale {
            Stale::Orphan(path) => {
                std::fs::remove_file(root.join(path)).with_context(|| format!("cannot remove {path}"))?;
                println!("removed {path}");
            }
            Stale::Differs(path) | Stale::Missing(path) => {
                put(&root.join(path), files.get(path).map_or("", String::as_str))?;
                println!("wrote {path}");
            }
        }
    }
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Compares the tree with what would be written, names each file that differs; gives whether none does.
///
/// # Errors
/// When the schema cannot be made.
pub fn check(root: &Path) -> Result<bool> {
    let stale = stale(root, &files()?);
    for entry in &stale {
        match entry {
            Stale::Differs(path) => println!("{path}: stale"),
            Stale::Missing(path) => println!("{path}: missing"),
            Stale::Orphan(path) => println!("{path}: nothing generates it"),
        }
    }
    if !stale.is_empty() {
        println!("`cargo xtask generate` mends this; commit what it writes");
    }
    Ok(stale.is_empty())
}

fn stale(root: &Path, files: &BTreeMap<String, String>) -> Vec<Stale> {
    let changed = files.iter().filter_map(|(path, text)| match std::fs::read_to_string(root.join(path)) {
        Ok(there) if there == *text => None,
        Ok(_) => Some(Stale::Differs(path.clone())),
        Err(_) => Some(Stale::Missing(path.clone())),
    });
    let mut orphans: Vec<String> = names_in(&root.join(HANDBOOK))
        .into_iter()
        .map(|name| format!("{HANDBOOK}/{name}"))
        .filter(|path| !files.contains_key(path))
        .collect();
    orphans.sort();
    changed.chain(orphans.into_iter().map(Stale::Orphan)).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::path::PathBuf;

    /// A folder that removes itself.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("oscope-xtask-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_was_written_is_up_to_date() {
        let scratch = Scratch::new("written");
        assert!(!check(&scratch.0).unwrap());
        write(&scratch.0).unwrap();
        assert!(check(&scratch.0).unwrap());
    }

    #[test]
    fn every_kind_of_stale_file_is_reported_and_rewritten() {
        let scratch = Scratch::new("stale");
        let folder = scratch.0.join(HANDBOOK);
        write(&scratch.0).unwrap();
        put(&folder.join("README.md"), "edited by hand").unwrap();
        put(&folder.join("gone.operation.md"), "").unwrap();
        std::fs::remove_file(scratch.0.join(SCHEMA)).unwrap();
        let expected = [
            Stale::Differs(format!("{HANDBOOK}/README.md")),
            Stale::Missing(SCHEMA.to_owned()),
            Stale::Orphan(format!("{HANDBOOK}/gone.operation.md")),
        ];
        assert_eq!(stale(&scratch.0, &files().unwrap()), expected);
        write(&scratch.0).unwrap();
        assert!(check(&scratch.0).unwrap());
    }
}
