//! `cargo xtask mutants`: cargo-mutants puts small mistakes into a crate, one at a time; its tests should catch each.
//!
//! It works on a copy of the tree in a temporary directory, which it removes. What it leaves uncaught must be listed with
//! a reason in docs/MUTATION.md.

use crate::command::{cargo, echo, output, run as run_command, target};
use crate::markdown;
use anyhow::{Context, Result, anyhow, ensure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version decides which mutants there are.
const VERSION: &str = "27.1.0";

/// The crates that are mutated unless others are named: pure ones, whose own tests should hold all they say.
const CRATES: [&str; 5] = ["stats", "quantity", "record", "model", "analysis"];

/// Where misses are listed.
const LISTED: &str = "docs/MUTATION.md";

/// The lowest priority, one build at a time, and limits for what does not end: of a build 5 minutes, of the tests five
/// times what they take unchanged, 20 seconds at least. A part k/n has mutants of all files. Only what is declared as a
/// test runs, as in `cargo xtask test`.
const OPTIONS: &str = "--jobs 1 --no-shuffle --sharding round-robin --build-timeout 300 --timeout-multiplier 5 \
                       --minimum-test-timeout 20 --colors never --cargo-test-arg=--tests --profile mutants";

/// What is mutated.
#[derive(Debug, PartialEq, Eq, clap::Args)]
pub struct Choice {
    /// Only lines that differ from where this branch left main
    #[arg(long)]
    changed: bool,
    /// Of the mutants of each crate those of part k/n, such as 0/4, to go in pieces or to sample
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    #[arg(default_values = CRATES)]
    crates: Vec<String>,
}

/// How the mutants of one crate ended, in the words of cargo-mutants: file, line, column and change.
#[derive(Debug, Default)]
struct Outcome {
    caught: Vec<String>,
    missed: Vec<String>,
    timeout: Vec<String>,
    unviable: Vec<String>,
}

impl Outcome {
    fn read(folder: &Path) -> Result<Self> {
        let lines = |name: &str| match std::fs::read_to_string(folder.join(name)) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            // Without any mutant in what changed, nothing is written.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(anyhow!("{name}: {error}")),
        };
        Ok(Self {
            caught: lines("caught.txt")?,
            missed: lines("missed.txt")?,
            timeout: lines("timeout.txt")?,
            unviable: lines("unviable.txt")?,
        })
    }

    /// A row of the table. Tests that do not end on a mutant have noticed it.
    fn row(&self, name: &str) -> Vec<String> {
        let counts = [&self.caught, &self.timeout, &self.missed, &self.unviable].map(Vec::len);
        let [caught, timeout, missed, _] = counts;
        let share = match caught + timeout + missed {
            0 => "-".to_owned(),
            all => format!("{:.1} %", 100.0 * (caught + timeout) as f64 / all as f64),
        };
        let numbers =
            std::iter::once(counts.iter().sum()).chain(counts).map(|count: usize| count.to_string());
        std::iter::once(name.to_owned()).chain(numbers).chain([share]).collect()
    }
}

/// The titles of the table that [`Outcome::row`] fills.
const TITLES: [&str; 7] =
    ["crate", "mutants:", "caught:", "timeout:", "missed:", "unviable:", "caught of viable:"];

/// Mutates, prints how it ended, and gives whether every miss is listed with a reason.
///
/// # Errors
/// When cargo-mutants cannot be installed or run, or the tests fail without a mutant.
pub fn run(root: &Path, choice: &Choice) -> Result<bool> {
    let listed = listed(&std::fs::read_to_string(root.join(LISTED)).context(LISTED)?);
    let program = install(root)?;
    let scratch = tempfile::tempdir()?;
    let difference = if choice.changed { Some(difference(root, scratch.path())?) } else { None };
    let mut rows = Vec::new();
    let mut unlisted = Vec::new();
    for name in &choice.crates {
        let outcome =
            mutate(root, &program, name, choice.shard.as_deref(), difference.as_deref(), scratch.path())?;
        rows.push(outcome.row(name));
        unlisted.extend(outcome.missed.into_iter().filter(|miss| !listed.contains(&without_position(miss))));
    }
    echo(markdown::table(&TITLES, rows).trim_end());
    for miss in &unlisted {
        echo(&format!("no test catches {miss}; write one, or say in {LISTED} why there is none"));
    }
    Ok(unlisted.is_empty())
}

/// Where cargo-mutants is: in the target directory, so that no other version is in the way.
fn install(root: &Path) -> Result<PathBuf> {
    let folder = target(root).join("tools");
    let program = folder.join("bin/cargo-mutants");
    let version = output(Command::new(&program).args(["mutants", "--version"]));
    if !version.is_ok_and(|version| version.trim().ends_with(VERSION)) {
        echo(&format!("installing cargo-mutants {VERSION} in {}", folder.display()));
        let words = ["install", "cargo-mutants", "--locked", "--version", VERSION, "--root"];
        run_command(cargo(root, &words).arg(&folder))?;
    }
    Ok(program)
}

