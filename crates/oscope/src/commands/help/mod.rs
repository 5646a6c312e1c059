//! `oscope help`: of a command as it says of itself, of a topic from the project's documents.

mod page;
mod topics;

pub(super) use page::without_marks;

use super::explain;
use crate::arguments::{Arguments, Help};
use crate::exit::{Exit, usage};
use crate::output::paragraph;
use crate::suggest::{did_you_mean, like};
use clap::CommandFactory;
use std::io::Write;
use topics::{TOPICS, Topic, section};

pub fn run(arguments: &Help) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    let Some(word) = &arguments.word else {
        let help = Arguments::command().render_long_help();
        write!(out, "{help}\n{}", list())?;
        return Ok(Exit::Success);
    };
    let mut all = Arguments::command();
    all.build();
    if let Some(command) = all.find_subcommand_mut(word) {
        write!(out, "{}", command.render_long_help())?;
    } else if let Some(topic) = TOPICS.iter().find(|topic| topic.name == word) {
        show(topic, &mut out)?;
    } else if let Some(paragraphs) = explain::term(word) {
        let near = like(word, TOPICS.iter().map(|topic| topic.name.to_owned()));
        let more = near.map(|near| format!("More: oscope help {near}."));
        for text in paragraphs.iter().chain(&more) {
            paragraph("", text, 0, width(), &mut out)?;
        }
    } else {
        return Err(usage(unknown(word)));
    }
    Ok(Exit::Success)
}

fn width() -> usize {
    crate::terminal::width_of_output().min(100)
}

fn show(topic: &Topic, out: &mut dyn Write) -> anyhow::Result<()> {
    for (at, (document, heading)) in topic.sections.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        let mut lines = section(document, heading).unwrap_or_default();
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        page::write(&lines, width(), out)?;
    }
    Ok(())
}

/// The topics, a line each.
fn list() -> String {
    let widest = TOPICS.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
    let lines = TOPICS.iter().map(|topic| format!("  {:widest$}  {}\n", topic.name, topic.about));
    format!("Topics (oscope help TOPIC):\n{}", lines.collect::<String>())
}

/// That nothing is called so, and what was probably meant.
fn unknown(word: &str) -> String {
    let all = Arguments::command();
    let commands = all.get_subcommands().filter(|command| !command.is_hide_set());
    let commands = commands.map(|command| command.get_name().to_owned());
    let names = TOPICS.iter().map(|topic| topic.name.to_owned()).chain(commands);
    let near = did_you_mean(like(word, names));
    format!(
        "no help on '{word}'{near} ('oscope help' lists commands and topics; 'oscope explain' knows operations, 'oscope describe' the machine)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_topics_and_commands_are_recognised() {
        for (typed, meant) in [("verdict", "verdicts"), ("tigger", "trigger"), ("comapre", "compare")] {
            assert!(unknown(typed).contains(&format!("did you mean {meant}?")), "{}", unknown(typed));
        }
        assert!(!unknown("xyzzy").contains("did you mean"));
    }

    #[test]
    fn no_topic_hides_behind_a_command() {
        let all = Arguments::command();
        for topic in TOPICS {
            assert!(all.find_subcommand(topic.name).is_none(), "{}", topic.name);
        }
    }
}
