//! Text that a person typed becomes a number with a unit.

use crate::Bytes;
use crate::text::plain_digits;
use std::time::Duration;

/// Why a text is no quantity: what is wrong with it, and an example of what is right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub String);

/// What a good size looks like, for messages.
const SIZE_EXAMPLE: &str = "write for example 64KiB, 1.5GiB, 10MB or 4096";
/// What a good duration looks like, for messages.
const DURATION_EXAMPLE: &str = "write for example 90s, 2m, 1m30s or 500ms";
/// What a good share looks like, for messages.
const PERCENT_EXAMPLE: &str = "write for example 3% or 0.5%";

/// Larger sizes are typing errors: 1 EiB is more than any machine has.
const LARGEST_SIZE: f64 = (1u64 << 60) as f64;
/// Longer durations are typing errors.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);
/// A duration has no more parts than there are units.
const MAX_PARTS: usize = 7;

fn error<T>(message: String) -> Result<T, ParseError> {
    Err(ParseError(message))
}

/// Splits a non-negative decimal number off the front.
fn number<'a>(text: &'a str, whole: &str, example: &str) -> Result<(f64, &'a str), ParseError> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() && text.starts_with('-') {
        return error(format!("`{whole}` is negative; {example}"));
    }
    match digits.parse::<f64>() {
        Ok(value) => Ok((value, rest.trim_start())),
        Err(_) => error(format!("`{whole}` does not begin with a number; {example}")),
    }
}

/// An amount of memory or storage: `64KiB`, `1.5GiB`, `4096`, `10MB`.
///
/// A bare number is bytes. A single letter is the IEC unit, as in most tools for memory: `64K` is `64KiB`.
/// `kB`, `MB`, `GB`… are powers of ten. `Mb` is refused, since it may mean bits.
///
/// # Errors
/// When it is not a number, negative, in an unknown unit, a part of a byte, or more than 1 EiB.
pub fn parse_bytes(text: &str) -> Result<Bytes, ParseError> {
    let plain = plain_digits(text.trim());
    let (value, unit) = number(&plain, text, SIZE_EXAMPLE)?;
    let Some(one) = size_unit(unit) else {
        let bits = unit.ends_with('b') && size_unit(&unit.to_uppercase()).is_some();
        let wrong = if bits {
            format!("`{unit}` in `{text}` may mean bits")
        } else {
            format!("`{unit}` in `{text}` is not a unit of size")
        };
        return error(format!("{wrong}; {SIZE_EXAMPLE}"));
    };
    let bytes = value * one;
    if bytes > LARGEST_SIZE {
        return error(format!("`{text}` is more than any machine has; {SIZE_EXAMPLE}"));
    }
    if one == 1.0 && bytes.fract() != 0.0 {
        return error(format!("`{text}` is not a whole number of bytes; {SIZE_EXAMPLE}"));
    }
    Ok(Bytes::from_bytes(bytes.round() as u64))
}

fn size_unit(unit: &str) -> Option<f64> {
    let power = |letter: &str| {
        let at = "KMGTPE".find(&letter.to_uppercase())?;
        i32::try_from(at + 1).ok()
    };
    if unit.is_empty() || unit == "B" {
        return Some(1.0);
    }
    let lower = unit.to_lowercase();
    if let Some(letter) = lower.strip_suffix("ib").filter(|letter| letter.len() == 1) {
        return Some(1024f64.powi(power(letter)?));
    }
    if let Some(letter) = unit.strip_suffix('B').filter(|letter| letter.len() == 1) {
        return Some(1000f64.powi(power(letter)?));
    }
    (unit.len() == 1).then(|| power(unit)).flatten().map(|power| 1024f64.powi(power))
}

/// A length of time: `90s`, `2m`, `1m30s`, `1h`, `500ms`, `10us`. Parts go from large to small.
///
/// # Errors
/// When a unit is missing or unknown, it is not a number, negative, out of order, or more than a year.
pub fn parse_duration(text: &str) -> Result<Duration, ParseError> {
    let plain = plain_digits(text.trim());
    let (mut rest, mut total, mut smallest) = (plain.as_str(), 0.0, f64::INFINITY);
    for _ in 0..MAX_PARTS {
        let (value, after) = number(rest, text, DURATION_EXAMPLE)?;
        let end = after
            .find(|letter: char| letter.is_ascii_digit() || letter.is_whitespace() || ".-".contains(letter))
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let seconds = duration_unit(unit, text)?;
        if seconds >= smallest {
            return error(format!("the parts of `{text}` are not from large to small; {DURATION_EXAMPLE}"));
        }
        total += value * seconds;
        smallest = seconds;
        rest = after.trim_start();
        if rest.is_empty() {
            return bounded(total, text);
        }
    }
    error(format!("`{text}` has too many parts; {DURATION_EXAMPLE}"))
}

