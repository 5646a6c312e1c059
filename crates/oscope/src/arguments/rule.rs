//! `--fail-if`: the changes with which `oscope compare` fails.

use analysis::{Compared, Decision};
use quantity::show_percent;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A change with which the command fails: `slower:3%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    what: Which,
    least: f64,
}

/// Which changes a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Slower,
    Faster,
    Changed,
    Undecided,
}

impl Which {
    const ALL: [(&'static str, Self); 4] = [
        ("slower", Self::Slower),
        ("faster", Self::Faster),
        ("changed", Self::Changed),
        ("undecided", Self::Undecided),
    ];

    fn is(self, decision: Decision) -> bool {
        match self {
            Self::Slower => decision == Decision::Slower,
            Self::Faster => decision == Decision::Faster,
            Self::Changed => decision.is_change(),
            Self::Undecided => decision == Decision::Unclear,
        }
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, least) = text.split_once(':').unwrap_or((text, "0%"));
        let what = Which::ALL.iter().find(|(name, _)| *name == word);
        let (_, what) =
            what.ok_or("a rule is slower, faster or changed and a share (slower:3%), or undecided")?;
        let least = quantity::parse_percent(least).map_err(|error| error.to_string())?;
        Ok(Self { what: *what, least })
    }
}

impl Rule {
    /// Whether a point is shown to have changed so, and by so much.
    pub fn is_met(&self, point: &Compared) -> bool {
        let is_far = |cost: f64| cost.max(1.0 / cost) >= 1.0 + self.least;
        let is_far = self.what == Which::Undecided || point.cost().is_none_or(is_far);
        self.what.is(point.decision) && is_far
    }
}

impl Display for Rule {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let (word, _) = Which::ALL
            .iter()
            .find(|(_, which)| *which == self.what)
            .copied()
            .unwrap_or(("changed", Which::Changed));
        match self.what {
            Which::Undecided => write!(to, "{word}"),
            _ => write!(to, "{word} by {} or more", show_percent(self.least)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rules_are_read() {
        let rule: Rule = "slower:3%".parse().unwrap();
        assert_eq!((rule.what, rule.least), (Which::Slower, 0.03));
        assert_eq!("changed".parse::<Rule>().unwrap().least, 0.0);
        assert!("worse:3%".parse::<Rule>().is_err());
        assert!("slower:fast".parse::<Rule>().is_err());
    }
}
