//! Units: what a number is a number of, and which facts and quantities have which.

use crate::cursor::{Cursor, Mistake};
use crate::definitions::FACTS;
use quantity::Quantity;
use std::fmt;

/// The words for units, each with its singular.
const WORDS: [(&str, &str); 5] =
    [("ns", "ns"), ("s", "s"), ("cycles", "cycle"), ("bytes", "byte"), ("KiB", "KiB")];

/// A product of powers of units; a count where all are zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unit([i8; WORDS.len()]);

impl Unit {
    /// The unit at this place of a line, if there is one: `ns`, `cycles`, `ns/s`.
    pub fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        let mut ahead = *cursor;
        ahead.skip_spaces();
        let mut unit = Self::word(ahead.while_true(char::is_alphanumeric))?;
        *cursor = ahead;
        if ahead.eat("/")
            && let Some(below) = Self::word(ahead.while_true(char::is_alphanumeric))
        {
            unit = unit.over(below);
            *cursor = ahead;
        }
        Some(unit)
    }

    fn word(word: &str) -> Option<Self> {
        let mut unit = Self::default();
        let place = WORDS.iter().position(|(many, one)| word == *many || word == *one)?;
        *unit.0.get_mut(place)? = 1;
        Some(unit)
    }

    /// The unit of this text, which is a unit or empty.
    fn of_text(text: &str) -> Self {
        Self::read(&mut Cursor::new(text)).unwrap_or_default()
    }

    pub fn of_quantity(quantity: Quantity) -> Self {
        Self::of_text(match quantity {
            Quantity::Latency => "ns",
            Quantity::Bandwidth => "bytes/s",
            Quantity::Size => "bytes",
            Quantity::Frequency => "cycles/s",
            Quantity::Count | Quantity::Ratio => "",
        })
    }

    /// The unit of a fact of the machine; `None` for facts that no formula may name.
    pub fn of_fact(key: &str) -> Option<Self> {
        let fits = |pattern: &str| match pattern.split_once('*') {
            Some((before, after)) => key.strip_prefix(before).is_some_and(|rest| rest.ends_with(after)),
            None => key == pattern,
        };
        let found = FACTS.iter().find(|(pattern, _)| fits(pattern));
        found.map(|(_, unit)| Self::of_text(unit))
    }

    pub fn times(self, other: Self) -> Self {
        self.joined(other, i8::saturating_add)
    }

    pub fn over(self, other: Self) -> Self {
        self.joined(other, i8::saturating_sub)
    }

    fn joined(mut self, other: Self, join: fn(i8, i8) -> i8) -> Self {
        for (power, more) in self.0.iter_mut().zip(other.0) {
            *power = join(*power, more);
        }
        self
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let powers = || self.0.iter().zip(WORDS);
        let some = |sign: i8| {
            powers()
                .filter(|(power, _)| power.signum() == sign)
                .flat_map(|(power, (many, _))| std::iter::repeat_n(many, usize::from(power.unsigned_abs())))
                .collect::<Vec<_>>()
                .join("·")
        };
        match (some(1), some(-1)) {
            (above, below) if below.is_empty() && above.is_empty() => write!(out, "a count"),
            (above, below) if below.is_empty() => write!(out, "{above}"),
            (above, below) if above.is_empty() => write!(out, "1/{below}"),
            (above, below) => write!(out, "{above}/{below}"),
        }
    }
}

/// The unit of both, where a number without one fits any.
pub fn same(a: Option<Unit>, b: Option<Unit>, cursor: &Cursor<'_>) -> Result<Option<Unit>, Mistake> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => cursor.mistake(format!("{a} and {b} cannot be joined")),
        _ => Ok(a.or(b)),
    }
}
