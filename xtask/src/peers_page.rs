//! The page of peers: every program of lmbench with the points that answer it, and what other tools have by the cards' sources.

use crate::markdown;
use anyhow::Result;
use oscope::LmbenchLine;
use std::collections::BTreeMap;

/// The part before the tables.
const HEAD: &str = include_str!("peers_page.md");

/// What other tools have and oscope has not.
const UNANSWERED: &str = include_str!("peers_page_unanswered.md");

/// What stands before the table of other tools.
const OTHERS: &str = "\n## Other tools\n\nWhat the cards name as their counterparts. Measured beside each other: \
    [AGREEMENT](AGREEMENT.md).\n\n";

/// The page.
///
/// # Errors
/// When an example of a program is wrong.
pub fn page() -> Result<String> {
    let lines = oscope::lmbench_lines()?;
    let lmbench = markdown::table(&["line", "points", "what is different"], lines.iter().map(lmbench_row));
    let others = markdown::table(&["tool", "what it measures", "operation"], others());
    Ok([HEAD, &lmbench, OTHERS, &others, UNANSWERED].concat())
}

fn lmbench_row(line: &LmbenchLine) -> Vec<String> {
    /// Of longer lists the ends are shown.
    const MOST: usize = 4;
    let (points, remark) = match &line.points {
        Ok(points) if points.len() > MOST => {
            let ends = [points.first(), points.last()].map(|point| point.map_or_else(String::new, code));
            (format!("{} … {} ({})", ends[0], ends[1], points.len()), line.remark)
        }
        Ok(points) => (points.iter().map(code).collect::<Vec<String>>().join(", "), line.remark),
        Err(why) => ("none".to_owned(), *why),
    };
    vec![format!("`{}`", line.line), points, remark.to_owned()]
}

fn code(point: &String) -> String {
    format!("`{point}`")
}

/// The sources of all cards but those of the reports and of lmbench, by tool.
fn others() -> Vec<Vec<String>> {
    let is_report = |name: &str| {
        let mut letters = name.chars();
        letters.next() == Some('R') && letters.next().is_some_and(|letter| letter.is_ascii_digit())
    };
    let mut tools: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for operation in flawed::all_operations() {
        let sources = operation.sources.iter().filter(|(name, what)| !is_report(name) && *what != "none");
        for (names, what) in sources.filter(|(names, _)| *names != "lmbench") {
            for name in names.split(", ").filter(|name| *name != "lmbench") {
                let row = vec![name.to_owned(), (*what).to_owned(), markdown::operation_link(operation.id)];
                tools.entry(name.to_lowercase()).or_default().push(row);
            }
        }
    }
    tools.into_values().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_whole_tool() {
        for row in others() {
            let count = |sign: char| row[0].matches(sign).count();
            assert!(count('(') == count(')') && row[0] != "none", "{row:?}");
        }
    }
}