fn bounded(seconds: f64, text: &str) -> Result<Duration, ParseError> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if duration <= LONGEST => Ok(duration),
        _ => error(format!("`{text}` is more than a year; {DURATION_EXAMPLE}")),
    }
}

fn duration_unit(unit: &str, text: &str) -> Result<f64, ParseError> {
    match unit {
        "d" => Ok(86_400.0),
        "h" => Ok(3600.0),
        "m" | "min" => Ok(60.0),
        "s" => Ok(1.0),
        "ms" => Ok(1e-3),
        // The micro sign and the Greek letter are two characters that look the same.
        "us" | "µs" | "μs" => Ok(1e-6),
        "ns" => Ok(1e-9),
        "" => error(format!("`{text}` has no unit of time: add one; {DURATION_EXAMPLE}")),
        _ => error(format!("`{unit}` in `{text}` is not a unit of time; {DURATION_EXAMPLE}")),
    }
}

/// A share, as a fraction: `3%` and `3` both give 0.03.
///
/// # Errors
/// When it is not a number, or negative. A change may be more than 100 %.
pub fn parse_percent(text: &str) -> Result<f64, ParseError> {
    let plain = plain_digits(text.trim());
    let (value, unit) = number(&plain, text, PERCENT_EXAMPLE)?;
    if !unit.is_empty() && unit != "%" {
        return error(format!("`{unit}` in `{text}` is not a percent sign; {PERCENT_EXAMPLE}"));
    }
    Ok(value / 100.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("64KiB", 65_536),
            ("64K", 65_536),
            ("64k", 65_536),
            ("1.5GiB", 1_610_612_736),
            ("4096", 4096),
            ("4096 B", 4096),
            ("10MB", 10_000_000),
            ("10kB", 10_000),
            ("2mib", 2_097_152),
            ("0", 0),
            ("1E", 1 << 60),
        ] {
            assert_eq!(parse_bytes(text), Ok(Bytes::from_bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, nanos) in [
            ("90s", 90_000_000_000),
            ("2m", 120_000_000_000),
            ("1m30s", 90_000_000_000),
            ("1 min 30 s", 90_000_000_000),
            ("1h", 3_600_000_000_000),
            ("500ms", 500_000_000),
            ("10us", 10_000),
            ("10µs", 10_000),
            ("10μs", 10_000),
            ("10ns", 10),
            ("1d", 86_400_000_000_000),
            ("1.5s", 1_500_000_000),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn shares() {
        for (text, fraction) in [("3%", 0.03), ("3", 0.03), ("0.5 %", 0.005), ("100%", 1.0), ("0%", 0.0)] {
            assert_eq!(parse_percent(text), Ok(fraction), "{text}");
        }
    }

    #[test]
    fn refusals_say_what_is_wrong_and_what_is_right() {
        let wrong = |result: Result<String, ParseError>| result.expect_err("it is wrong").0;
        let size = |text: &str| wrong(parse_bytes(text).map(|size| format!("{size:?}")));
        let time = |text: &str| wrong(parse_duration(text).map(|time| format!("{time:?}")));
        let share = |text: &str| wrong(parse_percent(text).map(|share| format!("{share}")));
        for (message, part) in [
            (size("-1K"), "negative"),
            (size("−1K"), "negative"),
            (size("NaN"), "does not begin with a number"),
            (size(""), "does not begin with a number"),
            (size("1.2.3K"), "does not begin with a number"),
            (size("10Mb"), "may mean bits"),
            (size("10 apples"), "`apples`"),
            (size("1.5"), "whole number of bytes"),
            (size("10 blob"), "is not a unit of size"),
            (size("9999E"), "more than any machine has"),
            (size(&"9".repeat(400)), "more than any machine has"),
            (size("1KM"), "is not a unit of size"),
            (time("90"), "add one"),
            (time("1m30"), "add one"),
            (time("-1s"), "negative"),
            (time("1m-1s"), "negative"),
            (time("30s1m"), "from large to small"),
            (time("1s1s"), "from large to small"),
            (time("1 fortnight"), "`fortnight`"),
            (time("9999d"), "more than a year"),
            (time(&format!("{}s", "9".repeat(400))), "more than a year"),
            (time("inf"), "does not begin with a number"),
            (share("3x"), "`x`"),
            (share("-3%"), "negative"),
        ] {
            assert!(message.contains(part), "{message}");
            assert!(message.contains("; write for example"), "{message}");
        }
    }
}
