//! Answers to the questions, from the rows of one record: a ratio or a slope with its interval, or why the
//! question stays untested.

use crate::answers::contrast::quotient;
use crate::answers::finding::{Finding, Outcome, cautious, id_of, typical, usable};
use crate::answers::questions::question::{Question, Side, Split, Told, Way};
use crate::answers::questions::questions;
use crate::answers::{cache_capacity, fastest, huge_page_backing, reported_size, split};
use crate::rows::row::{Row, SweepLine, Verdict, find};
use quantity::{Quantity, show, show_ratio};
use record::{Machine, PointId, Range};

/// A half width of this share of a value leaves it exactly two significant digits.
const TWO_DIGITS: f64 = 0.3;

/// A question and what the record says to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The question.
    pub question: &'static Question,
    /// What became of it.
    pub finding: Finding,
    /// The answer, or why there is none, in a sentence.
    pub sentence: String,
    /// What to run so that it can be answered, where a point was not planned.
    pub remedy: Option<String>,
    /// What the way of answering leaves open.
    pub leaves_open: &'static str,
    /// The points that it rests on, or would.
    pub points: Vec<PointId>,
    /// The base unit's kind for a slope or a rate; a ratio has none.
    pub quantity: Option<Quantity>,
    /// Whether any of the points were planned, so that the question belongs to this run.
    pub asked: bool,
}

/// The answers to all questions.
pub(crate) fn answers(rows: &[Row], lines: &[SweepLine], machine: &Machine) -> Vec<Answer> {
    questions()
        .filter_map(|question| answer(question, rows, lines, machine))
        .collect()
}

/// The answer by the first way that the plan allows, or else by that of which it allows the most.
fn answer(
    question: &'static Question,
    rows: &[Row],
    lines: &[SweepLine],
    machine: &Machine,
) -> Option<Answer> {
    let planned = |way: &Way| {
        points(way, rows)
            .iter()
            .filter(|id| find(rows, id).is_some())
            .count()
    };
    let most = question.ways.iter().map(|(way, _)| planned(way)).max()?;
    let mut allowed = question.ways.iter().filter(|(way, _)| planned(way) == most);
    // The first is the best; of those that lack something, the last asks for the least.
    let (way, leaves_open) = match most {
        0 | 1 => allowed.next_back()?,
        _ => allowed.next()?,
    };
    let outcome = match way {
        Way::Ratio { of, to } => ratio(of, to, rows),
        Way::Slope {
            operation,
            fixed,
            words,
        } => slope(&PointId::new(operation, fixed), words, rows, lines),
        Way::Split(of) => {
            let is_planned = !sweep(of.operation, of.fixed, rows).is_empty();
            split::outcome(of, is_planned, lines)
        }
        Way::Fastest(of) => fastest::outcome(of, rows),
        Way::Told(of) => reported_size::outcome(of, rows, machine),
        Way::Share { held } => cache_capacity::outcome(held, rows, machine),
        Way::Backing { huge, base } => huge_page_backing::outcome(huge, base, rows, machine),
    };
    let (finding, sentence) =
        outcome.unwrap_or_else(|reason| (Finding::Untested, format!("untested: {reason}")));
    let points = points(way, rows);
    let quantity = match way {
        Way::Ratio { .. } | Way::Told(_) | Way::Share { .. } | Way::Backing { .. } => None,
        Way::Slope { .. } | Way::Split(_) | Way::Fastest(_) => {
            points.first().and_then(|id| find(rows, id)).map(Row::quantity)
        }
    };
    Some(Answer {
        question,
        finding,
        sentence,
        remedy: remedy(way, rows),
        leaves_open,
        points,
        quantity,
        asked: most > 0,
    })
}

/// What measures what the plan lacks.
fn remedy(way: &Way, rows: &[Row]) -> Option<String> {
    let missing = match way {
        Way::Ratio { .. } | Way::Backing { .. } => {
            points(way, rows).iter().any(|id| find(rows, id).is_none())
        }
        Way::Slope { .. } | Way::Split(_) | Way::Fastest(_) => points(way, rows).is_empty(),
        Way::Told(Told { found: of, .. }) | Way::Share { held: of } => find(rows, &id_of(of)).is_none(),
    };
    let words = match way {
        Way::Ratio { .. } | Way::Backing { .. } => points(way, rows)
            .iter()
            .map(|id| format!("'{id}'"))
            .collect::<Vec<_>>()
            .join(" "),
        Way::Slope { operation, .. } | Way::Split(Split { operation, .. }) => (*operation).to_owned(),
        Way::Fastest(of) => of.operation.to_owned(),
        Way::Told(Told { found: of, .. }) | Way::Share { held: of } => of.operation.to_owned(),
    };
    missing.then(|| format!("oscope run {words}"))
}

