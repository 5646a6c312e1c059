//! Why a word of a selection means no point.

use super::declared::{any_points, points};
use super::term::{Condition, Term, pairs};
use crate::Operations;
use crate::suggest::{did_you_mean, like, nothing_is};
use analysis::{Row, distinct};
use measure::Operation;
use record::Profile;
use report::Topic;

/// The profiles by their names on the command line, the usual one first.
const PROFILES: [(&str, Profile); 3] =
    [("standard", Profile::Standard), ("quick", Profile::Quick), ("thorough", Profile::Thorough)];

/// Values that a message lists at most.
const MOST: usize = 8;

/// Why a word means no point of a profile.
pub(super) fn in_profile(term: &Term, operations: Operations, profile: Profile) -> String {
    let other = PROFILES.iter().find(|(_, other)| {
        *other != profile
            && operations.iter().any(|operation| {
                points(operation, *other).iter().any(|point| term.is_for_point(operation, point))
            })
    });
    match other {
        Some(_) if profile == Profile::Tail => format!(
            "no iteration of '{}' is timed alone: leave out --tail, or see 'oscope run --tail --dry-run'",
            term.text
        ),
        Some((name, _)) => format!("'{}' is a point of another profile: add --profile {name}", term.text),
        None => anywhere(term, operations),
    }
}

/// Why a word means no point of these records.
pub(super) fn in_records<'a>(
    term: &Term,
    operations: Operations,
    records: &[&str],
    rows: impl Iterator<Item = &'a Row>,
) -> String {
    let named: Vec<String> =
        rows.filter(|row| term.names_row(row, operations)).map(|row| row.point.id.point.clone()).collect();
    let (text, records, why) = (&term.text, records.join(" and "), unmet(term, named));
    let is_declared = operations
        .iter()
        .any(|operation| any_points(operation).iter().any(|point| term.is_for_point(operation, point)));
    if is_declared {
        let why = why.map_or_else(String::new, |why| format!(" ({why})"));
        return format!("'{text}' was not measured in {records}{why}; measure it: oscope run '{text}'");
    }
    if text == "history" {
        return "'oscope history' shows the values over the runs".to_owned();
    }
    why.map(|why| format!("in {records} {why}")).or_else(|| undeclared(term, operations)).unwrap_or_else(
        || match like(text, Topic::ALL.into_iter().map(|(name, _)| name.to_owned())) {
            Some(topic) => {
                format!("no record, topic or row is called '{text}'{}", did_you_mean(Some(topic)))
            }
            None => format!("no record, topic or row: {}", nothing_is(text, operations)),
        },
    )
}

/// Why a word means no point that is declared.
pub(super) fn anywhere(term: &Term, operations: Operations) -> String {
    undeclared(term, operations).unwrap_or_else(|| nothing_is(&term.text, operations))
}

/// Why a word that names operations means no point of them; `None` where it names none.
fn undeclared(term: &Term, operations: Operations) -> Option<String> {
    let mut named = operations.iter().filter(|operation| term.names_operation(operation)).peekable();
    if let Some(Operation { id, .. }) = named.peek().copied()
        && named.all(|operation| operation.is_of_the_run())
    {
        let why = "is computed in every run and has no point of its own: see 'oscope explain";
        return Some(format!("{id} {why} {id}'"));
    }
    let texts = operations.iter().flat_map(|operation| {
        let mut points = any_points(operation);
        points.retain(|point| term.names(Some(operation), &operation.point_id(point), operation.area.name()));
        points.into_iter().map(|point| point.text())
    });
    unmet(term, texts.collect())
}

/// Which condition leaves none of the points that a word names, and what would leave some; `None` where it names none.
pub(super) fn unmet(term: &Term, mut named: Vec<String>) -> Option<String> {
    if named.is_empty() {
        return None;
    }
    let mut met: Vec<&str> = Vec::new();
    for condition in &term.conditions {
        let (left, out): (Vec<String>, Vec<String>) =
            named.into_iter().partition(|point| condition.is_met_by(point));
        if left.is_empty() {
            let with = if met.is_empty() { String::new() } else { format!(" with {}", met.join(" ")) };
            return Some(format!("no point of '{}'{with} has {}", term.name, instead(condition, &out)));
        }
        met.push(&condition.text);
        named = left;
    }
    None
}

/// What none of these points has, and what they have instead.
fn instead(condition: &Condition, points: &[String]) -> String {
    let Condition { text, parameter, .. } = condition;
    let values = distinct(points.iter().flat_map(|point| condition.values_in(point)));
    if !values.is_empty() {
        let value = text.split_once('=').map_or("", |(_, value)| value);
        let near = like(value, values.iter().map(|value| (*value).to_owned()));
        let near = did_you_mean(near.map(|near| format!("{parameter}={near}")));
        return format!("{text}{near} ({parameter} is {})", list(&values, "or"));
    }
    let parameters = distinct(points.iter().flat_map(|point| pairs(point)).map(|(name, _)| name));
    let near = like(parameter, parameters.iter().map(|name| (*name).to_owned()));
    let has = match parameters.as_slice() {
        [] => "they have none".to_owned(),
        some => format!("they have {}", list(some, "and")),
    };
    format!("a parameter '{parameter}'{} ({has})", did_you_mean(near))
}

/// The first of them as a sentence has them, and how many more there are.
fn list(all: &[&str], last: &str) -> String {
    match all {
        [init @ .., end] if !init.is_empty() && all.len() <= MOST => {
            format!("{} {last} {end}", init.join(", "))
        }
        few if few.len() <= MOST => few.join(""),
        many => format!("{} and {} more", many.split_at(MOST).0.join(", "), many.len() - MOST),
    }
}
