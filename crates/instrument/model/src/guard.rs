//! For which points a line holds: `cpu=other|sibling:`, `bytes=1..64KiB:`, `bytes!=*:`, and on which processors:
//! `architecture=x86_64:`.

use crate::cursor::{Cursor, Mistake};
use crate::number::number_of;
use record::PointId;

/// Reads the guards at the head of a line; gives whether the line holds for the point.
pub fn holds(cursor: &mut Cursor<'_>, point: &PointId) -> Result<bool, Mistake> {
    let mut holds = true;
    loop {
        let mut ahead = *cursor;
        let name = ahead.name();
        let wants = if ahead.eat("!=") {
            false
        } else if ahead.eat("=") {
            true
        } else {
            return Ok(holds);
        };
        *cursor = ahead;
        let values = cursor.while_true(|letter| letter != ' ' && letter != ':');
        let text = match name {
            "architecture" => Some(std::env::consts::ARCH),
            _ => point.parameter(name),
        };
        holds &= fits(values, text, cursor)? == wants;
        if cursor.eat(":") {
            cursor.skip_spaces();
            return Ok(holds);
        }
        if !cursor.eat(" ") {
            return cursor.mistake("`:` is missing");
        }
    }
}

fn fits(values: &str, text: Option<&str>, cursor: &Cursor<'_>) -> Result<bool, Mistake> {
    if values.is_empty() {
        return cursor.mistake("a guard names values: name=a|b, name=1..64KiB or name=*");
    }
    let Some(text) = text else {
        return Ok(false);
    };
    let mut any = false;
    for value in values.split('|') {
        any |= match value.split_once("..") {
            Some((low, high)) => is_between(low, number_of(text), high, cursor)?,
            None => value == "*" || value == text,
        };
    }
    Ok(any)
}

/// Whether the value lies in the range, whose ends may be open.
fn is_between(low: &str, value: Option<f64>, high: &str, cursor: &Cursor<'_>) -> Result<bool, Mistake> {
    let end = |text: &str, open: f64| {
        if text.is_empty() { Some(open) } else { number_of(text) }
    };
    match (end(low, f64::NEG_INFINITY), end(high, f64::INFINITY)) {
        (Some(low), Some(high)) => Ok(value.is_some_and(|value| (low..=high).contains(&value))),
        _ => cursor.mistake(format!("`{low}..{high}` is not a range of numbers")),
    }
}
