//! The museum: exhibits as labels, and a list of what each error comes to.

use crate::document::{Block, markdown, terminal};
use crate::json::write_document;
use crate::page::Page;
use crate::reasons;
use crate::style::{Paint, Style};
use crate::wording::{many, sentence};
use crate::{Cell, Column, Table};
use analysis::{Expected, NoNumber, Outcome, ShownExhibit};
use quantity::{show, show_percent, show_ratio};
use record::Range;
use serde::Serialize;
use std::io::{self, Write};

/// An exhibit with its mistakes and the published figures that hold them.
#[derive(Debug, Clone)]
pub struct ExhibitLabel<'s> {
    /// The exhibit as a record shows it.
    pub shown: &'s ShownExhibit,
    /// Codes and names of its mistakes.
    pub mistakes: Vec<String>,
    /// Who published a figure that holds it, and the figure.
    pub published: Vec<String>,
}

/// Factors from here on are shown as factors, smaller ones in percent.
const AS_FACTOR: f64 = 2.0;

/// By how much something is too high or too low.
fn off(factor: f64) -> String {
    let (times, side) = if factor < 1.0 { (1.0 / factor, "too low") } else { (factor, "too high") };
    if times >= AS_FACTOR {
        format!("{} {side}", show_ratio(times))
    } else {
        format!("{} {side}", show_percent((factor - 1.0).abs()))
    }
}

/// An outcome in a few words.
fn brief(shown: &ShownExhibit) -> String {
    match (&shown.outcome, shown.factor) {
        (Outcome::High | Outcome::Low, Some(factor)) if factor.value > 0.0 => off(factor.value),
        (Outcome::Hidden, _) => "does not show here".to_owned(),
        (Outcome::Undecided, _) => "cannot be said".to_owned(),
        (Outcome::Absent, _) => "not in this record".to_owned(),
        _ => "no number".to_owned(),
    }
}

fn paint(outcome: &Outcome) -> Paint {
    match outcome {
        Outcome::High | Outcome::Low => Paint::Warning,
        Outcome::Hidden => Paint::Good,
        Outcome::Undecided | Outcome::NoNumber(_) | Outcome::Absent => Paint::Faint,
    }
}

fn between(factor: Range) -> String {
    if factor.low == factor.high {
        return show_ratio(factor.value);
    }
    let ends = (show_ratio(factor.low), show_ratio(factor.high));
    format!("wrong ÷ right {}, between {} and {}", show_ratio(factor.value), ends.0, ends.1)
}

/// What the wrong way gave beside the right one.
fn figures(shown: &ShownExhibit) -> String {
    let number =
        |value: Option<f64>| value.map_or_else(String::new, |value| show(value, None, shown.quantity));
    let of = if shown.of.is_empty() { String::new() } else { format!("{}: ", shown.of) };
    format!("{of}{} instead of {}", number(shown.gave), number(shown.right_gave))
}

/// The outcome in a sentence.
fn verdict(shown: &ShownExhibit) -> String {
    let expected = match (&shown.outcome, shown.exhibit.expected) {
        (Outcome::High, Expected::Low) | (Outcome::Low, Expected::High) => {
            "; it was expected on the other side, so something else decides here"
        }
        _ => "",
    };
    match (&shown.outcome, shown.factor) {
        (Outcome::High | Outcome::Low, Some(factor)) => {
            format!("{}: reads {} ({}){expected}", figures(shown), off(factor.value), between(factor))
        }
        (Outcome::Hidden, Some(factor)) => format!(
            "{} ({}): the error does not show on this machine. It hides {}",
            figures(shown),
            between(factor),
            shown.exhibit.hides
        ),
        (Outcome::Undecided, Some(factor)) => format!(
            "{} ({}): too wide to say whether the error shows; more rounds would tell (--profile standard)",
            figures(shown),
            between(factor)
        ),
        (Outcome::NoNumber(NoNumber::TooFewSamples), _) => "no number: there are too few samples".to_owned(),
        (Outcome::NoNumber(NoNumber::Row(id, verdict, why)), _) => {
            let why = reasons::joined(why.iter().map(reasons::text));
            let why = why.unwrap_or_else(|| "it was not tried".to_owned());
            format!("no number: {id} is {}: {why}", verdict.word())
        }
        _ => "this record has not the points that it takes; 'oscope museum' measures them".to_owned(),
    }
}

/// Where the numbers come from.
fn points(shown: &ShownExhibit) -> String {
    let names: Vec<String> = shown.points.iter().map(ToString::to_string).collect();
    names.join(" beside ")
}

