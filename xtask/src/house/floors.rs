//! The floors of the house: folders of crates. A crate uses crates of its own floor and of those below.

use super::source::Finding;
use std::collections::BTreeMap;

/// Each floor, with the floors that its crates use. What is not listed (`mistakes`, the program, `xtask`) stands above
/// all of them.
const FLOORS: [(&str, &[&str]); 3] =
    [("ground", &["ground"]), ("instrument", &["ground", "instrument"]), ("reading", &["ground", "reading"])];

/// Folders of crates that are no floor with a rule.
const ABOVE: [&str; 1] = ["mistakes"];

/// The floor and the name of the crate that a file belongs to.
pub fn crate_of(path: &str) -> Option<(Option<&str>, &str)> {
    let mut folders = path.split('/');
    match (folders.next()?, folders.next()) {
        ("crates", Some(floor)) if is_floor(floor) => Some((Some(floor), folders.next()?)),
        ("crates", Some(name)) => Some((None, name)),
        ("xtask", _) => Some((None, "xtask")),
        _ => None,
    }
}

fn is_floor(folder: &str) -> bool {
    ABOVE.contains(&folder) || FLOORS.iter().any(|(floor, _)| *floor == folder)
}

/// Dependencies on crates of a floor that a crate's floor does not use, by the manifests of all crates.
pub fn check(manifests: &[(String, String)]) -> Vec<Finding> {
    let floors: BTreeMap<&str, &str> = manifests
        .iter()
        .filter_map(|(path, _)| crate_of(path))
        .filter_map(|(floor, name)| Some((name, floor?)))
        .collect();
    let mut findings = Vec::new();
    for (path, text) in manifests {
        let own = crate_of(path).and_then(|(floor, _)| floor);
        let Some((own, used)) = FLOORS.iter().find(|(floor, _)| Some(*floor) == own) else {
            continue;
        };
        for (number, name) in super::manifest::shipped_dependencies(text) {
            if floors.get(name).is_some_and(|floor| !used.contains(floor)) {
                let text = format!(
                    "`{name}` is above or beside the floor `{own}`, which uses {}",
                    used.join(" and ")
                );
                findings.push(Finding::new(path, number, text));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_use_their_own_floor_and_those_below() {
        let manifests = [
            ("ground/a", "b"),
            ("instrument/b", "a"),
            ("reading/c", "b"),
            ("mistakes/d", "c"),
            ("program", "d"),
        ]
        .map(|(path, uses)| {
            (format!("crates/{path}/Cargo.toml"), format!("[dependencies]\n{uses}.workspace = true\n"))
        });
        let found = check(&manifests);
        assert_eq!(found.len(), 2, "{found:?}");
        for (path, name) in [("crates/ground/a/Cargo.toml", "`b`"), ("crates/reading/c/Cargo.toml", "`b`")] {
            assert!(
                found.iter().any(|finding| finding.path == path && finding.text.starts_with(name)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn development_may_use_any_floor() {
        let manifests = [("reading/c", ""), ("ground/a", "[dev-dependencies]\nc.workspace = true\n")]
            .map(|(path, text)| (format!("crates/{path}/Cargo.toml"), text.to_owned()));
        assert!(check(&manifests).is_empty());
    }

    #[test]
    fn a_file_belongs_to_the_crate_below_its_floor() {
        for (path, owner) in [
            ("crates/ground/record/src/plan.rs", Some((Some("ground"), "record"))),
            ("crates/oscope/src/main.rs", Some((None, "oscope"))),
            ("xtask/src/main.rs", Some((None, "xtask"))),
            ("README.md", None),
        ] {
            assert_eq!(crate_of(path), owner);
        }
    }
}
