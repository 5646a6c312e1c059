//! Figures as other people print them: a number with the digits that it was given, in a unit that it was given.

use crate::Quantity;
use crate::text::plain_digits;

/// Exponents beyond this are no measurement's.
const LARGEST_EXPONENT: i32 = 300;

/// A number as it was printed: its value and its precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Printed {
    /// The number.
    pub value: f64,
    /// One unit of its last digit; trailing zeros of a whole number are not significant: 1 for `42`, 100 for `200`.
    pub step: f64,
    /// One unit of its last place, zeros counted: 1 for `200`.
    pub place: f64,
    /// Digits that count: 2 for `0.042`, 1 for `200`, 3 for `2.00`.
    pub digits: u32,
}

/// A number as it stands in a table: `1.48E+06`, `−0.5`, `12 345.6`; `None` when it is none.
pub fn parse_printed(text: &str) -> Option<Printed> {
    let plain: String = plain_digits(text.trim()).chars().filter(|letter| *letter != ' ').collect();
    let value: f64 = plain.parse().ok()?;
    if !value.is_finite() || !plain.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let lower = plain.to_ascii_lowercase();
    let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.abs() <= LARGEST_EXPONENT)?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let decimals = i32::try_from(fraction.len()).ok()?;
    let all: String = whole.chars().chain(fraction.chars()).filter(char::is_ascii_digit).collect();
    let significant = all.trim_start_matches('0');
    let idle =
        if mantissa.contains('.') { 0 } else { significant.len() - significant.trim_end_matches('0').len() };
    let place = 10f64.powi(exponent - decimals);
    Some(Printed {
        value,
        step: place * 10f64.powi(i32::try_from(idle).ok()?),
        place,
        digits: u32::try_from(significant.len() - idle).ok()?,
    })
}

/// What a printed unit counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// This many base units (seconds, bytes per second, bytes, things) each.
    Times(f64),
    /// The number is the binary logarithm of the number of base units.
    Log2(f64),
    /// Cycles of a clock that the unit does not tell.
    Cycles,
}

/// A unit as it was printed: the kind of its quantity and its scale, to seconds, bytes per second or bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublishedUnit {
    /// What it measures.
    pub quantity: Quantity,
    /// How it leads to base units.
    pub scale: Scale,
    /// Whether it is per something: per block, per byte.
    pub per_part: bool,
}

/// What a time can be per and still be that of one operation.
const OF_ONE: [&str; 9] =
    ["op", "call", "iter", "iteration", "access", "load", "switch", "event", "operation"];

/// What programs count in a second, and the short names of such rates.
const EVENTS: &str = "op ops operation operations bogo_ops call calls event events req reqs request requests tran trans \
    transaction transactions query queries item items iteration iterations loop loops io ios message messages msg msgs \
    packet packets switch switches page pages lookup lookups command commands fork forks";
const RATES: &str = "tps qps rps iops lps";

