//! What sections of the reports say of their methods, word for word, and whether a number stands in a section.

use crate::data::{ReferenceError, rows};
use crate::{Figure, figures};
use serde::Deserialize;
use std::sync::LazyLock;

/// A part of a sentence of a report.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Quote {
    /// The report.
    pub report: String,
    /// The section, or the beginning of what the figures call it.
    pub section: String,
    /// The words, as printed.
    pub quote: String,
}

/// Every quote, in the order of the reports.
///
/// # Errors
/// When the data that the program carries cannot be read.
pub fn quotes() -> Result<Vec<Quote>, ReferenceError> {
    rows(include_str!("../data/quotes.csv"))
}

/// Whether a report has a number in a section, or in a part of it: in a figure or a quote, with the same or with more digits,
/// and with as many zeros as its unit makes.
pub fn has_number(report: &str, pointer: &str, number: &str) -> bool {
    static FIGURES: LazyLock<Vec<Figure>> = LazyLock::new(|| figures().unwrap_or_default());
    static QUOTES: LazyLock<Vec<Quote>> = LazyLock::new(|| quotes().unwrap_or_default());
    let is_there = |of: &str, section: &str| of == report && is_within(section, pointer);
    let in_figure = |figure: &Figure| {
        let printed = [
            figure.base_hardware,
            figure.software_overhead,
            figure.predicted,
            figure.measured,
            figure.deviation,
            figure.minimum,
            figure.maximum,
        ];
        printed.iter().flatten().any(|value| is_same(*value, number)) || has_text(&figure.parameter, number)
    };
    FIGURES.iter().filter(|figure| is_there(&figure.report, &figure.section)).any(in_figure)
        || QUOTES
            .iter()
            .any(|quote| is_there(&quote.report, &quote.section) && has_text(&quote.quote, number))
}

/// Whether a section is the one that a pointer names, or a part of it.
fn is_within(section: &str, pointer: &str) -> bool {
    section.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '.']))
}

fn has_text(text: &str, number: &str) -> bool {
    numbers(text).filter_map(|found| found.parse().ok()).any(|value: f64| is_same(value, number))
}

/// The numbers of a text, without the spaces or commas between groups of three digits. What follows a letter is part of a name:
/// `E05`, `R3`, `-O0`, `0x80`.
pub fn numbers(text: &str) -> impl Iterator<Item = String> {
    let joined = joined_groups(text);
    let mut found = Vec::new();
    let mut rest = joined.as_str();
    let mut is_name = false;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() { number_length(rest) } else { first.len_utf8() };
        let (word, after) = rest.split_at(length);
        let is_hexadecimal = word == "0" && after.starts_with('x');
        if first.is_ascii_digit() && !is_name && !is_hexadecimal {
            found.push(word.to_owned());
        }
        is_name = first.is_alphabetic() || first == '_' || is_hexadecimal;
        rest = after;
    }
    found.into_iter()
}

/// The length of the number with which a text begins: `12`, `1.5`, `1.94e16`.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len())
    };
    let continues = |at: usize, sign: char| {
        let mut rest = text.get(at..).unwrap_or_default().chars();
        rest.next() == Some(sign) && rest.next().is_some_and(|next| next.is_ascii_digit())
    };
    let mut end = digits(0);
    if continues(end, '.') {
        end = digits(end + 1);
    }
    if continues(end, 'e') { digits(end + 1) } else { end }
}

/// A text without the spaces and commas that stand between a digit and a group of three.
fn joined_groups(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let is_between =
        |at: usize| at > 0 && digit(at - 1) && (1..=3).all(|next| digit(at + next)) && !digit(at + 4);
    let kept =
        letters.iter().enumerate().filter(|(at, letter)| !(matches!(letter, ' ' | ',') && is_between(*at)));
    kept.map(|(_, letter)| *letter).collect()
}

/// Digits from which on a number may be rounded, or given in another unit.
const ENOUGH_DIGITS: usize = 2;

/// Whether a value is a number as it is written: the same; or with two digits or more, without zeros around them, the same when rounded to as many,
/// in this unit or one that is 1000 or 1024 times as large or small.
fn is_same(value: f64, number: &str) -> bool {
    let Ok(wanted) = number.parse::<f64>() else { return false };
    let digits = number.split('e').next().unwrap_or_default().replace('.', "");
    let digits = digits.trim_matches('0').len();
    let rounded = |value: f64| format!("{:.*e}", digits.saturating_sub(1), value);
    let units = || (-3..=3).flat_map(|power| [1000_f64, 1024.0].map(|unit| unit.powi(power)));
    value == wanted || digits >= ENOUGH_DIGITS && units().any(|unit| rounded(value * unit) == rounded(wanted))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_quote_stands_in_a_section_and_has_a_number() {
        for quote in quotes().unwrap() {
            assert!(crate::section(&quote.report, &quote.section).is_some(), "{quote:?}");
            assert!(numbers(&quote.quote).next().is_some(), "{quote:?}");
        }
    }

    #[test]
    fn numbers_are_not_names() {
        let found: Vec<String> =
            numbers("E05, 100 000 or 100,000 of 1.94e16 (int 0x80, -O0) in 4KB, 16 pages. A[8*k]").collect();
        assert_eq!(found, ["100000", "100000", "1.94e16", "4", "16", "8"]);
    }

    #[test]
    fn number_is_found_in_its_section_only() {
        assert!(has_number("R0", "4.3.1", "20") && !has_number("R0", "4.3.2", "20"));
        assert!(has_number("R4", "5.3", "1.3"), "1328278 ns");
        assert!(has_number("R1", "3 Fig 11", "33") && !has_number("R1", "3 Fig 10", "33"));
        assert!(!has_number("R2", "5.2", "56") && has_number("R2", "5.2", "55"));
    }

    #[test]
    fn values_are_compared_by_the_digits_that_are_written() {
        for (value, number) in
            [(2.441667, "2.4"), (11390.0, "11"), (2097152.0, "2048"), (4.0, "4"), (1.94363e16, "1.94e16")]
        {
            assert!(is_same(value, number), "{value} {number}");
        }
        for (value, number) in
            [(4.2, "4"), (2.441667, "2.5"), (4000.0, "4"), (1.0, "1000"), (33.6437, "34.6")]
        {
            assert!(!is_same(value, number), "{value} {number}");
        }
    }
}
