//! The page of the linter: what it reads, and the rules from their declarations.

use anyhow::{Context, Result};
use lint::{FAMILIES, Rule};
use reference::mistake_name;

/// The part before the rules.
const HEAD: &str = include_str!("lint_page.md");

/// The page.
///
/// # Errors
/// When a rule has the code of a mistake without a name.
pub fn page() -> Result<String> {
    let mut page = format!("{HEAD}\n");
    for (title, rules) in FAMILIES {
        let sections: Vec<String> = rules.iter().map(section).collect::<Result<_>>()?;
        page += &format!("## {title}\n\n{}\n", sections.join("\n"));
    }
    Ok(format!("{}\n", page.trim_end()))
}

fn section(rule: &Rule) -> Result<String> {
    let name = mistake_name(rule.code).with_context(|| format!("{}: {} has no name", rule.id, rule.code))?;
    Ok(rule.section(name))
}
