//! The topics: sections of the project's documents.

/// The documents that topics show.
const USAGE: &str = include_str!("../../../../../docs/USAGE.md");
const METHODOLOGY: &str = include_str!("../../../../../METHODOLOGY.md");
const LIMITS: &str = include_str!("../../../../../LIMITS.md");
const RECIPES: &str = include_str!("../../../../../docs/RECIPES.md");
const COUNT: &str = include_str!("../../../../../docs/COUNT.md");
const FLEET: &str = include_str!("../../../../../docs/FLEET.md");
const WATCH: &str = include_str!("../../../../../docs/WATCH.md");
const GLOSSARY: &str = include_str!("../../../../../docs/GLOSSARY.md");
const MISTAKES: &str = include_str!("../../../../../docs/MISTAKES.md");
const TRIGGER: &str = include_str!("../../../../../docs/TRIGGER.md");
const SCALING: &str = include_str!("../../../../../docs/SCALING.md");

/// The section of the glossary for those who write oscope, which no topic shows.
const FOR_AUTHORS: &str = "## Words not used";

/// The section of a document under this heading, with it and all that is below it.
pub fn section(document: &'static str, heading: &str) -> Option<Vec<&'static str>> {
    let mut lines = document
        .lines()
        .skip_while(|line| level(line) == 0 || line.trim_start_matches('#').trim() != heading);
    let first = lines.next()?;
    let below =
        lines.take_while(|line| (level(line) == 0 || level(line) > level(first)) && *line != FOR_AUTHORS);
    Some(std::iter::once(first).chain(below).collect())
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
    /// The sections that are shown: each by its document and its heading.
    pub sections: &'static [(&'static str, &'static str)],
}

const fn topic(
    name: &'static str,
    about: &'static str,
    sections: &'static [(&'static str, &'static str)],
) -> Topic {
    Topic { name, about, sections }
}

/// All of them: first what is typed, then what is read, then the rest.
pub const TOPICS: &[Topic] = &[
    topic("selection", "words that name points", &[(USAGE, "Selections")]),
    topic("profiles", "how long and how hard a run tries", &[(METHODOLOGY, "Profiles and budgets")]),
    topic("progress", "what a run shows while it measures", &[(USAGE, "Progress")]),
    topic("instrument", "what the self-test checks, and what its words mean", &[(USAGE, "Self-test")]),
    topic("records", "where results are kept", &[(USAGE, "Records")]),
    topic("verdicts", "measured, noisy, contradicted, skipped, failed", &[(METHODOLOGY, "Verdicts")]),
    topic(
        "interval",
        "what ± means",
        &[
            (METHODOLOGY, "Trials, rounds and the interval"),
            (LIMITS, "The interval"),
            (LIMITS, "Typical and best"),
        ],
    ),
    topic(
        "predictions",
        "what a point should cost, T0 and T1, and your own",
        &[(METHODOLOGY, "Prediction"), (METHODOLOGY, "A user's own predictions")],
    ),
    topic("evidence", "how it is shown that the operation really happened", &[(METHODOLOGY, "Evidence")]),
    topic("trigger", "quiet and shared cores", &[(TRIGGER, "The trigger"), (LIMITS, "The trigger")]),
    topic("excluded", "which batches are excluded", &[(METHODOLOGY, "The gate"), (LIMITS, "The gate")]),
    topic(
        "comparison",
        "slower, faster, same, undecided",
        &[(METHODOLOGY, "Comparing records"), (RECIPES, "In CI: fail when a system call became slower")],
    ),
    topic("peer", "measuring to another machine", &[(USAGE, "Two machines"), (METHODOLOGY, "Two ends")]),
    topic(
        "files",
        "where files are measured, here and on another machine",
        &[(METHODOLOGY, "Files"), (USAGE, "Files of another machine")],
    ),
    topic("scaling", "one call on several CPUs: speed-up and its shares", &[(SCALING, "Several CPUs")]),
    topic("counts", "counting what a kernel executes", &[(COUNT, "Counting a kernel")]),
    topic("machines", "many machines: which are not like the others", &[(FLEET, "Many machines")]),
    topic("watching", "channels, events and metrics of `oscope watch`", &[(WATCH, "Watching a machine")]),
    topic("recipes", "CI, two machines, a new machine, a course", &[(RECIPES, "Recipes")]),
    topic("environment", "environment variables", &[(USAGE, "Environment variables")]),
    topic("exit-codes", "how a command ends", &[(USAGE, "Exit codes")]),
    topic("limits", "what the numbers cannot say", &[(LIMITS, "Limits")]),
    topic("mistakes", "mistakes of measuring by code, E01 to E63", &[(MISTAKES, "Guarded mistakes")]),
    topic("words", "the words that oscope uses in its own sense", &[(GLOSSARY, "Glossary")]),
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
                let lines = section(document, heading).unwrap_or_default();
                assert!(lines.len() > 3, "{}: {heading}", topic.name);
            }
        }
    }

    #[test]
    fn glossary_is_that_of_users() {
        let words = section(GLOSSARY, "Glossary").unwrap_or_default().join("\n");
        assert!(words.contains("| witness |") && !words.contains("xtask"), "{words}");
    }

    #[test]
    fn section_ends_at_the_next_heading_of_its_depth() {
        let verdicts = section(METHODOLOGY, "Verdicts").unwrap_or_default().join("\n");
        assert!(verdicts.contains("contradicted") && !verdicts.contains("\n## "), "{verdicts}");
        let evidence = section(METHODOLOGY, "Evidence").unwrap_or_default().join("\n");
        assert!(evidence.contains("\n### Bounds"), "subsections belong to it");
        assert!(section(METHODOLOGY, "Verdict").is_none());
    }
}
