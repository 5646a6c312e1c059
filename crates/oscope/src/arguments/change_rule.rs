//! `--fail-if`: the changes with which `oscope compare` fails.

use analysis::{Compared, Decision};
use quantity::{parse_percent, show_percent};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// A change with which the command fails: `slower:3%`.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRule {
    word: &'static str,
    is_such: fn(Decision) -> bool,
    least: f64,
}

/// The word of a point that is undecided, which has no size.
const UNDECIDED: &str = "undecided";

/// A change: its word, and whether a decision is that.
type Change = (&'static str, fn(Decision) -> bool);

const CHANGES: [Change; 4] = [
    ("slower", |decision| decision == Decision::Slower),
    ("faster", |decision| decision == Decision::Faster),
    ("changed", Decision::is_change),
    (UNDECIDED, |decision| decision == Decision::Unclear),
];

impl FromStr for ChangeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (typed, least) = text.split_once(':').unwrap_or((text, "0%"));
        let found = CHANGES.into_iter().find(|(word, _)| *word == typed);
        let (word, is_such) =
            found.ok_or("a rule is slower, faster or changed and a share (slower:3%), or undecided")?;
        Ok(Self { word, is_such, least: parse_percent(least).map_err(|error| error.to_string())? })
    }
}

impl ChangeRule {
    /// Whether a point is shown to have changed so, and by so much.
    pub fn is_met(&self, point: &Compared) -> bool {
        let is_large = |cost: f64| cost.max(1.0 / cost) >= 1.0 + self.least;
        (self.is_such)(point.decision) && (self.word == UNDECIDED || point.cost().is_none_or(is_large))
    }
}

impl Display for ChangeRule {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self.word {
            UNDECIDED => to.write_str(UNDECIDED),
            word => write!(to, "{word} by {} or more", show_percent(self.least)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let rule: ChangeRule = "slower:3%".parse().unwrap();
        assert_eq!((rule.word, rule.least), ("slower", 0.03));
        assert_eq!("changed".parse::<ChangeRule>().unwrap().least, 0.0);
        assert!("worse:3%".parse::<ChangeRule>().is_err());
        assert!("slower:fast".parse::<ChangeRule>().is_err());
    }
}
