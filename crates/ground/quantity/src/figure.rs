//! A cell of a published table: a number, perhaps followed by its deviation and its unit.

use crate::{Printed, parse_printed, parse_unit};

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureCell {
    /// The number.
    pub figure: Printed,
    /// What stands behind `±`.
    pub deviation: Option<Printed>,
    /// The unit behind the number, as it is printed.
    pub unit: Option<String>,
}

/// Reads a cell: `1,234.5`, `12 us`, `3.4 GB/s`, `12 ± 0.3 ns`, `~40`, and with a decimal comma `1.234,5`. `None` when it
/// is not a number, or is followed by something other than a unit; a bound such as `<5` is not a number.
pub fn parse_figure(text: &str, decimal_comma: bool) -> Option<FigureCell> {
    let text = text.trim().trim_start_matches(['~', '≈']).trim_start();
    let (figure, rest) = leading(text, decimal_comma)?;
    let signs = ["±", "+/-", "+-"];
    let behind = signs.iter().find_map(|sign| rest.strip_prefix(sign));
    let (deviation, rest) = match behind {
        Some(behind) => {
            let (deviation, rest) = leading(behind.trim_start(), decimal_comma)?;
            (Some(deviation), rest)
        }
        None => (None, rest),
    };
    let unit = (!rest.is_empty()).then_some(rest);
    if unit.is_some_and(|unit| parse_unit(unit).is_none()) {
        return None;
    }
    Some(FigureCell { figure, deviation, unit: unit.map(str::to_owned) })
}

/// Whether a number can only be meant with a decimal comma: `3,4`, and not `1,234` or `1,234.5`.
pub fn is_decimal_comma(text: &str) -> bool {
    let number = text.get(..number_end(text)).unwrap_or_default();
    let groups: Vec<&str> = number.split(',').collect();
    match groups.as_slice() {
        [whole, fraction] => {
            let long = whole.trim_start_matches(['-', '−']).len();
            let is_group = fraction.len() == 3 && (1..=3).contains(&long) && *whole != "0";
            !(is_group || fraction.contains('.'))
        }
        _ => false,
    }
}

/// The number at the beginning, and what comes behind it.
fn leading(text: &str, decimal_comma: bool) -> Option<(Printed, &str)> {
    let (number, rest) = text.split_at_checked(number_end(text))?;
    let without = |mark: char| number.replace([mark, '\'', '\u{a0}', '\u{202f}'], "");
    let plain = if decimal_comma {
        without('.').replace(',', ".")
    } else if groups_of_three(number) {
        without(',')
    } else {
        return None;
    };
    Some((parse_printed(&plain)?, rest.trim_start()))
}

/// Whether every comma has three digits behind it, up to the next or to the point.
fn groups_of_three(number: &str) -> bool {
    let whole = number.split(['.', 'e', 'E']).next().unwrap_or_default();
    whole.split(',').skip(1).all(|group| group.len() == 3)
}

/// Where the number at the beginning ends, in bytes.
pub(crate) fn number_end(text: &str) -> usize {
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let at = |index: usize| letters.get(index).map_or('\0', |(_, letter)| *letter);
    let is_sign = |letter: char| matches!(letter, '-' | '+' | '−');
    let mut index = 0;
    while index < letters.len() {
        let (before, here, next) = (index.checked_sub(1).map_or('\0', at), at(index), at(index + 1));
        let belongs = match here {
            '0'..='9' => true,
            '.' | ',' | '\'' => next.is_ascii_digit() || (here == '.' && before.is_ascii_digit()),
            ' ' | '\u{2009}' | '\u{a0}' | '\u{202f}' => {
                let digits = (1..=3).all(|more| at(index + more).is_ascii_digit());
                before.is_ascii_digit() && digits && !at(index + 4).is_ascii_digit()
            }
            'e' | 'E' => {
                before.is_ascii_digit()
                    && (next.is_ascii_digit() || (is_sign(next) && at(index + 2).is_ascii_digit()))
            }
            letter if is_sign(letter) => index == 0 || matches!(before, 'e' | 'E'),
            _ => false,
        };
        if !belongs {
            break;
        }
        index += 1;
    }
    letters.get(index).map_or(text.len(), |(at, _)| *at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str, comma: bool) -> Option<(f64, Option<f64>, Option<String>)> {
        let cell = parse_figure(text, comma)?;
        Some((cell.figure.value, cell.deviation.map(|one| one.value), cell.unit))
    }

    #[test]
    fn numbers_in_every_notation() {
        for (text, value) in [
            ("1,234.5", 1234.5),
            ("1,234,567", 1_234_567.0),
            ("1.2e3", 1200.0),
            ("7e-2", 0.07),
            ("−4", -4.0),
            ("~40", 40.0),
            ("12 345.6", 12_345.6),
            ("1'234", 1234.0),
            ("5.", 5.0),
            (".5", 0.5),
        ] {
            assert_eq!(read(text, false), Some((value, None, None)), "{text}");
        }
        assert_eq!(read("1.234,5", true).unwrap().0, 1234.5);
        assert_eq!(read("3,4", true).unwrap().0, 3.4);
    }

    #[test]
    fn a_number_ends_before_what_is_no_part_of_it() {
        for (text, end) in [
            ("12 345 us", 6),
            ("12 3456", 2),
            ("12, 5", 2),
            (". 5", 0),
            ("e5", 0),
            ("7e-x", 1),
            ("7ex5", 1),
            ("7e-2x", 4),
            ("apples", 0),
        ] {
            assert_eq!(number_end(text), end, "{text}");
        }
    }

    #[test]
    fn units_and_deviations_behind() {
        assert_eq!(read("12 us", false), Some((12.0, None, Some("us".to_owned()))));
        assert_eq!(read("12us", false).unwrap().2.unwrap(), "us");
        assert_eq!(read("3.4 GB/s", false).unwrap().2.unwrap(), "GB/s");
        assert_eq!(read("12.5 ± 0.3 ns", false), Some((12.5, Some(0.3), Some("ns".to_owned()))));
        assert_eq!(read("12 +/- 1", false), Some((12.0, Some(1.0), None)));
        assert_eq!(read("45%", false).unwrap().2.unwrap(), "%");
    }

    #[test]
    fn what_is_no_figure() {
        for text in
            ["", "-", "n/a", "about 7", "<5", "12 apples", "20..100", "3,4", "1,23,4", "e5", "±", "12 ±"]
        {
            assert_eq!(read(text, false), None, "{text}");
        }
    }

    #[test]
    fn a_comma_is_known_by_what_is_behind_it() {
        for text in ["3,4", "0,512", "12,75 us", "1234,567"] {
            assert!(is_decimal_comma(text), "{text}");
        }
        for text in ["1,234", "1,234.5", "12", "1.5", "1,234,567", "", "x,y"] {
            assert!(!is_decimal_comma(text), "{text}");
        }
    }
}
