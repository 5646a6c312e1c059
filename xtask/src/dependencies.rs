//! The step that checks what dependencies may be: their licences, where they come from, and which come in two versions.

use crate::command::{cargo, output};
use crate::step::{Setting, StepResult};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The platforms that oscope is built for; what only others need is not judged.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// Licences that ask for no more than to be named. One that no dependency needs any more leaves this list.
const ALLOWED: [&str; 8] =
    ["MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "Unicode-3.0", "Unlicense", "Zlib"];

/// Where everything comes from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Packages in two versions, which are more code to build and to trust: their users disagree, and none is ours.
const IN_TWO_VERSIONS: [&str; 5] = ["chacha20", "cpufeatures", "getrandom", "shlex", "syn"];

/// Asks cargo for all dependencies, and judges them.
///
/// # Errors
/// When cargo cannot tell, or a dependency is not as it should be.
pub fn check(setting: &Setting) -> Result<StepResult> {
    let mut packages = BTreeMap::new();
    for target in TARGETS {
        let words = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
        let metadata: Value = serde_json::from_str(&output(&mut cargo(&setting.root, &words))?)?;
        for package in metadata["packages"].as_array().context("cargo metadata lists no packages")? {
            packages.insert(package["id"].to_string(), package.clone());
        }
    }
    let packages: Vec<Value> = packages.into_values().collect();
    let findings = findings(&packages);
    ensure!(findings.is_empty(), "{}", findings.join("; "));
    Ok(StepResult::passed(format!("{} packages", packages.len())))
}

/// What is wrong with these packages, as `cargo metadata` describes them. Those without a source are ours.
fn findings(packages: &[Value]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut needed = BTreeSet::new();
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        let name = package["name"].as_str().unwrap_or("a package without a name");
        let source = package["source"].as_str().unwrap_or_default();
        *versions.entry(name).or_default() += 1;
        if source != REGISTRY {
            findings.push(format!("{name} comes from {source}"));
        }
        let licence = package["license"].as_str().unwrap_or_default();
        match chosen(licence) {
            Some(chosen) => needed.extend(chosen),
            None => {
                findings.push(format!("{name} has the licence `{licence}`, which ALLOWED does not permit"))
            }
        }
    }
    let unused = ALLOWED.iter().filter(|licence| !needed.contains(**licence));
    findings.extend(unused.map(|licence| format!("no dependency needs the licence {licence} any more")));
    for (name, count) in versions {
        if (count > 1) != IN_TWO_VERSIONS.contains(&name) {
            findings
                .push(format!("{name} comes in {count} versions: correct IN_TWO_VERSIONS, or cargo update"));
        }
    }
    findings
}

/// The allowed licences by which an SPDX expression is satisfied, those of each choice; `None` where it is not satisfied.
/// A licence `WITH` an exception is one that is allowed without it.
fn chosen(expression: &str) -> Option<BTreeSet<String>> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest).filter(|_| rest.is_empty())?
}

/// Alternatives; the outer `None` stands for an expression that cannot be read.
fn either(rest: &mut &[&str]) -> Option<Option<BTreeSet<String>>> {
    let mut chosen = all(rest)?;
    while let ["OR", after @ ..] = *rest {
        *rest = after;
        let other = all(rest)?;
        chosen = match (chosen, other) {
            (Some(chosen), Some(other)) => Some(&chosen | &other),
            (chosen, other) => chosen.or(other),
        };
    }
    Some(chosen)
}

fn all(rest: &mut &[&str]) -> Option<Option<BTreeSet<String>>> {
    let mut chosen = licence(rest)?;
    while let ["AND", after @ ..] = *rest {
        *rest = after;
        let other = licence(rest)?;
        chosen = chosen.zip(other).map(|(chosen, other)| &chosen | &other);
    }
    Some(chosen)
}

fn licence(rest: &mut &[&str]) -> Option<Option<BTreeSet<String>>> {
    match *rest {
        ["(", after @ ..] => {
            *rest = after;
            let inside = either(rest)?;
            let [")", after @ ..] = *rest else { return None };
            *rest = after;
            Some(inside)
        }
        [")" | "AND" | "OR" | "WITH", ..] | [] => None,
        [name, "WITH", _, after @ ..] | [name, after @ ..] => {
            *rest = after;
            Some(ALLOWED.contains(name).then(|| BTreeSet::from([(*name).to_owned()])))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_expression_is_satisfied_by_allowed_licences_only() {
        for allowed in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0-only",
        ] {
            assert!(chosen(allowed).is_some(), "{allowed}");
        }
        for refused in
            ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT", "MIT)", "MIT Apache-2.0", "OR MIT"]
        {
            assert_eq!(chosen(refused), None, "{refused}");
        }
        assert_eq!(chosen("(MIT OR WTFPL) AND BSD-3-Clause").map(|chosen| chosen.len()), Some(2));
    }

    #[test]
    fn licences_sources_and_versions_are_judged() {
        let package = |name: &str, source: &str, licence: &str| json!({ "name": name, "source": source, "license": licence });
        let mut packages: Vec<Value> =
            ALLOWED.iter().map(|licence| package(licence, REGISTRY, licence)).collect();
        packages.extend(
            IN_TWO_VERSIONS
                .iter()
                .flat_map(|name| [package(name, REGISTRY, "MIT"), package(name, REGISTRY, "MIT")]),
        );
        packages.push(json!({ "name": "ours", "source": null, "license": null }));
        assert_eq!(findings(&packages), Vec::<String>::new());
        for (wrong, says) in [
            (package("a", "git+https://example.org/a", "MIT"), "a comes from git"),
            (package("a", REGISTRY, "GPL-3.0-only"), "a has the licence `GPL-3.0-only`"),
            (package("MIT", REGISTRY, "MIT"), "MIT comes in 2 versions"),
        ] {
            let found = findings(&[&packages[..], &[wrong]].concat());
            assert!(found.len() == 1 && found.iter().all(|found| found.starts_with(says)), "{found:?}");
        }
        let without_mit =
            packages.into_iter().filter(|package| package["license"] != "MIT").collect::<Vec<_>>();
        assert!(findings(&without_mit).iter().any(|found| found.contains("needs the licence MIT")));
    }
}