/// The points that a way rests on; of a sweep those that were planned.
fn points(way: &Way, rows: &[Row]) -> Vec<PointId> {
    match way {
        Way::Ratio { of, to } | Way::Backing { huge: of, base: to } => vec![id_of(of), id_of(to)],
        Way::Fastest(of) => fastest::points(of, rows),
        Way::Told(Told { found: of, .. }) | Way::Share { held: of } => vec![id_of(of)],
        Way::Slope { operation, fixed, .. } | Way::Split(Split { operation, fixed, .. }) => {
            let all = sweep(operation, fixed, rows);
            all.iter().map(|row| row.point.id.clone()).collect()
        }
    }
}

/// The rows of a sweep.
fn sweep<'r>(operation: &str, fixed: &str, rows: &'r [Row]) -> Vec<&'r Row> {
    rows.iter().filter(|row| is_of(row, operation, fixed)).collect()
}

/// Whether a row is a point of a sweep along a line, with these parameters fixed.
fn is_of(row: &Row, operation: &str, fixed: &str) -> bool {
    let has = |pair: &str| row.point.id.point.split(' ').any(|own| own == pair);
    row.point.id.operation == operation && row.point.fit.is_some() && fixed.split_whitespace().all(has)
}

fn ratio(of: &Side, to: &Side, rows: &[Row]) -> Outcome {
    let (of_row, to_row) = (usable(of, rows)?, usable(to, rows)?);
    let value = |row: &Row| typical(row);
    // What a noisy point's interval says is not enough; what all its trials agree in is.
    let noisy = [of_row, to_row].iter().any(|row| row.verdict == Verdict::Noisy);
    let (whole_of, whole_to) = (cautious(of_row), cautious(to_row));
    let range = quotient(&whole_of, &whole_to).ok_or_else(|| {
        let (of, to) = (&of_row.point.id, &to_row.point.id);
        format!("{of} or {to} is not measurably above zero, so they have no ratio")
    })?;
    let numbers = format!("{} against {}", value(of_row), value(to_row));
    let between = format!("{} … {}", show_ratio(range.low), show_ratio(range.high));
    if range.low <= 1.0 && range.high >= 1.0 {
        if noisy {
            return Err(format!("too noisy to decide: {numbers}, a ratio of {between}"));
        }
        let sentence = format!(
            "{} and {} cannot be told apart: {numbers}, a ratio of {between}",
            of.words, to.words
        );
        return Ok((Finding::Undecided(range), sentence));
    }
    let (verb, than) = match of_row.quantity() {
        Quantity::Bandwidth => ("moves", "as much in the same time as"),
        _ => ("takes", "as long as"),
    };
    let sentence = format!(
        "{} {verb} {} {than} {} ({between}): {numbers}{}",
        of.words,
        show_ratio(range.value),
        to.words,
        if noisy { ", one of them noisy" } else { "" }
    );
    Ok((Finding::Decided(range), sentence))
}

fn slope(sweep: &PointId, words: &str, rows: &[Row], lines: &[SweepLine]) -> Outcome {
    let planned = self::sweep(&sweep.operation, &sweep.point, rows);
    if planned.is_empty() {
        return Err(format!("{sweep} was not measured in this run"));
    }
    let line = lines.iter().find(|line| line.sweep == *sweep);
    let line = line.ok_or_else(|| format!("too few points of {sweep} have a number for a line"))?;
    let (low, high) = line
        .slope_interval
        .ok_or_else(|| format!("some points of {sweep} have too few trials for an interval"))?;
    let (value, quantity) = (
        line.slope,
        planned.first().map_or(Quantity::Latency, |row| row.quantity()),
    );
    let range = Range { low, value, high };
    let say = |value: f64| show(value, Some((high - low) / 2.0), quantity);
    let with = planned.iter().filter(|row| row.estimate.is_some()).count();
    let through = format!("a line through {with} of {} points", planned.len());
    if low <= 0.0 && high >= 0.0 {
        let sentence = format!(
            "{words} costs nothing measurable: at most {} ({through})",
            show(high, Some(high * TWO_DIGITS), quantity)
        );
        return Ok((Finding::Undecided(range), sentence));
    }
    let sentence = format!(
        "{words} costs {} ({} … {}; {through})",
        say(value),
        say(low),
        say(high)
    );
    Ok((Finding::Decided(range), sentence))
}
