//! Files of one crate that use each other in a circle: shapes belong below, what computes with them above.

use super::source::{Finding, Source};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
        let path = files.get(module).map_or("", |source| &source.path);
        let text = format!("files use each other in a circle: {}; put the shapes below", names.join(" -> "));
        findings.push(Finding::new(path, next.copied().unwrap_or(1), text));
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
    let below: BTreeSet<&str> = below.map(String::as_str).chain(["crate", "self", "super"]).collect();
    let mut paths = Vec::new();
    collect(code.parse().unwrap_or_default(), &[], &mut paths);
    paths.retain(|one| one.path.len() > 1 && one.path.first().is_some_and(|first| below.contains(&**first)));
    paths.into_iter().filter_map(|one| Some(Use { path: absolute(module, &one.path)?, ..one })).collect()
}

/// The paths that tokens name, below a beginning that holds for all of them: `b::C` and `d` of `a::{b::C, d}`.
fn collect(tokens: TokenStream, beginning: &[String], all: &mut Vec<Use>) {
    // The path that is not at its end yet, and the colons behind it.
    let (mut open, mut colons) = (None::<Use>, 0);
    for token in tokens {
        let line = token.span().start().line;
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            TokenTree::Ident(name) => {
                let is_continued = colons == 2 && open.is_some();
                let mut next =
                    open.take_if(|_| is_continued).unwrap_or(Use { path: beginning.to_vec(), line });
                all.extend(open.take());
                next.path.push(name.to_string());
                (open, colons) = (Some(next), 0);
            }
            TokenTree::Group(group) => {
                let is_tree = colons == 2 && group.delimiter() == Delimiter::Brace;
                let below = open.take_if(|_| is_tree).map(|one| one.path).unwrap_or_default();
                all.extend(open.take());
                collect(group.stream(), &below, all);
                colons = 0;
            }
            _ => {
                all.extend(open.take());
                colons = 0;
            }
        }
    }
    all.extend(open);
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
    let mut routes = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    // Every module is the end of one route at most.
    while let Some(route) = routes.pop_front() {
        for next in route.last().and_then(|last| edges.get(*last)).into_iter().flat_map(BTreeMap::keys) {
            if *next == start {
                return Some(route);
            }
            if seen.insert(*next) {
                routes.push_back(route.iter().copied().chain([*next]).collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = files
            .iter()
            .map(|(path, text)| Source::new(&format!("crates/mistakes/lint/src/{path}"), text))
            .collect();
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
        let text = "crates/mistakes/lint/src/a.rs:2: files use each other in a circle: a.rs -> b.rs -> c.rs -> a.rs; put the \
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
