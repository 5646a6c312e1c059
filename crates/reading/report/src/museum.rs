//! The museum: exhibits as labels, and a list of what each error comes to.

use crate::document::{Block, Form, write};
use crate::json::{Part, all, object, write_document};
use crate::reasons;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns};
use crate::thresholds::AS_FACTOR;
use crate::wording::{joined, many, sentence};
use analysis::{Expected, NoNumber, Outcome, ShownExhibit};
use quantity::{show, show_percent, show_ratio};
use record::Range;
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

/// By how much something is too high or too low.
fn off(factor: f64) -> String {
    let (times, side) = if factor < 1.0 { (1.0 / factor, "too low") } else { (factor, "too high") };
    let off = if times >= AS_FACTOR { show_ratio(times) } else { show_percent((factor - 1.0).abs()) };
    format!("{off} {side}")
}

/// An outcome in a few words.
fn brief(shown: &ShownExhibit) -> String {
    match (&shown.outcome, shown.factor) {
        (Outcome::High | Outcome::Low, Some(factor)) if factor.value > 0.0 => off(factor.value),
        (Outcome::Hidden, _) => "does not show here".to_owned(),
        (Outcome::Undecided, _) => "undecided".to_owned(),
        (Outcome::Absent, _) => "not in this record".to_owned(),
        _ => "no number".to_owned(),
    }
}

/// What an outcome is called in JSON, what is counted of exhibits that have it, and its paint.
fn outcome(outcome: &Outcome) -> (&'static str, &'static str, Paint) {
    match outcome {
        Outcome::High => ("high", COUNTED[0], Paint::Warning),
        Outcome::Low => ("low", COUNTED[0], Paint::Warning),
        Outcome::Hidden => ("hidden", COUNTED[1], Paint::Good),
        Outcome::Undecided => ("undecided", COUNTED[2], Paint::Faint),
        Outcome::NoNumber(_) => ("no_number", COUNTED[3], Paint::Faint),
        Outcome::Absent => ("absent", COUNTED[4], Paint::Faint),
    }
}

/// What is counted of exhibits, by their outcome.
const COUNTED: [&str; 5] =
    ["show their error here", "hide it", "undecided", "without a number", "not in this record"];

/// What is counted of exhibits whose wrong way differs in the other direction than the mistake explains.
const OTHER_WAY: &str = "differ for another reason";

fn is_other_way(shown: &ShownExhibit) -> bool {
    matches!(
        (&shown.outcome, shown.exhibit.expected),
        (Outcome::High, Expected::Low) | (Outcome::Low, Expected::High)
    )
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
    let expected = match is_other_way(shown) {
        true => "; expected in the other direction, so another effect dominates here",
        false => "",
    };
    match (&shown.outcome, shown.factor) {
        (Outcome::High | Outcome::Low, Some(factor)) => {
            format!("{}: reads {} ({}){expected}", figures(shown), off(factor.value), between(factor))
        }
        (Outcome::Hidden, Some(factor)) => {
            let (figures, between, hides) =
                (figures(shown), between(factor), shown.exhibit.not_visible_where);
            format!("{figures} ({between}): the error does not show on this machine. It hides {hides}")
        }
        (Outcome::Undecided, Some(factor)) => {
            let (figures, between) = (figures(shown), between(factor));
            format!(
                "{figures} ({between}): interval too wide to decide; more rounds are needed (--profile standard)"
            )
        }
        (Outcome::NoNumber(NoNumber::TooFewSamples), _) => "no number: there are too few samples".to_owned(),
        (Outcome::NoNumber(NoNumber::Row(id, verdict, why)), _) => {
            let why = reasons::line(why).unwrap_or_else(|| "it was not tried".to_owned());
            format!("no number: {id} is {}: {why}", verdict.word())
        }
        _ => "this record lacks its points; 'oscope museum' measures them".to_owned(),
    }
}

/// Where the numbers come from.
fn points(shown: &ShownExhibit) -> String {
    joined(shown.points.iter().map(ToString::to_string), " beside ")
}

