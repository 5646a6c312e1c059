//! The rules for manifests: every dependency is named once, in the root, and says why it is here.

use super::Finding;

/// What is wrong with the root's manifest: dependencies from elsewhere without a reason behind them.
pub fn check_root(path: &str, text: &str) -> Vec<Finding> {
    let bare = dependencies(text).filter(|(_, line)| !line.contains("path =") && !has_reason(line));
    bare.map(|(number, line)| {
        let text = format!(
            "`{}` does not say why it is here; add `# …` behind it",
            name(line)
        );
        finding(path, number, text)
    })
    .collect()
}

/// What is wrong with a crate's manifest: dependencies that are not the root's.
pub fn check_member(path: &str, text: &str) -> Vec<Finding> {
    let own = dependencies(text).filter(|(_, line)| !line.replace(' ', "").contains("workspace=true"));
    own.map(|(number, line)| {
        let text = format!(
            "`{}` is not the workspace's; name it in the root's Cargo.toml",
            name(line)
        );
        finding(path, number, text)
    })
    .collect()
}

fn finding(path: &str, line: usize, text: String) -> Finding {
    Finding {
        path: path.to_owned(),
        line,
        text,
    }
}

/// The lines that name a dependency, with their numbers from 1.
fn dependencies(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    let numbered = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(move |(_, line)| {
        if line.starts_with('[') {
            inside = line.trim_end_matches(']').ends_with("dependencies");
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
    fn members_take_the_workspaces() {
        let text = "[dependencies]\na.workspace = true\nb = { workspace = true, optional = true }\nc = \"1\"\n\
                    [dev-dependencies]\nd = { path = \"../d\" }\n[features]\ne = []\n";
        assert_eq!(lines(check_member("crates/a/Cargo.toml", text)), [4, 6]);
    }
}
