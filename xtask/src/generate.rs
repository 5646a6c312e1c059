//! What is generated from the declarations, written into the tree or compared with it.

use crate::{
    corpus, handbook, lint_page, mistakes_page, peers_page, reports_page, sabotage_page, schema,
    thresholds_page,
};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Folder of the handbook. It holds nothing else: what is not generated is removed.
const HANDBOOK: &str = "docs/handbook";

/// Files by their paths below the root.
type Files = BTreeMap<String, String>;

/// Every generated file.
fn files() -> Result<Files> {
    let evaluated = corpus::evaluate_all()?;
    let single = [
        ("docs/LINT.md", lint_page::page()?),
        ("docs/MISTAKES.md", mistakes_page::page()?),
        ("docs/PEERS.md", peers_page::page()?),
        ("docs/REPORTS.md", reports_page::page()?),
        ("docs/SABOTAGE.md", sabotage_page::page()),
        ("docs/THRESHOLDS.md", thresholds_page::page()),
        (corpus::FIGURES, corpus::figures(&evaluated)?),
        (corpus::PAGE, corpus::page(&evaluated)),
    ];
    let pages = handbook::pages(flawed::all_operations()).into_iter();
    let pages = pages.map(|(name, text)| (format!("{HANDBOOK}/{name}"), text));
    let single = schema::files()?.into_iter().chain(single);
    Ok(pages.chain(single.map(|(path, text)| (path.to_owned(), text))).collect())
}

/// What is wrong with a file, beside its path.
const DIFFERS: &str = "stale";
const MISSING: &str = "missing";
const ORPHAN: &str = "nothing generates it";

/// Writes every generated file that is stale, and removes orphans of the handbook.
///
/// # Errors
/// When a file cannot be written, or predictions became worse.
pub fn write(root: &Path) -> Result<()> {
    let files = files()?;
    corpus::refuse_worse(root, files.get(corpus::FIGURES).map_or("", String::as_str))?;
    for (path, _) in stale(root, &files) {
        match files.get(&path) {
            Some(text) => {
                put(&root.join(&path), text)?;
                println!("wrote {path}");
            }
            None => {
                std::fs::remove_file(root.join(&path)).with_context(|| format!("cannot remove {path}"))?;
                println!("removed {path}");
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
    stale.iter().for_each(|(path, what)| println!("{path}: {what}"));
    if !stale.is_empty() {
        println!("`cargo xtask generate` mends this; commit what it writes");
    }
    Ok(stale.is_empty())
}

/// Files that are not as they should be, and what is wrong with each.
fn stale(root: &Path, files: &Files) -> Vec<(String, &'static str)> {
    let changed = files.iter().filter_map(|(path, text)| match std::fs::read_to_string(root.join(path)) {
        Ok(there) if there == *text => None,
        Ok(_) => Some((path.clone(), DIFFERS)),
        Err(_) => Some((path.clone(), MISSING)),
    });
    let entries = std::fs::read_dir(root.join(HANDBOOK)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let paths = names.map(|name| format!("{HANDBOOK}/{name}"));
    let mut orphans: Vec<String> = paths.filter(|path| !files.contains_key(path)).collect();
    orphans.sort();
    changed.chain(orphans.into_iter().map(|path| (path, ORPHAN))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_kind_of_stale_file_is_reported_and_rewritten() {
        let scratch = tempfile::tempdir().unwrap();
        let (root, folder) = (scratch.path(), scratch.path().join(HANDBOOK));
        assert!(!check(root).unwrap());
        write(root).unwrap();
        assert!(check(root).unwrap());
        put(&folder.join("README.md"), "edited by hand").unwrap();
        put(&folder.join("gone.operation.md"), "").unwrap();
        const SCHEMA: &str = "docs/schema/record.schema.json";
        std::fs::remove_file(root.join(SCHEMA)).unwrap();
        let expected = [
            (format!("{HANDBOOK}/README.md"), DIFFERS),
            (SCHEMA.to_owned(), MISSING),
            (format!("{HANDBOOK}/gone.operation.md"), ORPHAN),
        ];
        assert_eq!(stale(root, &files().unwrap()), expected);
        write(root).unwrap();
        assert!(check(root).unwrap());
    }
}
