//! Numbers become text: significant digits follow the interval; IEC for sizes, SI for rates.

use crate::Quantity;
use crate::digits::{MINUS, decimals, fixed, trimmed};
use std::time::Duration;

/// Text for NaN and infinity.
const UNDEFINED: &str = "undefined";
/// A count above this is no longer read digit by digit.
const LARGEST_PLAIN_COUNT: f64 = 1e15;
/// Shares below this are said to be below it.
const SMALLEST_SHARE: f64 = 1e-4;

const LATENCY: &[(&str, f64)] = &[("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
const BANDWIDTH: &[(&str, f64)] = &[("B/s", 1.0), ("kB/s", 1e3), ("MB/s", 1e6), ("GB/s", 1e9)];
const FREQUENCY: &[(&str, f64)] = &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)];
const SIZE: &[(&str, f64)] = &[
    ("B", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
    ("PiB", 1_125_899_906_842_624.0),
    ("EiB", 1_152_921_504_606_846_976.0),
];

/// The units of a quantity, from its base unit up; empty when it has none.
fn units(quantity: Quantity) -> &'static [(&'static str, f64)] {
    match quantity {
        Quantity::Latency => LATENCY,
        Quantity::Bandwidth => BANDWIDTH,
        Quantity::Size => SIZE,
        Quantity::Frequency => FREQUENCY,
        Quantity::Count | Quantity::Ratio => &[],
    }
}

/// The largest unit of which the value has at least one once it is rounded, its size in base units, and
/// the decimals that the value gets in it.
fn scale(
    value: f64,
    half_width: Option<f64>,
    units: &'static [(&'static str, f64)],
) -> (&'static str, f64, usize) {
    let mut chosen: (&str, f64, usize) = ("", 1.0, 0);
    for &(name, one) in units {
        let step = 10f64.powi(chosen.2 as i32);
        let rounded = (value.abs() / chosen.1 * step).round() / step * chosen.1;
        if !chosen.0.is_empty() && rounded < one {
            break;
        }
        chosen = (name, one, decimals(value / one, half_width.map(|half| half / one)));
    }
    chosen
}

/// The text of a value kept in the base unit of its quantity.
///
/// Significant digits follow `half_width`, half the width of its interval in the same unit; without one
/// there are three. Sizes without an interval lose the zeros at their end, whole counts are shown whole.
/// A ratio of at most 1 is a share in percent, a larger one a factor.
pub fn show(value: f64, half_width: Option<f64>, quantity: Quantity) -> String {
    if !value.is_finite() {
        return UNDEFINED.to_owned();
    }
    match quantity {
        Quantity::Count => count(value, half_width),
        Quantity::Ratio if value.abs() <= 1.0 => {
            let half = half_width.map(|half| half * 100.0);
            format!("{} %", fixed(value * 100.0, decimals(value * 100.0, half)))
        }
        Quantity::Ratio => format!("{}×", fixed(value, decimals(value, half_width))),
        _ => {
            let (unit, one, places) = scale(value, half_width, units(quantity));
            let text = fixed(value / one, places);
            let exact = quantity == Quantity::Size && half_width.is_none();
            format!("{} {unit}", if exact { trimmed(&text) } else { &text })
        }
    }
}

fn count(value: f64, half_width: Option<f64>) -> String {
    if value.abs() > LARGEST_PLAIN_COUNT {
        return format!("{value:.2e}");
    }
    let whole = value.fract() == 0.0 && half_width.is_none();
    fixed(value, if whole { 0 } else { decimals(value, half_width) })
}

/// The text of an interval, both ends in one unit: `1.23–1.27 µs`. An end that would have no digit in it has its own: `26.0 µs–1.30 ms`.
pub fn show_interval(low: f64, high: f64, quantity: Quantity) -> String {
    if !low.is_finite() || !high.is_finite() {
        return UNDEFINED.to_owned();
    }
    let half = Some((high - low) / 2.0);
    let between = if low < 0.0 { " to " } else { "–" };
    let largest = low.abs().max(high.abs());
    let (unit, one, places) = match quantity {
        Quantity::Ratio if largest <= 1.0 => ("%", 0.01, decimals(largest * 100.0, half.map(|h| h * 100.0))),
        Quantity::Ratio => ("×", 1.0, decimals(largest, half)),
        Quantity::Count => ("", 1.0, decimals(largest, half)),
        _ => scale(largest, half, units(quantity)),
    };
    let space = if unit.is_empty() || unit == "×" { "" } else { " " };
    let (low_text, high_text) = (fixed(low / one, places), fixed(high / one, places));
    if low > 0.0 && !low_text.contains(|digit| ('1'..='9').contains(&digit)) {
        let [low, high] = [low, high].map(|end| show(end, Some(end / 10.0), quantity));
        return format!("{low}–{high}");
    }
    format!("{low_text}{between}{high_text}{space}{unit}")
}

const CYCLES: &[(&str, f64)] = &[("cyc", 1.0), ("kcyc", 1e3), ("Mcyc", 1e6), ("Gcyc", 1e9)];

