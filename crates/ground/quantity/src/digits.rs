//! How many digits a number is worth, and the digits themselves.

/// Digits of a number whose interval nobody knows.
const PLAIN_DIGITS: i32 = 3;
/// No number is shown with more digits: a narrower interval than that says more about the clock than
/// about the machine.
const MAX_DIGITS: i32 = 6;
/// No number with an interval is shown with more decimals, unless it needs them for its first digits.
const MAX_DECIMALS: i32 = 4;
/// Digits of a number too small for that many decimals: a number that is not nothing never looks like it.
const MIN_DIGITS: i32 = 2;
/// No number is shown with more decimals: the slope of a sweep over bytes may need this many.
const MAX_PLAIN_DECIMALS: i32 = 8;
/// Groups digits in threes without being mistaken for a decimal mark.
pub(crate) const THIN_SPACE: char = '\u{2009}';
/// The minus sign proper: as wide as a digit, never taken for a hyphen.
pub(crate) const MINUS: char = '−';

/// The power of ten of the first significant digit; 0 for zero.
fn magnitude(value: f64) -> i32 {
    if value == 0.0 {
        return 0;
    }
    value.abs().log10().floor() as i32
}

/// Decimals after which a digit of `value` would claim more than its interval allows.
///
/// The last digit shown is the second significant digit of the half width when that begins with 1 or 2,
/// the first otherwise. Without an interval the value gets three significant digits.
pub(crate) fn decimals(value: f64, half_width: Option<f64>) -> usize {
    let (wanted, most) = match half_width {
        Some(half) if half.is_finite() && half > 0.0 => {
            let first = magnitude(half);
            let leading = half / 10f64.powi(first);
            // Just below 3, so that a 3 that became 2.9999 on the way counts as 3.
            let by_interval = if leading < 2.999 { 1 - first } else { -first };
            let first_digits = MIN_DIGITS - 1 - magnitude(value);
            let most = first_digits.clamp(MAX_DECIMALS, MAX_PLAIN_DECIMALS);
            (by_interval.min(MAX_DIGITS - 1 - magnitude(value)), most)
        }
        // What rounds up to a power of ten has its magnitude: 9.996 is 10.0, not 10.00.
        _ => (PLAIN_DIGITS - 1 - magnitude(value * 1.0005), MAX_PLAIN_DECIMALS),
    };
    wanted.clamp(0, most) as usize
}

/// The number with `decimals` decimals, a true minus sign, no negative zero, and thin groups from five
/// digits on.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    if value < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        out.push(MINUS);
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && whole.len() > 4 && (whole.len() - index).is_multiple_of(3) {
            out.push(THIN_SPACE);
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Without zeros at the end of its decimals.
pub(crate) fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_follow_the_half_width() {
        assert_eq!(decimals(112.345, Some(0.15)), 2);
        assert_eq!(decimals(112.345, Some(0.3)), 1);
        assert_eq!(decimals(112.345, Some(2.9)), 1);
        assert_eq!(decimals(112.345, Some(2.999)), 0);
        assert_eq!(decimals(112.345, Some(40.0)), 0);
        assert_eq!(decimals(3.9, Some(2.0)), 1);
    }

    #[test]
    fn without_an_interval_three_digits() {
        for (value, expected) in [(112.3, 0), (11.2, 1), (1.12, 2), (0.112, 3), (0.0, 2), (0.000_01, 7)] {
            assert_eq!(decimals(value, None), expected, "{value}");
            assert_eq!(decimals(value, Some(0.0)), expected, "{value}");
            assert_eq!(decimals(value, Some(f64::NAN)), expected, "{value}");
        }
    }

    #[test]
    fn small_numbers_keep_two_digits() {
        assert_eq!(decimals(0.000_081_3, Some(4e-6)), 6);
        assert_eq!(decimals(0.000_081_3, Some(4e-9)), 6);
        assert_eq!(decimals(0.001_23, Some(1e-6)), 4);
        assert_eq!(decimals(0.000_081_3, Some(0.5)), 1);
        assert_eq!(decimals(1e-12, Some(1e-14)), 8);
        assert_eq!(decimals(0.0, Some(1e-9)), 4);
    }

    #[test]
    fn no_more_than_six_digits() {
        assert_eq!(decimals(112.345, Some(1e-9)), 3);
    }

    #[test]
    fn signs_and_groups() {
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(fixed(-0.06, 1), "−0.1");
        assert_eq!(fixed(1234.0, 0), "1234");
        assert_eq!(fixed(12345.5, 1), "12\u{2009}345.5");
        assert_eq!(fixed(1_234_567.0, 0), "1\u{2009}234\u{2009}567");
        assert_eq!(trimmed("1.50"), "1.5");
        assert_eq!(trimmed("4.00"), "4");
        assert_eq!(trimmed("400"), "400");
    }
}
