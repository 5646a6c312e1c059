//! A command line of lmbench, read as its programs read it.

use crate::exit::usage;
use clap::{Arg, ArgAction};
use std::collections::BTreeMap;

/// What follows the name of a program.
#[derive(Debug, Default)]
pub struct Words {
    options: BTreeMap<char, String>,
    /// What is no option.
    pub rest: Vec<String>,
}

impl Words {
    /// Reads a line by the options that its program has, as for getopt: `s:t` is `-s VALUE` and `-t`. Those that all have
    /// are `-P` (copies), `-W` and `-N`: oscope has its own warm-up and repetitions.
    ///
    /// # Errors
    /// When the program would refuse it, and where copies run side by side.
    pub fn parse(program: &str, own: &str, line: &[String]) -> anyhow::Result<Self> {
        let letters: Vec<char> = ["P:W:N:", own].concat().chars().collect();
        let is_option = |letter: &char| *letter != ':';
        let mut command = clap::Command::new("oscope lmbench").disable_help_flag(true).no_binary_name(true);
        for (at, letter) in letters.iter().enumerate().filter(|(_, letter)| is_option(letter)) {
            let has_value = letters.get(at + 1) == Some(&':');
            let action = if has_value { ArgAction::Set } else { ArgAction::SetTrue };
            let option = Arg::new(name(*letter)).short(*letter).action(action);
            command = command.arg(option.allow_hyphen_values(has_value).overrides_with(name(*letter)));
        }
        let command = command.arg(Arg::new("rest").num_args(0..));
        let refused = |error: clap::Error| {
            usage(format!("{program}: {}", error.to_string().lines().next().unwrap_or("")))
        };
        let found = command.try_get_matches_from(line).map_err(refused)?;
        let mut words = Self::default();
        for letter in letters.iter().filter(|letter| is_option(letter)) {
            let id = name(*letter);
            if let Ok(Some(value)) = found.try_get_one::<String>(id) {
                words.options.insert(*letter, value.clone());
            } else if let Ok(Some(true)) = found.try_get_one::<bool>(id) {
                words.options.insert(*letter, String::new());
            }
        }
        words.rest = found.get_many::<String>("rest").into_iter().flatten().cloned().collect();
        match words.option('P') {
            None | Some("1") => Ok(words),
            Some(copies) => Err(usage(format!(
                "{program} -P {copies}: no point has copies of this side by side; leave -P out"
            ))),
        }
    }

    /// The value of an option, empty for one without.
    pub fn option(&self, letter: char) -> Option<&str> {
        self.options.get(&letter).map(String::as_str)
    }

    /// The word at this place, which must be there.
    pub fn word(&self, at: usize, what: &str) -> anyhow::Result<&str> {
        self.rest.get(at).map(String::as_str).ok_or_else(|| usage(format!("{what} is missing")))
    }

    /// The size at this place.
    pub fn size(&self, at: usize) -> anyhow::Result<u64> {
        size(self.word(at, "a size, for example 64m,")?)
    }
}

/// The name that clap has for an option of one letter.
fn name(letter: char) -> &'static str {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    LETTERS.find(letter).and_then(|at| LETTERS.get(at..=at)).unwrap_or("?")
}

/// A size as lmbench reads it: `64m` and `64M` are 64 × 2²⁰ bytes.
pub fn size(text: &str) -> anyhow::Result<u64> {
    let lower = text.to_ascii_lowercase();
    let unit = [('k', 10), ('m', 20), ('g', 30)].into_iter().find(|(unit, _)| lower.ends_with(*unit));
    let (digits, shift) = unit.map_or((&*lower, 0), |(_, shift)| (&lower[..lower.len() - 1], shift));
    let number: Option<u64> = digits.parse().ok().filter(|number| *number > 0);
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| usage(format!("'{text}' is no size; one is, for example, 64m or 4096")))
}

/// A count of things.
pub fn count(text: &str) -> anyhow::Result<u64> {
    let number: Option<u64> = text.parse().ok();
    number.ok_or_else(|| usage(format!("'{text}' is no number")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(own: &str, line: &str) -> anyhow::Result<Words> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Words::parse("lat_x", own, &words)
    }

    #[test]
    fn options_may_touch_their_values() {
        for line in ["-s 16 2 8", "-s16 2 8", "-N 5 -s 16 -W 1000 2 8", "-P 1 -s 4 -s 16 2 8"] {
            let words = parsed("s:", line).unwrap();
            assert_eq!(words.option('s'), Some("16"), "{line}");
            assert_eq!(words.rest, ["2", "8"], "{line}");
        }
        assert_eq!(parsed("t", "-t 64").unwrap().option('t'), Some(""));
        assert_eq!(parsed("t", "64").unwrap().option('t'), None);
    }

    #[test]
    fn what_cannot_be_answered_is_an_error_that_says_why() {
        assert!(parsed("", "-P 4").unwrap_err().to_string().contains("copies"));
        assert!(parsed("", "-q").unwrap_err().to_string().contains("-q"));
        assert!(parsed("", "").unwrap().word(0, "a file").unwrap_err().to_string().contains("a file"));
    }

    #[test]
    fn sizes_have_powers_of_two() {
        assert_eq!(size("64m").unwrap(), 64 << 20);
        assert_eq!(size("8K").unwrap(), 8 << 10);
        assert_eq!(size("512").unwrap(), 512);
        for wrong in ["", "m", "0", "-4k", "99999999999g", "4kk"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