/// Reads a unit: `ns`, `us/block`, `MB/s`, `Gbits/sec`, `Gbps`, `ns/op`, `op/s`, `tps`, `log2 KB`, `cycles`, `bytes/ns`, `%`.
///
/// `Mb/s` is megabits, `MB` is 10⁶ bytes, `KB` alone is 1024 bytes where it stands under a logarithm: no cache
/// is a power of two times a thousand.
pub fn parse_unit(text: &str) -> Option<PublishedUnit> {
    let text = text.trim().replace(['µ', 'μ'], "u");
    let unit = |quantity, scale| PublishedUnit { quantity, scale, per_part: false };
    if let Some(size) = text.strip_prefix("log2 ") {
        return self::size(size, 1024.0).map(|one| unit(Quantity::Size, Scale::Log2(one)));
    }
    match text.as_str() {
        "cycles" | "cycle" | "cyc" | "ticks" | "clocks" | "clk" => {
            return Some(unit(Quantity::Latency, Scale::Cycles));
        }
        "bytes_per_s" => return Some(unit(Quantity::Bandwidth, Scale::Times(1.0))),
        "%" => return Some(unit(Quantity::Ratio, Scale::Times(0.01))),
        "ratio" | "1" | "x" => return Some(unit(Quantity::Ratio, Scale::Times(1.0))),
        "Hz" => return Some(unit(Quantity::Frequency, Scale::Times(1.0))),
        "kHz" => return Some(unit(Quantity::Frequency, Scale::Times(1e3))),
        "MHz" => return Some(unit(Quantity::Frequency, Scale::Times(1e6))),
        "GHz" => return Some(unit(Quantity::Frequency, Scale::Times(1e9))),
        _ => {}
    }
    if let Some(time) = time(&text) {
        return Some(unit(Quantity::Latency, Scale::Times(time)));
    }
    if let Some(size) = size(&text, 1000.0) {
        return Some(unit(Quantity::Size, Scale::Times(size)));
    }
    if let Some(rate) = events(&text) {
        return Some(unit(Quantity::Frequency, Scale::Times(rate)));
    }
    // `Gbps` and `MBps` are `Gb/s` and `MB/s`.
    let per_second = text.strip_suffix("ps").map(|amount| (amount, "s"));
    let (above, below) = text.split_once('/').or(per_second)?;
    match (time(above), amount(above), time(below)) {
        (Some(one), _, _) => Some(PublishedUnit {
            quantity: Quantity::Latency,
            scale: Scale::Times(one),
            per_part: !OF_ONE.contains(&below),
        }),
        (None, Some(bytes), Some(seconds)) => Some(unit(Quantity::Bandwidth, Scale::Times(bytes / seconds))),
        _ => None,
    }
}

/// Events in a second: `op/s`, `k requests/sec`, `events per second`, `tps`, `1/s`.
fn events(unit: &str) -> Option<f64> {
    let has = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let lower = unit.to_ascii_lowercase().replace("_per_", "/").replace(" per ", "/");
    if has(RATES, &lower) {
        return Some(1.0);
    }
    let (above, below) = lower.split_once('/')?;
    let (factor, event) = match above.trim().split_once(' ') {
        Some(("k", event)) => (1e3, event),
        Some(("m", event)) => (1e6, event),
        _ => (1.0, above.trim()),
    };
    let is_event = event.is_empty() || event == "1" || has(EVENTS, &event.replace(' ', "_"));
    time(below).filter(|_| is_event).map(|seconds| factor / seconds)
}

