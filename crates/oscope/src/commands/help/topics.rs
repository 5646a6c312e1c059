//! The topics: sections of the project's documents.

use Document::{Fleet, Glossary, Limits, Methodology, Readme, Recipes, Usage};

/// A document that the program carries.
#[derive(Debug, Clone, Copy)]
pub enum Document {
    /// What every command has in common.
    Usage,
    /// How numbers are made.
    Methodology,
    /// What they cannot say.
    Limits,
    /// Complete examples.
    Recipes,
    /// Many machines.
    Fleet,
    /// The words.
    Glossary,
    /// The first page.
    Readme,
}

impl Document {
    fn text(self) -> &'static str {
        match self {
            Usage => include_str!("../../../../../docs/USAGE.md"),
            Methodology => include_str!("../../../../../METHODOLOGY.md"),
            Limits => include_str!("../../../../../LIMITS.md"),
            Recipes => include_str!("../../../../../docs/RECIPES.md"),
            Fleet => include_str!("../../../../../docs/FLEET.md"),
            Glossary => {
                // What follows is for those who write oscope.
                let all = include_str!("../../../../../docs/GLOSSARY.md");
                all.split_once("\n## ").map_or(all, |(words, _)| words)
            }
            Readme => include_str!("../../../../../README.md"),
        }
    }

    /// The section under this heading, with it and all that is below it.
    pub fn section(self, heading: &str) -> Option<Vec<&'static str>> {
        let title = |line: &'static str| (level(line) > 0).then(|| line.trim_start_matches('#').trim());
        let mut lines = self.text().lines().skip_while(|line| title(line) != Some(heading));
        let first = lines.next()?;
        let rest = lines.take_while(|line| level(line) == 0 || level(line) > level(first));
        Some(std::iter::once(first).chain(rest).collect())
    }
}

/// How deep a heading is, from 1; no heading is at 0.
pub fn level(line: &str) -> usize {
    let marks = line.len() - line.trim_start_matches('#').len();
    if line.get(marks..).is_some_and(|rest| rest.starts_with(' ')) { marks } else { 0 }
}

/// What `oscope help` can say besides what it says of commands.
pub struct Topic {
    /// What is typed.
    pub name: &'static str,
    /// What it is about, for the list.
    pub about: &'static str,
    /// The sections that are shown.
    pub sections: &'static [(Document, &'static str)],
}

const fn topic(
    name: &'static str,
    about: &'static str,
    sections: &'static [(Document, &'static str)],
) -> Topic {
    Topic { name, about, sections }
}

/// All of them: first what is typed, then what is read, then the rest.
pub const TOPICS: &[Topic] = &[
    topic("selection", "words that name points", &[(Usage, "Selections")]),
    topic("profiles", "how long and how hard a run tries", &[(Methodology, "Profiles and budgets")]),
    topic("progress", "what a run shows while it goes on", &[(Usage, "Progress")]),
    topic("instrument", "what the self-test checks, and what its words mean", &[(Usage, "Self-test")]),
    topic("records", "where results are kept", &[(Usage, "Records")]),
    topic("verdicts", "measured, noisy, contradicted, skipped, failed", &[(Methodology, "Verdicts")]),
    topic(
        "interval",
        "what ± means",
        &[
            (Methodology, "Trials, rounds and the interval"),
            (Limits, "The interval"),
            (Limits, "Typical and best"),
        ],
    ),
    topic(
        "predictions",
        "what a point should cost, T0 and T1, and your own",
        &[(Methodology, "Prediction"), (Methodology, "A user's own predictions")],
    ),
    topic("evidence", "how it is shown that the operation really happened", &[(Methodology, "Evidence")]),
    topic("trigger", "quiet and shared cores", &[(Methodology, "The trigger"), (Limits, "The trigger")]),
    topic(
        "gate",
        "which batches are set aside",
        &[(Methodology, "The gate: what is set aside"), (Limits, "The gate")],
    ),
    topic(
        "comparison",
        "slower, faster, same, undecided",
        &[(Methodology, "Comparing records"), (Recipes, "In CI: fail when a system call became slower")],
    ),
    topic("peer", "measuring to another machine", &[(Readme, "Two machines"), (Methodology, "Two ends")]),
    topic(
        "files",
        "where files are measured, here and on another machine",
        &[(Methodology, "Files"), (Readme, "Files of another machine")],
    ),
    topic("machines", "many machines: which are not like the others", &[(Fleet, "Many machines")]),
    topic("recipes", "CI, two machines, a new machine, a course", &[(Recipes, "Recipes")]),
    topic("environment", "environment variables", &[(Usage, "Environment variables")]),
    topic("exit-codes", "how a command ends", &[(Usage, "Exit codes")]),
    topic("limits", "what the numbers cannot say", &[(Limits, "Limits")]),
    topic("mistakes", "mistakes of measuring by code, E01 to E62", &[(Methodology, "Guarded mistakes")]),
    topic("words", "the words that oscope uses in its own sense", &[(Glossary, "Glossary")]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_topic_has_its_sections_and_a_name_of_its_own() {
        let names: BTreeSet<&str> = TOPICS.iter().map(|topic| topic.name).collect();
        assert_eq!(names.len(), TOPICS.len());
        for topic in TOPICS {
            for (document, heading) in topic.sections {
                let section = document.section(heading);
                assert!(section.is_some_and(|lines| lines.len() > 3), "{}: {heading}", topic.name);
            }
        }
    }

    #[test]
    fn glossary_is_that_of_users() {
        let words = Glossary.section("Glossary").unwrap_or_default().join("\n");
        assert!(words.contains("| witness |") && !words.contains("xtask"), "{words}");
    }

    #[test]
    fn section_ends_at_the_next_heading_of_its_depth() {
        let verdicts = Methodology.section("Verdicts").unwrap_or_default().join("\n");
        assert!(verdicts.contains("contradicted") && !verdicts.contains("\n## "), "{verdicts}");
        let evidence = Methodology.section("Evidence").unwrap_or_default().join("\n");
        assert!(evidence.contains("\n### Bounds"), "subsections belong to it");
        assert!(Methodology.section("Verdict").is_none());
    }
}
