//! What the program is made of, as CycloneDX 1.5 has it: every crate that is compiled into it or builds it, with its licence and
//! its checksum. Without a time or a number of its own: the same bytes from the same sources.

use crate::command::{cargo, output};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The program's own package.
const PROGRAM: &str = "oscope";

/// The bill of materials of the program for a target, built with these options of cargo.
///
/// # Errors
/// When cargo cannot say what it would build.
pub fn generate(root: &Path, target: &str, options: &[&str]) -> Result<String> {
    let cargo = |words: &str, more: &[&str]| {
        let words: Vec<&str> = words.split(' ').chain(more.iter().copied()).collect();
        output(&mut cargo(root, &words))
    };
    let listed = "tree --locked --package oscope --edges normal,build --prefix depth --format {p} --target";
    let tree = cargo(listed, &[&[target], options].concat())?;
    let metadata = cargo("metadata --locked --format-version 1 --filter-platform", &[target])?;
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
    let licences = licences(&serde_json::from_str(&metadata)?);
    let bill = bill(&uses(&tree)?, &licences, &checksums(&lock), target)?;
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

/// A crate by name and version, as one word.
fn named(name: &str, version: &str) -> String {
    format!("{name}@{version}")
}

/// The checksums in Cargo.lock.
fn checksums(lock: &str) -> BTreeMap<String, String> {
    let entries = lock.split("[[package]]").filter_map(|entry| {
        let [name, version, checksum] = ["name", "version", "checksum"].map(|field| {
            let mut lines = entry.lines().filter_map(|line| line.split_once(" = "));
            let (_, value) = lines.find(|(key, _)| *key == field)?;
            Some(value.trim_matches('"').to_owned())
        });
        Some((named(&name?, &version?), checksum?))
    });
    entries.collect()
}

/// The licences in what `cargo metadata` says; a bar between two means that either may be chosen.
fn licences(metadata: &Value) -> BTreeMap<String, String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let entries = packages.filter_map(|package| {
        let [name, version, license] = ["name", "version", "license"].map(|key| package[key].as_str());
        Some((named(name?, version?), license?.replace('/', " OR ")))
    });
    entries.collect()
}

/// What each crate uses, from what `cargo tree` says: the depth, the name, the version, and more; the first line is the program.
fn uses(tree: &str) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let (mut uses, mut above): (BTreeMap<String, BTreeSet<String>>, Vec<String>) = Default::default();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let digits = line.find(|letter: char| !letter.is_ascii_digit()).context("no name")?;
        let (depth, rest) = line.split_at(digits);
        let mut words = rest.split(' ');
        let pair = words.next().zip(words.next());
        let (name, version) = pair.with_context(|| format!("`{line}` is no crate"))?;
        let own = named(name, version.trim_start_matches('v'));
        above.truncate(depth.parse()?);
        if let Some(user) = above.last() {
            uses.entry(user.clone()).or_default().insert(own.clone());
        }
        uses.entry(own.clone()).or_default();
        above.push(own);
    }
    Ok(uses)
}

fn bill(
    uses: &BTreeMap<String, BTreeSet<String>>,
    licences: &BTreeMap<String, String>,
    checksums: &BTreeMap<String, String>,
    target: &str,
) -> Result<Value> {
    let program = named(PROGRAM, env!("CARGO_PKG_VERSION"));
    ensure!(uses.contains_key(&program), "{program} is not in the tree");
    let component = |own: &String| {
        let (name, version) = own.split_once('@').unwrap_or((own, ""));
        let mut component = json!({
            "type": if *own == program { "application" } else { "library" },
            "bom-ref": own,
            "name": name,
            "version": version,
            "licenses": [{ "expression": licences.get(own) }],
            "purl": format!("pkg:cargo/{own}"),
        });
        if let Some(sum) = checksums.get(own) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        component
    };
    let libraries = uses.keys().filter(|own| **own != program);
    let edges = uses.iter().map(|(own, below)| json!({ "ref": own, "dependsOn": below }));
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": component(&program),
            "properties": [{ "name": "target", "value": target }],
        },
        "components": libraries.map(component).collect::<Vec<_>>(),
        "dependencies": edges.collect::<Vec<_>>(),
    }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_crate_has_its_licence_its_checksum_and_its_place() {
        let target = "x86_64-unknown-linux-gnu";
        let made = |options: &[&str]| generate(&crate::root(), target, options).unwrap();
        let text = made(&["--no-default-features"]);
        assert_eq!(text, made(&["--no-default-features"]));
        let bill: Value = serde_json::from_str(&text).unwrap();
        let components = bill["components"].as_array().unwrap();
        assert!(components.len() > 50, "{}", components.len());
        let mut known: BTreeSet<&str> =
            BTreeSet::from([bill["metadata"]["component"]["bom-ref"].as_str().unwrap()]);
        for one in components {
            let name = one["name"].as_str().unwrap();
            assert!(known.insert(one["bom-ref"].as_str().unwrap()), "{name} twice");
            assert!(!one["licenses"][0]["expression"].as_str().unwrap().is_empty(), "{name}");
            let has_sum = one["hashes"][0]["content"].as_str().is_some_and(|sum| sum.len() == 64);
            assert!(has_sum || name.starts_with("oscope-"), "{name} has no checksum");
        }
        for one in bill["dependencies"].as_array().unwrap() {
            for name in one["dependsOn"].as_array().unwrap() {
                assert!(known.contains(name.as_str().unwrap()), "{name}");
            }
        }
        let with_features = made(&[]);
        // The last two are of tests only.
        for (text, name, is_there) in [
            (&text, "serde_json", true),
            (&text, "parquet", false),
            (&with_features, "parquet", true),
            (&text, "oscope-programs", false),
            (&text, "proptest", false),
        ] {
            assert_eq!(text.contains(&format!("\"name\": \"{name}\"")), is_there, "{name}");
        }
        assert!(uses("0oscope").is_err() && uses("oscope v1").is_err());
    }
}