/// The number of exhibits by outcome.
fn outcomes(labels: &[ExhibitLabel<'_>]) -> String {
    let count = |is: fn(&Outcome) -> bool| labels.iter().filter(|label| is(&label.shown.outcome)).count();
    let all: [(usize, &str); 5] = [
        (count(|outcome| matches!(outcome, Outcome::High | Outcome::Low)), "show their error here"),
        (count(|outcome| *outcome == Outcome::Hidden), "hide it"),
        (count(|outcome| *outcome == Outcome::Undecided), "too wide to say"),
        (count(|outcome| matches!(outcome, Outcome::NoNumber(_))), "without a number"),
        (count(|outcome| *outcome == Outcome::Absent), "not in this record"),
    ];
    let parts: Vec<String> =
        all.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
    format!("{}: {}", many(labels.len(), "exhibit"), parts.join(", "))
}

/// A text as a sentence; one that is a sentence already stays as it is, since a name may begin it.
fn whole(text: &str) -> String {
    if text.is_empty() || text.ends_with('.') { text.to_owned() } else { sentence(text) }
}

/// The label of an exhibit: its mistakes, and what it shows.
fn label_part(label: &ExhibitLabel<'_>) -> Block {
    let exhibit = label.shown.exhibit;
    let mut facts: Vec<(&'static str, Cell)> = vec![
        ("done", exhibit.done.into()),
        ("wrong", whole(&label.shown.wrong).into()),
        ("right", exhibit.right.into()),
        ("seen", label.published.join("; ").into()),
        ("points", points(label.shown).into()),
        ("here", Cell::new(whole(&verdict(label.shown)), paint(&label.shown.outcome))),
    ];
    facts.retain(|(_, cell)| !cell.text.is_empty());
    let mistakes = Block::Text(label.mistakes.join("; "), Paint::Faint);
    let title = format!("{}: {}", exhibit.name, exhibit.title);
    Block::Part(title, vec![mistakes, Block::Facts(facts)])
}

/// The list of what each exhibit comes to.
fn list(labels: &[ExhibitLabel<'_>]) -> Block {
    let mut table = Table::new(vec![
        Column::word("", 0).titled("mistake"),
        Column::word("exhibit", 0),
        Column::word("reads", 0),
        Column::name("of", 1, 12, 60),
    ]);
    for label in labels {
        let exhibit = label.shown.exhibit;
        table.row(vec![
            exhibit.codes.join(" ").into(),
            exhibit.name.into(),
            Cell::new(brief(label.shown), paint(&label.shown.outcome)),
            exhibit.title.into(),
        ]);
    }
    Block::Table(table)
}

/// Writes the tour and, after it, the list.
///
/// # Errors
/// When `out` cannot be written.
pub fn museum_terminal(
    labels: &[ExhibitLabel<'_>],
    width: usize,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut blocks: Vec<Block> = labels.iter().map(label_part).collect();
    blocks.extend([list(labels), Block::lead(outcomes(labels))]);
    terminal::write(&blocks, &mut Page { width, style, out })
}

/// Writes a document: the list first, then the labels.
///
/// # Errors
/// When `out` cannot be written.
pub fn museum_markdown(labels: &[ExhibitLabel<'_>], out: &mut dyn Write) -> io::Result<()> {
    let title = Block::Title("museum".to_owned());
    let mut blocks = vec![title, Block::text(outcomes(labels)), list(labels)];
    blocks.extend(labels.iter().map(label_part));
    markdown::write(&blocks, out)
}

/// Version of the JSON document of exhibits. Fields may be added without changing it.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    exhibits: Vec<JsonExhibit<'a>>,
}

#[derive(Serialize)]
struct JsonExhibit<'a> {
    name: &'a str,
    title: &'a str,
    codes: &'a [&'a str],
    done: &'a str,
    wrong: &'a str,
    right: &'a str,
    published: &'a [String],
    points: Vec<String>,
    /// What is compared, where it is not the result itself.
    of: &'a str,
    /// In the base unit of both.
    gave: Option<f64>,
    right_gave: Option<f64>,
    unit: &'static str,
    /// Wrong divided by right.
    factor: Option<Range>,
    /// `high`, `low`, `hidden`, `undecided`, `no_number` or `absent`.
    outcome: &'static str,
    sentence: String,
}

/// Writes one JSON document.
///
/// # Errors
/// When `out` cannot be written.
pub fn museum_json(labels: &[ExhibitLabel<'_>], out: &mut dyn Write) -> io::Result<()> {
    let exhibits = labels.iter().map(|label| {
        let (shown, exhibit) = (label.shown, label.shown.exhibit);
        JsonExhibit {
            name: exhibit.name,
            title: exhibit.title,
            codes: exhibit.codes,
            done: exhibit.done,
            wrong: &shown.wrong,
            right: exhibit.right,
            published: &label.published,
            points: shown.points.iter().map(ToString::to_string).collect(),
            of: shown.of,
            gave: shown.gave,
            right_gave: shown.right_gave,
            unit: shown.quantity.contract_unit(),
            factor: shown.factor,
            outcome: match shown.outcome {
                Outcome::High => "high",
                Outcome::Low => "low",
                Outcome::Hidden => "hidden",
                Outcome::Undecided => "undecided",
                Outcome::NoNumber(_) => "no_number",
                Outcome::Absent => "absent",
            },
            sentence: verdict(shown),
        }
    });
    let document = Document { schema: SCHEMA, exhibits: exhibits.collect() };
    write_document(&document, out)
}