/// The number of exhibits by outcome.
fn outcomes(labels: &[ExhibitLabel<'_>]) -> String {
    let counted_as = |shown: &ShownExhibit| match is_other_way(shown) {
        true => OTHER_WAY,
        false => outcome(&shown.outcome).1,
    };
    let counted = COUNTED.into_iter().chain([OTHER_WAY]).map(|of| {
        let here = labels.iter().filter(|label| counted_as(label.shown) == of);
        (here.count(), of)
    });
    let some = counted.filter(|(count, _)| *count > 0);
    let parts = some.map(|(count, of)| match (count, of.strip_prefix("differ ")) {
        (1, Some(rest)) => format!("1 differs {rest}"),
        _ => format!("{count} {of}"),
    });
    let parts = joined(parts, ", ");
    format!("{}: {parts}", many(labels.len(), "exhibit"))
}

/// A text as a sentence; one that is a sentence already stays as it is, since a name may begin it.
fn whole(text: &str) -> String {
    if text.is_empty() || text.ends_with('.') { text.to_owned() } else { sentence(text) }
}

/// The label of an exhibit: its mistakes, and what it shows.
fn label_part(label: &ExhibitLabel<'_>) -> Block {
    let exhibit = label.shown.exhibit;
    let mut facts: Vec<(&'static str, Cell)> = vec![
        ("done", exhibit.procedure.into()),
        ("wrong", whole(&label.shown.wrong).into()),
        ("right", exhibit.remedy.into()),
        ("seen", label.published.join("; ").into()),
        ("points", points(label.shown).into()),
        ("here", Cell::new(whole(&verdict(label.shown)), outcome(&label.shown.outcome).2)),
    ];
    facts.retain(|(_, cell)| !cell.text.is_empty());
    let mistakes = Block::Text(label.mistakes.join("; "), Paint::Faint);
    let title = format!("{}: {}", exhibit.name, exhibit.title);
    Block::Part(title, vec![mistakes, Block::Facts(facts)])
}

/// The list of what each exhibit comes to.
fn list(labels: &[ExhibitLabel<'_>]) -> Block {
    let shown = labels.iter().map(|label| label.shown);
    let mistake = Column::word("", 0).titled("mistake");
    let columns = Columns::new(mistake, |shown: &&ShownExhibit| shown.exhibit.codes.join(" "))
        .with(Column::word("exhibit", 0), |shown| shown.exhibit.name)
        .with(Column::word("reads", 0), |shown| Cell::new(brief(shown), outcome(&shown.outcome).2))
        .with(Column::name("of", 1, 12, 60), |shown| shown.exhibit.title);
    Block::Table(columns.table_of(shown))
}

/// Writes the museum: how many exhibits have which outcome, the list of what each comes to, then the labels; on a terminal
/// those of exhibits that were asked for by name.
///
/// # Errors
/// When `out` cannot be written.
pub fn museum(
    labels: &[ExhibitLabel<'_>],
    are_named: bool,
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let texts = labels.iter().map(label_part);
    let blocks: Vec<Block> = match form {
        Form::Json => return json(labels, out),
        Form::Terminal(..) if are_named => {
            [Block::lead(outcomes(labels)), list(labels)].into_iter().chain(texts).collect()
        }
        Form::Terminal(..) => {
            let more = "what is done, what is wrong with it, who published it: oscope museum --record RECORD EXHIBIT";
            vec![Block::lead(outcomes(labels)), list(labels), Block::Text(more.to_owned(), Paint::Faint)]
        }
        _ => {
            let title = Block::Title("museum".to_owned());
            [title, Block::text(outcomes(labels)), list(labels)].into_iter().chain(texts).collect()
        }
    };
    write(&blocks, form, out)
}

/// Version of the JSON document of exhibits. Fields may be added without changing it.
const SCHEMA: u32 = 1;

fn json(labels: &[ExhibitLabel<'_>], out: &mut dyn Write) -> io::Result<()> {
    write_document(&object! { schema: SCHEMA, exhibits: all(labels, json_exhibit) }, out)
}

fn json_exhibit(label: &ExhibitLabel<'_>) -> impl Part {
    let (shown, exhibit) = (label.shown, label.shown.exhibit);
    object! {
        name: exhibit.name,
        title: exhibit.title,
        codes: exhibit.codes,
        done: exhibit.procedure,
        wrong: &shown.wrong,
        right: exhibit.remedy,
        published: &label.published,
        points: all(&shown.points, ToString::to_string),
        /// What is compared, where it is not the result itself.
        of: shown.of,
        /// In the base unit of both.
        gave: shown.gave,
        right_gave: shown.right_gave,
        unit: shown.quantity.contract_unit(),
        /// Wrong divided by right.
        factor: shown.factor,
        outcome: outcome(&shown.outcome).0,
        sentence: verdict(shown),
    }
}
