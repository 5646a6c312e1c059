//! Files of one crate that use each other in a circle: shapes belong below, what computes with them above.

use super::finding::Finding;
use super::mask::is_word;
use super::source::{Source, line_of, places_of_word};
use std::collections::{BTreeMap, BTreeSet};

/// Re-exports are followed no further than this.
const MAX_STEPS: usize = 8;

/// A module by the names on the way to it; the root has none.
type Module = Vec<String>;

/// Circles among these files, by the file in which each is first seen.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let roots: BTreeSet<&str> = sources.iter().filter_map(root_of_crate).collect();
    let circles = roots.into_iter().flat_map(|root| of_crate(root, sources));
    circles.collect()
}

/// The folder of the crate's files, with the slash after it.
fn root_of_crate(source: &Source) -> Option<&str> {
    const SOURCES: &str = "/src/";
    let at = source.path.find(SOURCES)?;
    source.path.get(..at + SOURCES.len())
}

fn of_crate(root: &str, sources: &[Source]) -> Vec<Finding> {
    let files: BTreeMap<Module, &Source> =
        sources.iter().filter_map(|source| Some((module(source.path.strip_prefix(root)?), source))).collect();
    let uses: BTreeMap<&Module, Vec<Use>> =
        files.iter().map(|(module, source)| (module, uses(module, &source.shipped, &files))).collect();
    let edges: BTreeMap<&Module, BTreeMap<&Module, usize>> = uses
        .iter()
        .map(|(module, all)| {
            let targets =
                all.iter().filter_map(|one| Some((file_of(&one.path, &uses, MAX_STEPS)?, one.line)));
            (*module, targets.filter(|(target, _)| target != module).collect())
        })
        .collect();
    let mut reported = BTreeSet::new();
    let mut findings = Vec::new();
    for module in files.keys() {
        let Some(circle) = circle(module, &edges) else {
            continue;
        };
        // A circle is reported once, whichever of its files comes first.
        if circle.iter().any(|one| reported.contains(one)) {
            continue;
        }
        reported.extend(circle.iter().copied());
        let names: Vec<&str> = circle
            .iter()
            .chain(circle.first())
            .filter_map(|one| files.get(*one)?.path.strip_prefix(root))
            .collect();
        let next = circle.get(1).and_then(|next| edges.get(module)?.get(*next));
        findings.push(Finding {
            path: files.get(module).map_or_else(String::new, |source| source.path.clone()),
            line: next.copied().unwrap_or(1),
            text: format!("files use each other in a circle: {}; put the shapes below", names.join(" -> ")),
        });
    }
    findings
}

/// The module of a file below the root of its crate.
fn module(path: &str) -> Module {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    let names = stem.split('/').filter(|name| !["lib", "main"].contains(name));
    names.map(str::to_owned).collect()
}

/// A path that a file names, from the root of the crate on.
struct Use {
    path: Module,
    line: usize,
}

/// Every path into the crate that code names: by `crate`, `self`, `super`, or a module below.
fn uses(module: &Module, code: &str, files: &BTreeMap<Module, &Source>) -> Vec<Use> {
    let below = files.keys().filter_map(|other| other.strip_prefix(module.as_slice())?.first());
    let below: BTreeSet<&str> = below.map(String::as_str).collect();
    let mut found = Vec::new();
    for first in ["crate", "self", "super"].into_iter().chain(below) {
        for at in places_of_word(code, first) {
            let before = code.get(..at).unwrap_or_default().trim_end();
            if before.ends_with("::")
                || !code.get(at + first.len()..).is_some_and(|rest| rest.starts_with("::"))
            {
                continue;
            }
            let line = line_of(code, at);
            let mut paths = Vec::new();
            tree(code.get(at..).unwrap_or_default(), Vec::new(), &mut paths);
            found.extend(paths.into_iter().filter_map(|path| {
                let path = absolute(module, &path)?;
                Some(Use { path, line })
            }));
        }
    }
    found
}

