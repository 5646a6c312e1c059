//! Words that the glossary forbids: in identifiers, comments, strings, file names and documents.

use super::floors::crate_of;
use super::source::{Finding, Source};
use anyhow::{Context, Result, bail};

/// The document that holds the table, and the heading above the table.
pub const GLOSSARY: &str = "docs/GLOSSARY.md";
const HEADING: &str = "## Words not used";

/// Generated documents, with the crate whose declarations they print, and a section of quotes that is not checked.
const GENERATED: [(&str, &str); 3] =
    [("docs/handbook/", "operations"), ("docs/LINT.md", "lint"), ("docs/SABOTAGE.md", "sabotage")];
const QUOTES: &str = "## Who measured it, and how";

/// Where a word is forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// As a part of an identifier, and in prose.
    Everywhere,
    /// As a part of an identifier.
    Names,
    /// As a whole identifier in exactly this spelling.
    WholeNames,
    /// In comments, strings and documents.
    Prose,
}

/// A forbidden word, or several in a row.
#[derive(Debug)]
pub struct Forbidden {
    spelling: String,
    words: Vec<String>,
    scope: Scope,
    standard: String,
}

impl Forbidden {
    fn finding(&self, path: &str, line: usize) -> Finding {
        Finding::new(path, line, format!("`{}`: say {} ({GLOSSARY})", self.spelling, self.standard))
    }
}

/// Reads the table below the heading "Words not used": words in backquotes, where they are forbidden, what to say.
///
/// # Errors
/// When there is no table, or a row of it is not understood.
pub fn parse(glossary: &str) -> Result<Vec<Forbidden>> {
    let (_, table) =
        glossary.split_once(HEADING).with_context(|| format!("{GLOSSARY} has no section `{HEADING}`"))?;
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.map(parse_row).collect::<Result<Vec<_>>>()?;
    let all: Vec<Forbidden> = rows.into_iter().flatten().collect();
    if all.is_empty() {
        bail!("the table of {GLOSSARY} has no rows");
    }
    Ok(all)
}

fn parse_row(row: &str) -> Result<Vec<Forbidden>> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let &[spellings, scope, standard] = cells.as_slice() else {
        bail!("{GLOSSARY}: not three cells: {row}");
    };
    let scope = match scope {
        "everywhere" => Scope::Everywhere,
        "names" => Scope::Names,
        "whole names" => Scope::WholeNames,
        "prose" => Scope::Prose,
        _ => bail!("{GLOSSARY}: `{scope}` is not everywhere, names, whole names or prose"),
    };
    let spellings = spellings.split('`').skip(1).step_by(2);
    Ok(spellings
        .map(|spelling| Forbidden {
            spelling: spelling.to_owned(),
            words: words(spelling).into_iter().map(|word| word.text).collect(),
            scope,
            standard: standard.to_owned(),
        })
        .collect())
}

/// Every forbidden word in a Rust file: its name, its code, its comments and strings.
pub fn check_source(source: &Source, all: &[Forbidden]) -> Vec<Finding> {
    let (_, file) = source.path.rsplit_once('/').unwrap_or_default();
    let lines = source.code.lines().enumerate();
    let identifiers = lines.flat_map(|(index, line)| identifiers(line).map(move |name| (index + 1, name)));
    let name = file.strip_suffix(".rs").unwrap_or(file);
    let names = std::iter::once((1, name)).chain(identifiers);
    let mut findings: Vec<Finding> = names
        .flat_map(|(line, name)| {
            let words = words(name);
            let named = all.iter().filter(|forbidden| match forbidden.scope {
                Scope::WholeNames => forbidden.spelling == name,
                Scope::Everywhere | Scope::Names => !positions(&words, &forbidden.words).is_empty(),
                Scope::Prose => false,
            });
            named.map(|forbidden| forbidden.finding(&source.path, line)).collect::<Vec<_>>()
        })
        .collect();
    findings.extend(check_prose(&source.path, &source.prose, all));
    findings
}

/// Every forbidden word in a document.
pub fn check_document(path: &str, text: &str, all: &[Forbidden]) -> Vec<Finding> {
    let mut is_quoted = false;
    let lines = text.lines().map(|line| {
        if line.starts_with("## ") {
            is_quoted = path.starts_with("docs/handbook/") && line == QUOTES;
        }
        if is_quoted { "" } else { line }
    });
    let text: Vec<&str> = lines.collect();
    check_prose(path, &text.join("\n"), all)
}

fn check_prose(path: &str, prose: &str, all: &[Forbidden]) -> Vec<Finding> {
    let text = words(prose);
    let forbidden = all.iter().filter(|one| matches!(one.scope, Scope::Everywhere | Scope::Prose));
    forbidden
        .flat_map(|one| positions(&text, &one.words).into_iter().map(|line| one.finding(path, line)))
        .collect()
}

/// The crate that answers for a file; `None` for a document that is written by hand.
pub fn owner(path: &str) -> Option<&str> {
    let generated = GENERATED.iter().find(|(prefix, _)| path.starts_with(prefix));
    match generated {
        Some((_, owner)) => Some(owner),
        None => crate_of(path).map(|(_, name)| name),
    }
}

/// A word of a text in small letters: a part of an identifier is one.
struct Word {
    text: String,
    line: usize,
    /// Nothing but space and the marks of a comment stands between the word before and this one.
    follows: bool,
}