/// A file with what differs from where this branch left main, uncommitted lines too.
fn difference(root: &Path, scratch: &Path) -> Result<PathBuf> {
    let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root));
    let base = git(&["merge-base", "main", "HEAD"])?;
    let path = scratch.join("difference");
    std::fs::write(&path, git(&["diff", base.trim()])?)?;
    Ok(path)
}

/// Mutates one crate; its own tests judge.
fn mutate(
    root: &Path,
    program: &Path,
    name: &str,
    shard: Option<&str>,
    difference: Option<&Path>,
    scratch: &Path,
) -> Result<Outcome> {
    let package = format!("oscope-{name}");
    let output = scratch.join(name);
    std::fs::create_dir(&output)?;
    let mut command = Command::new("nice");
    command
        .args(["-n", "19"])
        .arg(program)
        .arg("mutants")
        .args(OPTIONS.split(' '))
        .args(["--package", &package, "--test-package", &package])
        // Each mutant is built anew and tested once: a fast build saves more than fast tests.
        .arg(format!("--cargo-arg=--config=profile.mutants.package.{package}.opt-level=0"))
        .arg("--dir")
        .arg(root)
        .arg("--output")
        .arg(&output);
    if let Some(shard) = shard {
        command.args(["--shard", shard]);
    }
    if let Some(file) = difference {
        command.arg("--in-diff").arg(file);
    }
    let status = command.status().context("nice")?;
    // 2: some were missed. 3: the tests of some did not end.
    ensure!(matches!(status.code(), Some(0 | 2 | 3)), "cargo-mutants on {name} ended with {status}");
    Outcome::read(&output.join("mutants.out"))
}

/// A mutant as file and change: lines and columns move with every edit above them.
fn without_position(mutant: &str) -> (String, String) {
    let mut parts = mutant.splitn(4, ':');
    let path = parts.next().unwrap_or_default();
    let change = parts.nth(2).unwrap_or_default();
    (path.to_owned(), change.trim().to_owned())
}

/// The misses that the document lists: items that begin with a file and its mutants, each in backquotes, and have the
/// reason behind a colon.
fn listed(text: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for item in text.split("\n- `").skip(1) {
        let Some((names, _)) = item.split_once("`: ").or_else(|| item.split_once("`:\n")) else {
            continue;
        };
        let names = names.split('`').step_by(2);
        let mut names = names.map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "));
        if let Some(path) = names.next() {
            found.extend(names.map(|name| (path.clone(), name)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn misses_are_listed_by_file_and_change() {
        let text = "Left:\n\n- `crates/a/src/b.rs` `replace || with && in f`, `replace f -> bool with\n  true`: no \
                    `reason`.\n- `crates/a/src/c.rs` `replace < with <= in g`: equal.\n";
        let listed = listed(text);
        assert_eq!(listed.len(), 3);
        for miss in [
            "crates/a/src/b.rs:12:3: replace || with && in f",
            "crates/a/src/b.rs:1:30: replace f -> bool with true",
            "crates/a/src/c.rs:2:1: replace < with <= in g",
        ] {
            assert!(listed.contains(&without_position(miss)), "{miss}");
        }
        assert!(!listed.contains(&without_position("crates/a/src/c.rs:2:1: replace < with == in g")));
    }

    #[test]
    fn row_counts_what_cargo_mutants_wrote() {
        let folder = tempfile::tempdir().unwrap();
        for (name, lines) in [("caught.txt", 6), ("missed.txt", 2), ("timeout.txt", 1), ("unviable.txt", 3)] {
            std::fs::write(folder.path().join(name), "a.rs:1:1: x\n".repeat(lines)).unwrap();
        }
        let outcome = Outcome::read(folder.path()).unwrap();
        assert_eq!(outcome.row("a"), ["a", "12", "6", "1", "2", "3", "77.8 %"]);
        let nothing = Outcome::read(&folder.path().join("none")).unwrap();
        assert_eq!(nothing.row("b"), ["b", "0", "0", "0", "0", "0", "-"]);
    }

    #[test]
    fn files_listed_exist_and_hold_what_is_mutated() {
        let root = crate::root();
        let text = std::fs::read_to_string(root.join(LISTED)).unwrap();
        let listed = listed(&text);
        assert!(!listed.is_empty());
        for (path, change) in listed {
            let source = std::fs::read_to_string(root.join(&path)).unwrap();
            let function = change.rsplit([' ', ':']).next().unwrap_or_default();
            let named = change.contains(" in ") && source.contains(&format!("fn {function}"));
            let returned = change.split(" -> ").next().unwrap_or_default();
            let replaced = returned.rsplit([' ', ':']).next().unwrap_or_default();
            assert!(named || source.contains(&format!("fn {replaced}")), "{path}: {change}");
        }
    }
}