fn time(unit: &str) -> Option<f64> {
    match unit.to_ascii_lowercase().as_str() {
        "ps" => Some(1e-12),
        "ns" | "nsec" | "nsecs" | "nanosecond" | "nanoseconds" => Some(1e-9),
        "us" | "usec" | "usecs" | "microsecond" | "microseconds" => Some(1e-6),
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => Some(1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        _ => None,
    }
}

/// Bytes, or bits when the letter is small.
fn amount(unit: &str) -> Option<f64> {
    let bits = || ["bits", "bit", "b"].iter().find_map(|end| unit.strip_suffix(end));
    size(unit, 1000.0).or_else(|| power(bits()?, 1000.0).map(|bits| bits / 8.0))
}

/// Bytes in a unit whose prefixes are powers of `plain` unless an `i` makes them binary.
fn size(unit: &str, plain: f64) -> Option<f64> {
    if let Some(stem) = unit.strip_suffix("iB") {
        return power(stem, 1024.0).filter(|_| !stem.is_empty());
    }
    // `MBytes`, as iperf writes it.
    let ends = ["Bytes", "Byte", "bytes", "byte", "B"];
    ends.iter().find_map(|end| unit.strip_suffix(end)).and_then(|stem| power(stem, plain))
}

fn power(letter: &str, one: f64) -> Option<f64> {
    let at = match letter {
        "" => 0,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return None,
    };
    Some(one.powi(at))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_keep_the_digits_they_were_given() {
        for (text, value, step, digits) in [
            ("200", 200.0, 100.0, 1),
            ("6625", 6625.0, 1.0, 4),
            ("0.0306", 0.0306, 1e-4, 3),
            ("1.48E+06", 1.48e6, 1e4, 3),
            ("7.10", 7.1, 0.01, 3),
            ("-0.5", -0.5, 0.1, 1),
            ("−0.5", -0.5, 0.1, 1),
            ("0", 0.0, 1.0, 0),
            (" 12\u{2009}345.6 ", 12345.6, 0.1, 6),
        ] {
            let printed = parse_printed(text).unwrap();
            assert_eq!((printed.value, printed.digits), (value, digits), "{text}");
            assert!((printed.step / step - 1.0).abs() < 1e-9, "{text}: {printed:?}");
        }
        for text in ["", "20..100", "inf", "NaN", "about 7", "-", "1e999", "99999999999e300", "e"] {
            assert_eq!(parse_printed(text), None, "{text}");
        }
    }

    #[test]
    fn units_lead_to_base_units() {
        for (text, quantity, scale) in [
            ("ps", Quantity::Latency, Scale::Times(1e-12)),
            ("ns", Quantity::Latency, Scale::Times(1e-9)),
            ("µs", Quantity::Latency, Scale::Times(1e-6)),
            ("msecs", Quantity::Latency, Scale::Times(1e-3)),
            ("us/block", Quantity::Latency, Scale::Times(1e-6)),
            ("s/GB", Quantity::Latency, Scale::Times(1.0)),
            ("cycles", Quantity::Latency, Scale::Cycles),
            ("MB/s", Quantity::Bandwidth, Scale::Times(1e6)),
            ("Mb/s", Quantity::Bandwidth, Scale::Times(125_000.0)),
            ("Gbit/s", Quantity::Bandwidth, Scale::Times(1.25e8)),
            ("GiB/s", Quantity::Bandwidth, Scale::Times(1_073_741_824.0)),
            ("bytes_per_s", Quantity::Bandwidth, Scale::Times(1.0)),
            ("log2 KB", Quantity::Size, Scale::Log2(1024.0)),
            ("log2 bytes", Quantity::Size, Scale::Log2(1.0)),
            ("GB", Quantity::Size, Scale::Times(1e9)),
            ("TB", Quantity::Size, Scale::Times(1e12)),
            ("b/s", Quantity::Bandwidth, Scale::Times(0.125)),
            ("MHz", Quantity::Frequency, Scale::Times(1e6)),
            ("kHz", Quantity::Frequency, Scale::Times(1e3)),
            ("Hz", Quantity::Frequency, Scale::Times(1.0)),
            ("%", Quantity::Ratio, Scale::Times(0.01)),
            ("usec", Quantity::Latency, Scale::Times(1e-6)),
            ("usecs/op", Quantity::Latency, Scale::Times(1e-6)),
            ("ns/op", Quantity::Latency, Scale::Times(1e-9)),
            ("Gbps", Quantity::Bandwidth, Scale::Times(1.25e8)),
            ("MB/sec", Quantity::Bandwidth, Scale::Times(1e6)),
            ("MBps", Quantity::Bandwidth, Scale::Times(1e6)),
            ("Gbits/sec", Quantity::Bandwidth, Scale::Times(1.25e8)),
            ("MBytes/sec", Quantity::Bandwidth, Scale::Times(1e6)),
            ("GBytes", Quantity::Size, Scale::Times(1e9)),
            ("op/s", Quantity::Frequency, Scale::Times(1.0)),
            ("k ops/sec", Quantity::Frequency, Scale::Times(1e3)),
            ("bogo ops/s", Quantity::Frequency, Scale::Times(1.0)),
            ("events per second", Quantity::Frequency, Scale::Times(1.0)),
            ("Tran/s", Quantity::Frequency, Scale::Times(1.0)),
            ("requests/ms", Quantity::Frequency, Scale::Times(1e3)),
            ("TPS", Quantity::Frequency, Scale::Times(1.0)),
            ("1/s", Quantity::Frequency, Scale::Times(1.0)),
        ] {
            let unit = parse_unit(text).unwrap();
            assert_eq!((unit.quantity, unit.scale), (quantity, scale), "{text}");
        }
        let rate = parse_unit("bytes/ns").unwrap();
        assert!(matches!(rate.scale, Scale::Times(one) if (one / 1e9 - 1.0).abs() < 1e-9));
        assert!(parse_unit("us/block").unwrap().per_part && !parse_unit("ns/op").unwrap().per_part);
        for text in ["", "apples", "counts per 10 s", "Qb/s", "/", "b", "apples/s", "op/block"] {
            assert_eq!(parse_unit(text), None, "{text}");
        }
    }
}