/// The lines on which these words begin, one after another.
fn positions(text: &[Word], sought: &[String]) -> Vec<usize> {
    let windows = text.windows(sought.len().max(1)).filter(|window| {
        let mut pairs = window.iter().zip(sought).enumerate();
        pairs.all(|(index, (word, sought))| word.text == *sought && (index == 0 || word.follows))
    });
    windows.filter_map(|window| Some(window.first()?.line)).collect()
}

fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    let names = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    names.filter(|name| name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_'))
}

/// The words of a text, with `snake_case` and `CamelCase` taken apart.
fn words(text: &str) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::new();
    let (mut line, mut follows, mut open) = (1, true, false);
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        if letter.is_alphabetic() {
            let next_is_small = letters.peek().is_some_and(|next| next.is_lowercase());
            let is_new = letter.is_uppercase() && (before.is_lowercase() || next_is_small);
            match all.last_mut().filter(|_| open && !is_new) {
                Some(word) => word.text.extend(letter.to_lowercase()),
                None => all.push(Word { text: letter.to_lowercase().collect(), line, follows }),
            }
            (open, follows) = (true, true);
        } else {
            open = false;
            follows &= letter.is_whitespace() || "/!\\".contains(letter);
            line += usize::from(letter == '\n');
        }
        before = letter;
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TABLE: &str = "# Glossary\n\n| `murmur` | prose | above the table |\n\n## Words not used\n\n\
        | word | where | say |\n| --- | --- | --- |\n\
        | `blurt`, `blurted` | everywhere | report |\n| `gizmo` | names | the device |\n\
        | `Thing` | whole names | which one |\n| `so very many` | prose | n |\n";

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        let all = parse(TABLE).unwrap();
        let findings = if path.ends_with(".md") {
            check_document(path, text, &all)
        } else {
            check_source(&Source::new(path, text), &all)
        };
        let found = findings
            .iter()
            .map(|finding| (finding.line, finding.text.split('`').nth(1).unwrap_or_default().to_owned()));
        found.collect()
    }

    #[test]
    fn forbidden_words_are_found_in_their_line() {
        let page = format!("## A\nblurt\n{QUOTES}\n| b | blurt |\n## C\nblurt\n");
        for (path, text, expected) in [
            // In identifiers.
            ("b.rs", "\nlet blurt = 1;\n", &[(2, "blurt")][..]),
            ("b.rs", "\nlet all_blurted = 1;\n", &[(2, "blurted")]),
            ("b.rs", "\nlet BlurtedSize = 1;\n", &[(2, "blurted")]),
            ("b.rs", "\nlet MAX_GIZMO = 1;\n", &[(2, "gizmo")]),
            ("b.rs", "\nlet HTTPGizmoLog = 1;\n", &[(2, "gizmo")]),
            ("b.rs", "\nlet is_gizmo2 = 1;\n", &[(2, "gizmo")]),
            ("b.rs", "fn f(a: Thing) {}", &[(1, "Thing")]),
            ("b.rs", "fn thing(a: ThingList, b: Blurry, gizmos: u8) {}", &[]),
            // In comments.
            ("b.rs", "//! A file.\n/// What it\n/// blurted.\nfn f() {}", &[(3, "blurted")]),
            ("b.rs", "// There are so\n    /// very many of them.\n", &[(1, "so very many")]),
            ("b.rs", "// A gizmo, a Thing, so, very many, blurtings.\n", &[]),
            // In texts.
            ("b.rs", "fn f() { g(\"it was Blurted\") }", &[(1, "blurted")]),
            ("b.rs", "const A: &str = \"so very \\\n  many\";", &[(1, "so very many")]),
            ("b.rs", "const A: &str = \"one\\nblurt\";", &[(1, "blurt")]),
            ("b.rs", "#[serde(rename = \"blurt\")]\nfn f() {}", &[]),
            // In the name of a file.
            ("gizmo_list.rs", "", &[(1, "gizmo")]),
            // In documents.
            ("README.md", "# A\n\nIt `blurt_ed` so\nvery many.\n", &[(3, "blurt"), (3, "so very many")]),
            ("docs/handbook/a.md", &page, &[(2, "blurt"), (6, "blurt")]),
        ] {
            let path = if path.ends_with(".rs") { format!("crates/a/src/{path}") } else { path.to_owned() };
            let expected: Vec<_> = expected.iter().map(|(line, word)| (*line, (*word).to_owned())).collect();
            assert_eq!(found(&path, text), expected, "{text}");
        }
    }

    #[test]
    fn a_table_that_is_not_understood_is_refused() {
        for table in [
            "# Glossary\n",
            "## Words not used\n",
            "## Words not used\n| `a` | somewhere | b |\n",
            "## Words not used\n| `a` | names |\n",
        ] {
            assert!(parse(table).is_err(), "{table}");
        }
    }

    #[test]
    fn files_have_an_owner() {
        for (path, expected) in [
            ("crates/ground/record/src/plan.rs", Some("record")),
            ("xtask/src/lint_page.md", Some("xtask")),
            ("docs/handbook/README.md", Some("operations")),
            ("docs/LINT.md", Some("lint")),
            ("docs/SABOTAGE.md", Some("sabotage")),
            ("docs/PROTOCOL.md", None),
            ("README.md", None),
        ] {
            assert_eq!(owner(path), expected, "{path}");
        }
    }
}
