//! The rules for manifests: every dependency is named once, in the root, and says why it is here; the heaviest are
//! justified in a table.

use super::source::Finding;

/// What is wrong with the root's manifest: dependencies from elsewhere without a reason behind them.
pub fn check_root(path: &str, text: &str) -> Vec<Finding> {
    let bare = dependencies(text).filter(|(_, line)| !line.contains("path =") && !has_reason(line));
    bare.map(|(number, line)| {
        Finding::new(
            path,
            number,
            format!("`{}` does not say why it is here; add `# …` behind it", name(line)),
        )
    })
    .collect()
}

/// What is wrong with a crate's manifest: dependencies that are not the root's.
pub fn check_member(path: &str, text: &str) -> Vec<Finding> {
    let own = dependencies(text).filter(|(_, line)| !line.replace(' ', "").contains("workspace=true"));
    own.map(|(number, line)| {
        Finding::new(
            path,
            number,
            format!("`{}` is not the workspace's; name it in the root's Cargo.toml", name(line)),
        )
    })
    .collect()
}

/// Behind their number in the document.
const LOCKED: &str = " packages of others are locked";

/// What is wrong with the table of the heaviest dependencies: the number of locked packages in the line above it, and
/// the name and version that begin each row, must be those of Cargo.lock, so that whoever changes these looks at it.
pub fn check_heaviest(path: &str, document: &str, lock: &str) -> Vec<Finding> {
    let others: Vec<(&str, &str)> = lock
        .split("[[package]]")
        .filter(|package| package.contains("\nsource = "))
        .filter_map(|package| Some((value(package, "name")?, value(package, "version")?)))
        .collect();
    let mut lines = document.lines().enumerate().map(|(index, line)| (index + 1, line));
    let Some((number, said)) = lines.by_ref().find(|(_, line)| line.contains(LOCKED)) else {
        return vec![Finding::new(path, 1, format!("no line says how many{LOCKED}"))];
    };
    let mut findings = Vec::new();
    if said.split(' ').next() != Some(others.len().to_string().as_str()) {
        let text = format!("{}{LOCKED}; look through the table of the heaviest", others.len());
        findings.push(Finding::new(path, number, text));
    }
    let rows = lines
        .skip_while(|(_, line)| !line.starts_with("| `"))
        .take_while(|(_, line)| line.starts_with("| `"));
    let mut count = 0;
    for (number, row) in rows {
        count += 1;
        let package = row.split('`').nth(1).and_then(|words| words.split_once(' '));
        if !package.is_some_and(|package| others.contains(&package)) {
            let text = "not in Cargo.lock with this version; look at its weight and reason again";
            findings.push(Finding::new(path, number, text));
        }
    }
    if count == 0 {
        findings.push(Finding::new(path, number, "no table of the heaviest packages follows"));
    }
    findings
}

/// The value of a key in a section of Cargo.lock.
fn value<'a>(section: &'a str, key: &str) -> Option<&'a str> {
    section.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"'))
}

/// The dependencies of what is shipped, not of tests, with the numbers of their lines.
pub fn shipped_dependencies(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines_below(text, |heading| heading == "[dependencies]").map(|(number, line)| (number, name(line)))
}

/// The lines that name a dependency, with their numbers from 1.
fn dependencies(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines_below(text, |heading| heading.trim_end_matches(']').ends_with("dependencies"))
}

/// The lines with content below the headings that are wanted, with their numbers from 1.
fn lines_below(text: &str, is_wanted: fn(&str) -> bool) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(move |(_, line)| {
        if line.starts_with('[') {
            inside = is_wanted(line);
            return false;
        }
        inside && !line.is_empty() && !line.starts_with('#')
    })
}

fn name(line: &str) -> &str {
    line.split(['=', '.', ' ']).next().unwrap_or(line)
}

/// Whether words stand behind the last `#` that is not inside quotes.
fn has_reason(line: &str) -> bool {
    let mut quoted = false;
    let comment = line.char_indices().find_map(|(at, letter)| {
        quoted ^= letter == '"';
        (letter == '#' && !quoted).then(|| line.get(at + 1..)).flatten()
    });
    comment.is_some_and(|words| words.contains(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: Vec<Finding>) -> Vec<usize> {
        findings.into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn dependencies_say_why() {
        let text = "[package]\nname = \"x\"\n[workspace.dependencies]\n# Ours.\nown = { path = \"x\" }\n\
                    good = \"1\"   # lines of the record\nbare = \"1\"\nempty = \"1\" # \nquoted = \"#not why\"\n\
                    [profile.dev]\nopt-level = 1\n";
        let findings = check_root("Cargo.toml", text);
        assert!(findings.iter().any(|finding| finding.text.contains("`bare`")));
        assert_eq!(lines(findings), [7, 8, 9]);
    }

    #[test]
    fn heaviest_packages_are_those_of_the_lock() {
        let lock = "[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"heavy\"\n\
                    version = \"1.2.3\"\nsource = \"registry\"\n";
        let document = "Words.\n1 packages of others are locked.\n\n| package | lines |\n| --- | ---: |\n\
                        | `heavy 1.2.3` | 9 |\n\n| `own 0.1.0` | of another table |\n";
        assert_eq!(check_heaviest("C.md", document, lock), []);
        let old = document.replace("1.2.3", "1.2.2").replace("1 packages", "2 packages");
        assert_eq!(lines(check_heaviest("C.md", &old, lock)), [2, 6]);
        let without_rows = "1 packages of others are locked.\n";
        assert_eq!(lines(check_heaviest("C.md", without_rows, lock)), [1]);
        assert_eq!(lines(check_heaviest("C.md", "nothing", lock)), [1]);
    }

    #[test]
    fn members_take_the_workspaces() {
        let text = "[dependencies]\na.workspace = true\nb = { workspace = true, optional = true }\nc = \"1\"\n\
                    [dev-dependencies]\nd = { path = \"../d\" }\n[features]\ne = []\n";
        assert_eq!(lines(check_member("crates/a/Cargo.toml", text)), [4, 6]);
    }
}
