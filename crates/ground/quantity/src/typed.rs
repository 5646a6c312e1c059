//! A value that a person typed with its unit: a time, a rate, a size, a count or a share.

use crate::figure::number_end;
use crate::{ParseError, Quantity, Scale, parse_bytes, parse_printed, parse_unit};

/// What a value of each kind is called, and what a good one looks like.
fn described(quantity: Quantity) -> (&'static str, &'static str) {
    match quantity {
        Quantity::Latency => ("a time", "a time, such as \"4 µs\" or \"120 ns\""),
        Quantity::Bandwidth => ("a rate", "a rate, such as \"3.2 GB/s\" or \"10 Gbit/s\""),
        Quantity::Size => ("a size", "a size, such as \"48 KiB\""),
        Quantity::Frequency => ("a frequency", "a frequency, such as \"2.4 GHz\""),
        Quantity::Count => ("a count", "a plain number, such as \"12\""),
        Quantity::Ratio => ("a share", "a share or a factor, such as \"5 %\" or \"1.3x\""),
    }
}

/// What a good value of each kind looks like, for messages.
pub fn example(quantity: Quantity) -> &'static str {
    described(quantity).1
}

/// A value of this kind in its base unit (nanoseconds, bytes per second, bytes, hertz, things, a factor).
///
/// # Errors
/// When it is not a number, negative, has no unit where it needs one, or the unit of another kind.
pub fn parse_value(text: &str, quantity: Quantity) -> Result<f64, ParseError> {
    let text = text.trim();
    let wrong = |why: String| Err(ParseError(format!("{why}; write {}", example(quantity))));
    let (number, unit) = text.split_at(number_end(text));
    let unit = unit.trim().trim_end_matches('×');
    let Some(number) = parse_printed(number) else {
        return wrong(format!("`{text}` does not begin with a number"));
    };
    if number.value < 0.0 {
        return wrong(format!("`{text}` is negative"));
    }
    let plain = matches!(quantity, Quantity::Count | Quantity::Ratio);
    if unit.is_empty() {
        return if plain { Ok(number.value) } else { wrong(format!("`{text}` has no unit")) };
    }
    if quantity == Quantity::Size {
        return match parse_bytes(text) {
            Ok(size) => Ok(size.bytes() as f64),
            Err(error) => wrong(error.0.split(';').next().unwrap_or_default().to_owned()),
        };
    }
    let found = parse_unit(unit);
    match found.map(|found| (found.quantity, found.scale)) {
        Some((kind, Scale::Times(one))) if kind == quantity && quantity == Quantity::Latency => {
            // Units of time are given in seconds.
            Ok(number.value * (one * 1e9))
        }
        Some((kind, Scale::Times(one))) if kind == quantity => Ok(number.value * one),
        Some((_, Scale::Cycles)) => {
            wrong(format!("`{text}` is in cycles, and the clock of the core is not known in advance"))
        }
        Some((kind, _)) => {
            wrong(format!("`{text}` is {}, not the quantity that is measured", described(kind).0))
        }
        None => wrong(format!("`{unit}` in `{text}` is not a unit")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_come_in_their_base_unit() {
        for (text, quantity, value) in [
            ("4 µs", Quantity::Latency, 4000.0),
            ("4us", Quantity::Latency, 4000.0),
            ("1.5e3 ns", Quantity::Latency, 1500.0),
            ("0.2 s", Quantity::Latency, 2e8),
            ("3.2 GB/s", Quantity::Bandwidth, 3.2e9),
            ("10 Gbit/s", Quantity::Bandwidth, 1.25e9),
            ("48 KiB", Quantity::Size, 49_152.0),
            ("2.4 GHz", Quantity::Frequency, 2.4e9),
            ("12", Quantity::Count, 12.0),
            ("5 %", Quantity::Ratio, 0.05),
            ("1.3x", Quantity::Ratio, 1.3),
            ("1.3×", Quantity::Ratio, 1.3),
        ] {
            let parsed = parse_value(text, quantity).unwrap();
            assert!((parsed / value - 1.0).abs() < 1e-9, "{text}: {parsed}");
        }
        assert_eq!(parse_value("0 ns", Quantity::Latency), Ok(0.0));
    }

    #[test]
    fn refusals_say_what_is_wrong_and_what_is_right() {
        for (text, quantity, says) in [
            ("100", Quantity::Latency, "has no unit; write a time"),
            ("3 GB/s", Quantity::Latency, "is a rate"),
            ("3 µs", Quantity::Bandwidth, "is a time"),
            ("about 4 µs", Quantity::Latency, "does not begin with a number"),
            ("", Quantity::Latency, "does not begin with a number"),
            ("1,5 µs", Quantity::Latency, "does not begin with a number"),
            ("-4 µs", Quantity::Latency, "is negative"),
            ("−4 µs", Quantity::Latency, "is negative"),
            ("300 cycles", Quantity::Latency, "is in cycles"),
            ("4 parsecs", Quantity::Latency, "`parsecs`"),
            ("4 Mb", Quantity::Size, "may mean bits"),
            ("4 ns", Quantity::Size, "not a unit of size"),
            ("4 ns", Quantity::Count, "is a time"),
        ] {
            let error = parse_value(text, quantity).unwrap_err().0;
            assert!(error.contains(says) && error.contains("; write a"), "{error}");
        }
    }
}
