//! A place in a line, and what is wrong there.

use std::fmt;

/// Why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The line.
    pub line: String,
    /// The place in it, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "column {} of `{}`: {}", self.column, self.line, self.what)
    }
}

impl std::error::Error for Mistake {}

/// A line and how far it has been read.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(line: &'a str) -> Self {
        Self { line, at: 0 }
    }

    /// A mistake at the place that is read next.
    pub fn mistake<T>(&self, what: impl Into<String>) -> Result<T, Mistake> {
        let read = self.line.get(..self.at).unwrap_or_default();
        Err(Mistake { line: self.line.to_owned(), column: read.chars().count() + 1, what: what.into() })
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or_default()
    }

    pub fn skip_spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Reads this text, if it is next.
    pub fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// The same behind spaces.
    pub fn eat_sign(&mut self, sign: &str) -> bool {
        self.skip_spaces();
        self.eat(sign)
    }

    pub fn require(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.eat_sign(sign) { Ok(()) } else { self.mistake(format!("`{sign}` is missing")) }
    }

    pub fn is_at_end(&mut self) -> bool {
        self.skip_spaces();
        self.rest().is_empty()
    }

    pub fn expect_end(&mut self) -> Result<(), Mistake> {
        if self.is_at_end() { Ok(()) } else { self.mistake(format!("`{}` is left over", self.rest())) }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = self.rest().get(..bytes).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    pub fn while_true(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest().find(|letter| !holds(letter));
        self.take(end.unwrap_or(self.rest().len()))
    }

    /// A dotted name, or nothing.
    pub fn name(&mut self) -> &'a str {
        if self.rest().starts_with(|letter: char| letter.is_ascii_lowercase()) {
            self.while_true(|letter| letter.is_ascii_alphanumeric() || "_.".contains(letter))
        } else {
            ""
        }
    }

    /// A number with its sign and exponent, if one is next.
    pub fn number(&mut self) -> Option<f64> {
        let rest = self.rest();
        let digits = |text: &str| {
            let other = |letter: char| !(letter.is_ascii_digit() || letter == '.');
            text.find(other).unwrap_or(text.len())
        };
        let sign = usize::from(rest.starts_with('-'));
        let mut end = sign + digits(rest.get(sign..)?);
        if let Some(exponent) = rest.get(end..).and_then(|text| text.strip_prefix('e')) {
            let sign = usize::from(exponent.starts_with('-'));
            let more = digits(exponent.get(sign..)?);
            end += if more == 0 { 0 } else { 1 + sign + more };
        }
        // A range such as `1..2` holds two numbers.
        let text = rest.get(..end)?;
        let text = text.split_once("..").map_or(text, |(low, _)| low);
        let value = text.parse().ok()?;
        self.take(text.len());
        Some(value)
    }

    /// Everything up to the sign that closes what has been opened; both are read, the sign is not given.
    pub fn until_closed(&mut self, open: char, close: char) -> Result<&'a str, Mistake> {
        let mut depth = 1;
        for (at, letter) in self.rest().char_indices() {
            depth += i32::from(letter == open) - i32::from(letter == close);
            if depth == 0 {
                let inside = self.take(at);
                self.take(close.len_utf8());
                return Ok(inside);
            }
        }
        self.mistake(format!("`{close}` is missing"))
    }

    /// Everything up to this text, which is read, too, if the line has it.
    pub fn until(&mut self, text: &str) -> Option<&'a str> {
        let end = self.rest().find(text)?;
        let before = self.take(end);
        self.take(text.len());
        Some(before)
    }
}

/// A sign between two operands, and what it makes of them.
pub type Sign<T> = (&'static [&'static str], fn(T, T, &Cursor<'_>) -> Result<T, Mistake>);

/// Operands with signs between them, joined from the left.
pub fn chain<'a, T>(
    cursor: &mut Cursor<'a>,
    signs: &[Sign<T>],
    operand: impl Fn(&mut Cursor<'a>) -> Result<T, Mistake>,
) -> Result<T, Mistake> {
    let mut all = operand(cursor)?;
    loop {
        cursor.skip_spaces();
        let sign = *cursor;
        let Some((_, join)) = signs.iter().find(|(texts, _)| texts.iter().any(|text| cursor.eat(text)))
        else {
            return Ok(all);
        };
        all = join(all, operand(cursor)?, &sign)?;
    }
}
