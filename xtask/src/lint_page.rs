//! The page of the linter: what it reads, in words of its own, and the rules as they say it.

use anyhow::{Context, Result};
use lint::{RULES, Rule};
use reference::mistake;

/// What is said before the rules.
const HEAD: &str = include_str!("lint_page.md");

/// The page.
///
/// # Errors
/// When a rule names a mistake that has no name.
pub fn page() -> Result<String> {
    let sections: Vec<String> = RULES.iter().map(section).collect::<Result<_>>()?;
    Ok(format!("{HEAD}\n## The rules\n\n{}", sections.join("\n")))
}

fn section(rule: &Rule) -> Result<String> {
    let Rule {
        id,
        code,
        what,
        why,
        wrong_when,
        ..
    } = rule;
    let name = mistake(code).with_context(|| format!("{id}: {code} has no name"))?;
    Ok(format!(
        "### `{id}`\n\n{code}, {name}. {what}\n\n*Why it is a mistake:* {why}\n\n*Wrong when:* {wrong_when}\n"
    ))
}