/// The paths of a tree of uses, `a::{b::C, d}`; gives what stands behind it.
fn tree<'c>(code: &'c str, mut path: Module, all: &mut Vec<Module>) -> &'c str {
    let mut rest = code.trim_start();
    loop {
        if let Some(inside) = rest.strip_prefix('{') {
            rest = inside.trim_start();
            // Each turn takes a branch, or ends.
            while !rest.is_empty() && !rest.starts_with('}') {
                let after = tree(rest, path.clone(), all);
                if after.len() == rest.len() {
                    return rest;
                }
                let next = after.find([',', '}']).map_or("", |at| after.get(at..).unwrap_or_default());
                rest = next.trim_start_matches(',').trim_start();
            }
            return rest.strip_prefix('}').unwrap_or(rest);
        }
        let length = rest.bytes().take_while(|byte| is_word(*byte)).count();
        let (name, after) = rest.split_at(length);
        if !name.is_empty() {
            path.push(name.to_owned());
        }
        match after.strip_prefix("::") {
            Some(next) if !name.is_empty() => rest = next,
            _ => {
                all.push(path);
                return after.strip_prefix('*').unwrap_or(after);
            }
        }
    }
}

/// A path from the root on; `None` where it leaves the crate.
fn absolute(module: &Module, path: &[String]) -> Option<Module> {
    let (mut from, mut rest) = (module.clone(), path);
    while let Some((first, after)) = rest.split_first() {
        match first.as_str() {
            "crate" => from.clear(),
            "self" => {}
            "super" => {
                from.pop()?;
            }
            _ => break,
        }
        rest = after;
    }
    from.extend(rest.iter().cloned());
    Some(from)
}

/// The file in which what a path names stands: re-exports lead to where it comes from.
fn file_of<'m>(path: &[String], uses: &BTreeMap<&'m Module, Vec<Use>>, steps: usize) -> Option<&'m Module> {
    let lengths = (0..=path.len()).rev();
    let (file, own) =
        lengths.filter_map(|length| uses.get_key_value(&path.get(..length)?.to_vec())).next()?;
    let name = path.get(file.len()).filter(|_| steps > 0);
    let exported =
        name.and_then(|name| own.iter().find(|one| one.path.last() == Some(name) && one.path != path));
    exported.map_or(Some(*file), |one| file_of(&one.path, uses, steps - 1))
}

/// The shortest circle through a module.
fn circle<'m>(
    start: &'m Module,
    edges: &BTreeMap<&'m Module, BTreeMap<&'m Module, usize>>,
) -> Option<Vec<&'m Module>> {
    let mut ways = vec![vec![start]];
    let mut seen = BTreeSet::new();
    // Every module is the end of one way at most.
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in way.last().and_then(|last| edges.get(*last)).into_iter().flat_map(BTreeMap::keys) {
                if *next == start {
                    return Some(way);
                }
                if seen.insert(*next) {
                    longer.push(way.iter().copied().chain([*next]).collect());
                }
            }
        }
        ways = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::new(&format!("crates/lint/src/{path}"), text)).collect();
        let findings = check(&sources).into_iter();
        findings.map(|finding| format!("{finding}")).collect()
    }

    #[test]
    fn files_that_use_each_other_are_found_once_with_the_way_round() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;"),
            ("a.rs", "//! A.\nuse crate::b::{B, Other};\npub struct A;"),
            ("b.rs", "fn f() { crate::c::g(); }"),
            ("c.rs", "use super::A;\nuse std::fmt;"),
        ];
        let text = "crates/lint/src/a.rs:2: files use each other in a circle: a.rs -> b.rs -> c.rs -> a.rs; put the \
                    shapes below";
        assert_eq!(found(&files), [text]);
    }

    #[test]
    fn a_module_and_the_file_above_it_are_a_circle_when_each_uses_the_other() {
        let above = "mod low;\npub struct Shape;\nfn f() { low::g(); }";
        assert_eq!(found(&[("a/mod.rs", above), ("a/low.rs", "use super::Shape;")]).len(), 1);
        assert!(found(&[("a/mod.rs", above), ("a/low.rs", "use std::fmt::Debug;")]).is_empty());
        assert!(
            found(&[("a/mod.rs", "mod low;\nstruct Shape;"), ("a/low.rs", "use super::Shape;")]).is_empty()
        );
    }

    #[test]
    fn tests_comments_and_other_crates_make_no_circle() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;"),
            ("a.rs", "use crate::B;\n#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}"),
            ("b.rs", "// crate::a::A\nuse other::a::A;\n#[cfg(test)]\nuse crate::a::A;"),
        ];
        assert!(found(&files).is_empty());
    }
}
