//! Numbers that follow from the point's parameters, `{bytes / 4096}`, and texts with such numbers in them.

use crate::cursor::{Cursor, Mistake, Sign, chain};
use crate::scope::{Argument, Scope};
use record::{Formula, PointId};

/// A number as it is written, or a computed one in braces; `None` for anything else.
pub fn number(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<Option<f64>, Mistake> {
    if !cursor.eat("{") {
        return Ok(cursor.number());
    }
    let value = sum(cursor, scope)?;
    cursor.require("}")?;
    if value.is_finite() { Ok(Some(value)) } else { cursor.mistake(format!("the number is {value}")) }
}

/// The same where there must be one.
pub fn expect_number(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<f64, Mistake> {
    cursor.skip_spaces();
    match number(cursor, scope)? {
        Some(value) => Ok(value),
        None => cursor.mistake("a number is missing"),
    }
}

/// The text with what stands in braces replaced: a parameter by its own text, anything else by its number.
pub fn filled(text: &str, scope: &Scope<'_>) -> Result<String, Mistake> {
    let mut cursor = Cursor::new(text);
    let mut out = String::new();
    loop {
        out += cursor.while_true(|letter| letter != '{');
        let mut inside = cursor;
        if !inside.eat("{") {
            return Ok(out);
        }
        let words = words(inside.name(), scope);
        match words {
            Some(words) if inside.eat("}") => {
                out += &words;
                cursor = inside;
            }
            _ => out += &expect_number(&mut cursor, scope)?.to_string(),
        }
    }
}

/// The text of a name: an argument or a parameter.
fn words(name: &str, scope: &Scope<'_>) -> Option<String> {
    match scope.argument(name) {
        Some(Argument::Text(text)) => Some(text.clone()),
        Some(Argument::Formula(_)) => None,
        None if name == "placement" => placement(scope.point),
        None => scope.point.parameter(name).map(str::to_owned),
    }
}

/// Where the actors are, and what their CPUs do while idle: the part of a point that points of other operations share.
fn placement(point: &PointId) -> Option<String> {
    let cpu = point.parameter("cpu")?;
    let idle = point.parameter("idle").map(|state| format!(" idle={state}"));
    Some(format!("cpu={cpu}{}", idle.unwrap_or_default()))
}

fn sum(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<f64, Mistake> {
    let signs: [Sign<f64>; 2] = [(&["+"], |a, b, _| Ok(a + b)), (&["−", "-"], |a, b, _| Ok(a - b))];
    chain(cursor, &signs, |cursor| product(cursor, scope))
}

fn product(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<f64, Mistake> {
    let signs: [Sign<f64>; 2] = [(&["×", "*"], |a, b, _| Ok(a * b)), (&["/"], |a, b, _| Ok(a / b))];
    chain(cursor, &signs, |cursor| factor(cursor, scope))
}

fn factor(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<f64, Mistake> {
    cursor.skip_spaces();
    if let Some(value) = cursor.number() {
        return Ok(value * size_unit(cursor)?);
    }
    if cursor.eat("(") {
        let value = sum(cursor, scope)?;
        cursor.require(")")?;
        return Ok(value);
    }
    let start = *cursor;
    let name = cursor.name();
    if name == "counted" {
        return counted(cursor, scope, &start);
    }
    if !cursor.eat("(") {
        return named(name, scope, &start);
    }
    let first = sum(cursor, scope)?;
    let value = match name {
        "round" => first.round(),
        "ceil" => first.ceil(),
        "sqrt" => first.sqrt(),
        "max" => first.max(second(cursor, scope)?),
        "min" => first.min(second(cursor, scope)?),
        _ => return start.mistake(format!("there is no function `{name}` of numbers")),
    };
    cursor.require(")")?;
    Ok(value)
}

/// The instructions that were counted of the point, or of the one in brackets.
fn counted(cursor: &mut Cursor<'_>, scope: &Scope<'_>, start: &Cursor<'_>) -> Result<f64, Mistake> {
    let point = if cursor.eat("[") {
        let text = filled(cursor.until_closed('[', ']')?, scope)?;
        let (operation, point) = text.split_once(' ').unwrap_or((&text, ""));
        PointId::new(operation, point)
    } else {
        scope.point.clone()
    };
    match crate::counts::counted(&point) {
        Some(instructions) => Ok(instructions),
        None => start.mistake(format!("no instructions are counted of [{point}]")),
    }
}

/// The unit right behind a number, as in `64MiB`, in bytes; 1 where there is none.
fn size_unit(cursor: &mut Cursor<'_>) -> Result<f64, Mistake> {
    let start = *cursor;
    let unit = cursor.while_true(|letter| letter.is_ascii_alphabetic());
    match number_of(&format!("1{unit}")) {
        Some(bytes) => Ok(bytes),
        None => start.mistake(format!("`{unit}` is not a unit of size")),
    }
}

fn second(cursor: &mut Cursor<'_>, scope: &Scope<'_>) -> Result<f64, Mistake> {
    cursor.require(",")?;
    sum(cursor, scope)
}

fn named(name: &str, scope: &Scope<'_>, start: &Cursor<'_>) -> Result<f64, Mistake> {
    if let Some(Argument::Formula(typed)) = scope.argument(name) {
        return match &typed.formula {
            Formula::Number { value, source, .. } if source.is_empty() => Ok(*value),
            other => start.mistake(format!("`{name}` is {other}, which is not a plain number")),
        };
    }
    let Some(text) = scope.point.parameter(name) else {
        let point = scope.point;
        return start.mistake(format!("`{point}` has no parameter `{name}`"));
    };
    match number_of(text) {
        Some(value) => Ok(value),
        None => start.mistake(format!("`{name}={text}` is not a number")),
    }
}

/// The number that a parameter's text stands for: a plain one, or a size such as `64KiB`, in bytes.
pub fn number_of(text: &str) -> Option<f64> {
    let size = || quantity::parse_bytes(text).ok().map(|bytes| bytes.bytes() as f64);
    text.parse().ok().or_else(size)
}