/// The text of a number of cycles of a core: `9.39 kcyc`. Digits as by [`show`].
pub fn show_cycles(cycles: f64, half_width: Option<f64>) -> String {
    if !cycles.is_finite() {
        return UNDEFINED.to_owned();
    }
    let (unit, one, places) = scale(cycles, half_width, CYCLES);
    format!("{} {unit}", fixed(cycles / one, places))
}

/// The text of a share: `0.012` becomes `1.2 %`. Two significant digits, whole from 10 % on.
pub fn show_percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if !fraction.is_finite() {
        UNDEFINED.to_owned()
    } else if fraction != 0.0 && fraction.abs() < SMALLEST_SHARE {
        let (sign, minus) = if fraction.is_sign_negative() { (">", "−") } else { ("<", "") };
        format!("{sign} {minus}0.01 %")
    } else {
        let places = decimals(percent, None).saturating_sub(1);
        format!("{} %", trimmed(&fixed(percent, places)))
    }
}

/// The text of how far a value may be off, as a share of it: `2.96 %` becomes `3 %`, and `3.04 %` becomes `3.1 %`. Digits
/// as by [`show_percent`], but rounded up, so that no interval reads narrower than it is: what is wider than 3 % never
/// reads as 3 %.
pub fn show_half_width(fraction: f64) -> String {
    /// What a number that is written exactly may be off after the arithmetic that made it.
    const NOISE: f64 = 1e-9;
    let percent = fraction.abs() * 100.0;
    let step = 10f64.powi(decimals(percent, None).saturating_sub(1) as i32);
    let up = (percent * step * (1.0 - NOISE)).ceil() / step;
    show_percent(up / 100.0)
}

/// The text of a factor: `1.03×`. At most three significant digits, at most two decimals from 0.1 on.
pub fn show_ratio(factor: f64) -> String {
    if !factor.is_finite() {
        return UNDEFINED.to_owned();
    }
    let places = decimals(factor, None);
    let places = if factor.abs() < 0.1 { places.saturating_sub(1) } else { places.min(2) };
    format!("{}×", fixed(factor, places))
}

/// Beyond half or double, a change is read as a factor.
const READ_AS_PERCENT: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// The text of a change by a factor: `+3.1 %`, `−12 %`, `2.41×`, `0.31×`.
pub fn show_change(factor: f64) -> String {
    if !READ_AS_PERCENT.contains(&factor) {
        return show_ratio(factor);
    }
    let percent = show_percent(factor - 1.0);
    if factor > 1.0 && !percent.starts_with('<') { format!("+{percent}") } else { percent }
}

/// The text of an amount of memory or storage: `64 KiB`.
pub fn show_bytes(bytes: crate::Bytes) -> String {
    show(bytes.bytes() as f64, None, Quantity::Size)
}

/// A size as the value of a parameter: exact, in the largest unit that divides it: `64KiB`, `1536KiB`, `1472B`, `0B`.
pub fn exact_size(bytes: crate::Bytes) -> String {
    let whole = |(unit, one): &(&str, f64)| {
        let one = *one as u64;
        let divides = bytes.bytes() > 0 && bytes.bytes().is_multiple_of(one);
        divides.then(|| format!("{}{unit}", bytes.bytes() / one))
    };
    SIZE.iter().rev().find_map(whole).unwrap_or_else(|| "0B".to_owned())
}

/// A duration in the two units that matter: `1 min 20 s`, `8.2 s`, `350 ms`.
pub fn duration_words(duration: Duration) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    let nanos = duration.as_nanos() as f64;
    if nanos < 0.9995e9 {
        let (unit, one, places) = scale(nanos, None, LATENCY);
        return format!("{} {unit}", trimmed(&fixed(nanos / one, places)));
    }
    let seconds = duration.as_secs_f64().round() as u64;
    if duration.as_secs_f64() < 9.95 {
        let text = fixed(duration.as_secs_f64(), 1);
        return format!("{} s", trimmed(&text));
    }
    match seconds {
        0..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => two(seconds, MINUTE, "min", 1, "s"),
        HOUR..DAY => two(seconds, HOUR, "h", MINUTE, "min"),
        _ => two(seconds, DAY, "d", HOUR, "h"),
    }
}

fn two(seconds: u64, large: u64, large_name: &str, small: u64, small_name: &str) -> String {
    let rounded = (seconds + small / 2) / small * small;
    let (whole, rest) = (rounded / large, rounded % large / small);
    if rest == 0 {
        format!("{whole} {large_name}")
    } else {
        format!("{whole} {large_name} {rest} {small_name}")
    }
}

/// Takes the texts of this module back to plain decimals, for parsing.
pub(crate) fn plain_digits(text: &str) -> String {
    text.chars()
        .filter(|&letter| letter != crate::digits::THIN_SPACE)
        .map(|letter| if letter == MINUS { '-' } else { letter })
        .collect()
}
