//! The page of mistakes: for each code what guards against it, and every place that shows or catches it.

use crate::markdown;
use anyhow::Result;
use reference::{Figure, MISTAKES, Mistake, Theme, cited_mistakes};
use sabotage::{Caught, Sabotage};
use std::collections::BTreeSet;

/// The part before the tables.
const HEAD: &str = include_str!("mistakes_page.md");

/// What stands before the table of mistakes.
const TABLE: &str = "\n## Where each mistake is shown\n\n\
    *Suspect figures in*: reports with figures that it makes suspect, some of them only probably. \
    *Flawed method*: an operation that makes the mistake, measured beside the right one with \
    `--with-flawed-methods`. *Planted, caught by*: the witness that refuses it in [SABOTAGE](SABOTAGE.md). *Rule*: `oscope lint` finds it in a table. *Exhibit*: `oscope museum` shows what it costs.\n\n";

/// The page.
///
/// # Errors
/// When the published figures cannot be read.
pub fn page() -> Result<String> {
    let figures = reference::figures()?;
    let titles = [
        "code",
        "mistake",
        "theme",
        "suspect figures in",
        "flawed method",
        "planted, caught by",
        "rule",
        "exhibit",
    ];
    let rows = markdown::table(&titles, MISTAKES.iter().map(|mistake| row(mistake, &figures)));
    Ok([HEAD, &themes(), TABLE, &rows].concat())
}

/// Each theme with its mistakes and what guards against them, in the order of their first codes.
fn themes() -> String {
    let mut themes: Vec<(Theme, Vec<String>)> = Vec::new();
    for mistake in &MISTAKES {
        let named = format!("{} {}", mistake.code, mistake.name);
        match themes.iter_mut().find(|(theme, _)| *theme == mistake.theme) {
            Some((_, mistakes)) => mistakes.push(named),
            None => themes.push((mistake.theme, vec![named])),
        }
    }
    let rows = themes
        .into_iter()
        .map(|(theme, mistakes)| vec![theme.name.to_owned(), mistakes.join("; "), theme.guard.to_owned()]);
    markdown::table(&["theme", "mistakes", "guard"], rows)
}

fn row(mistake: &Mistake, figures: &[Figure]) -> Vec<String> {
    let places = Places::of_mistake(mistake.code, figures);
    [mistake.code.to_owned(), mistake.name.to_owned(), mistake.theme.name.to_owned()]
        .into_iter()
        .chain([places.published, places.flawed, places.witnesses, places.rules, places.exhibits].map(joined))
        .collect()
}

fn joined(names: BTreeSet<String>) -> String {
    names.into_iter().collect::<Vec<String>>().join(", ")
}

/// Where a mistake is shown or caught, each as it is typed or linked.
struct Places {
    published: BTreeSet<String>,
    flawed: BTreeSet<String>,
    witnesses: BTreeSet<String>,
    rules: BTreeSet<String>,
    exhibits: BTreeSet<String>,
}

impl Places {
    fn of_mistake(code: &str, figures: &[Figure]) -> Self {
        let cites = |text: &str| cited_mistakes(text).any(|cited| cited == code);
        let suspect = figures.iter().filter(|figure| figure.codes().any(|known| known == code));
        let flawed = flawed::methods().filter(|method| cites(method.wrong));
        let planted = sabotage::all().filter(|sabotage| cites(sabotage.mistake));
        let rules = lint::rules().filter(|rule| rule.code == code);
        let exhibits = analysis::exhibits().filter(|exhibit| exhibit.codes.contains(&code));
        Self {
            published: suspect.map(|figure| figure.report.clone()).collect(),
            flawed: flawed.map(|method| markdown::operation_link(method.card.id)).collect(),
            witnesses: planted.map(catcher).collect(),
            rules: rules.map(|rule| format!("[{0}](LINT.md#{0})", rule.id)).collect(),
            exhibits: exhibits.map(|exhibit| format!("`{}`", exhibit.name)).collect(),
        }
    }
}

fn catcher(sabotage: &Sabotage) -> String {
    match sabotage.caught_by {
        Caught::By(counter) => format!("`{}`", sabotage::kind(counter)),
        Caught::Words(words) => format!("“{words}”"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guarded by the theme alone: nothing published shows them, and nothing plants them yet.
    const NOT_SHOWN: [&str; 2] = ["E52", "E57"];

    #[test]
    fn every_other_mistake_is_shown_or_caught_somewhere() {
        let figures = reference::figures().unwrap_or_default();
        for mistake in &MISTAKES {
            let places = row(mistake, &figures).into_iter().skip(3).collect::<String>();
            assert_eq!(places.is_empty(), NOT_SHOWN.contains(&mistake.code), "{}", mistake.code);
        }
    }
}
