//! `--fail-if`: what `oscope compare` must find to fail.

use analysis::{Compared, Decision};
use quantity::{parse_percent, show_percent};
use record::Range;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// What the command fails for: `slower:3%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangeRule {
    kind: Sought,
    /// The share of the cost.
    by: f64,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    /// A cost that is shown to be higher by more.
    Slower,
    /// A cost that is shown to be lower by more.
    Faster,
    /// A value that is shown to be different by more, either way.
    Changed,
    /// A point that is undecided; with a share, one of which it is open whether it changed by so much.
    Undecided,
    /// A number that the first record has and the second has not.
    Lost,
}

const KINDS: [(&str, Sought); 5] = [
    ("slower", Sought::Slower),
    ("faster", Sought::Faster),
    ("changed", Sought::Changed),
    ("undecided", Sought::Undecided),
    ("lost", Sought::Lost),
];

/// What is said to someone who typed another rule.
const RULES: &str =
    "a rule is slower, faster, changed or undecided, each alone or with a share (slower:3%), or lost";

impl FromStr for ChangeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (typed, share) = text.split_once(':').map_or((text, None), |(word, share)| (word, Some(share)));
        let (_, kind) = KINDS.into_iter().find(|(word, _)| *word == typed).ok_or(RULES)?;
        if kind == Sought::Lost && share.is_some() {
            return Err("a point is lost or not: lost takes no share".to_owned());
        }
        let by = share.map_or(Ok(0.0), parse_percent).map_err(|error| error.to_string())?;
        Ok(Self { kind, by })
    }
}

impl ChangeRule {
    /// Whether it looks for points whose number the second record lacks.
    pub fn is_of_lost(&self) -> bool {
        self.kind == Sought::Lost
    }

    /// Whether it looks for changes that are neither shown nor excluded.
    pub fn is_of_open(&self) -> bool {
        self.kind == Sought::Undecided
    }

    /// Whether it looks for a change that is shown, and not for what is missing.
    pub fn is_of_shown(&self) -> bool {
        matches!(self.kind, Sought::Slower | Sought::Faster | Sought::Changed)
    }

    /// Whether the rule looks for a change by a share that this point neither shows nor excludes.
    pub fn is_blind(&self, point: &Compared) -> bool {
        let open = Self { kind: Sought::Undecided, ..*self };
        self.is_of_shown() && self.by > 0.0 && !self.is_met(point) && open.is_met(point)
    }

    /// How the user writes the rule that fails for such points.
    pub fn of_blind(&self) -> String {
        format!("undecided:{}", self.share().replace(' ', ""))
    }

    /// The share that a change must have.
    pub fn share(&self) -> String {
        show_percent(self.by)
    }

    /// Whether a point is so. A change is shown to be larger than the share where its whole interval is beyond it.
    pub fn is_met(&self, point: &Compared) -> bool {
        let (up, down) = (1.0 + self.by, 1.0 / (1.0 + self.by));
        let change = point.relative_cost();
        match (self.kind, point.decision) {
            (Sought::Slower, Decision::Slower) => change.is_some_and(|change| change.low >= up),
            (Sought::Faster, Decision::Faster) => change.is_some_and(|change| change.high <= down),
            (Sought::Changed, decision) if decision.is_change() => {
                change.is_some_and(|change| change.low >= up || change.high <= down)
            }
            // Without an interval no change can be excluded.
            (Sought::Undecided, Decision::Unclear) => {
                change.is_none_or(|change| change.high > up || change.low < down)
            }
            // A change that is shown, but not to be so large, is open, and so is one that is the same within more.
            (Sought::Undecided, decision) if self.by > 0.0 && decision != Decision::Incomparable => change
                .is_some_and(|Range { low, high, .. }| {
                    (low < up && high > up) || (low < down && high > down)
                }),
            (Sought::Lost, _) => point.is_lost(),
            _ => false,
        }
    }
}

impl Display for ChangeRule {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let by = self.share();
        match (self.kind, self.by > 0.0) {
            (Sought::Slower, true) => write!(to, "shown to be slower by {by} or more"),
            (Sought::Slower, false) => to.write_str("shown to be slower"),
            (Sought::Faster, true) => write!(to, "shown to be faster by {by} or more"),
            (Sought::Faster, false) => to.write_str("shown to be faster"),
            (Sought::Changed, true) => write!(to, "shown to have changed by {by} or more"),
            (Sought::Changed, false) => to.write_str("shown to have changed"),
            (Sought::Undecided, true) => {
                write!(to, "undecided: a change of {by} is neither shown nor excluded")
            }
            (Sought::Undecided, false) => to.write_str("undecided"),
            (Sought::Lost, _) => to.write_str("lost"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{Change, NoDecision, Position, Verdict};
    use quantity::Quantity;
    use record::PointId;

    fn rule(text: &str) -> ChangeRule {
        text.parse().unwrap()
    }

    #[test]
    fn rules_are_read() {
        assert_eq!(rule("slower:3%"), ChangeRule { kind: Sought::Slower, by: 0.03 });
        assert_eq!(rule("undecided:10%"), ChangeRule { kind: Sought::Undecided, by: 0.1 });
        assert_eq!(rule("slower:200%"), ChangeRule { kind: Sought::Slower, by: 2.0 });
        assert_eq!(rule("changed"), ChangeRule { kind: Sought::Changed, by: 0.0 });
        assert_eq!(rule("lost"), ChangeRule { kind: Sought::Lost, by: 0.0 });
        for wrong in ["worse:3%", "slower:fast", "lost:3%", "slower:", ""] {
            assert!(wrong.parse::<ChangeRule>().is_err(), "{wrong}");
        }
    }

    fn point(quantity: Quantity, change: Option<Change>, decision: Decision) -> Compared {
        Compared {
            id: PointId::new("a.b", ""),
            area: "os".to_owned(),
            quantity,
            first: Some(10.0),
            second: Some(10.0),
            change,
            decision,
            reason: None,
            noisy: false,
            between: 0.0,
        }
    }

    fn factor(low: f64, value: f64, high: f64) -> Option<Change> {
        Some(Change::Factor(Range { low, value, high }))
    }

    /// A point estimate beyond the limit whose interval is not shows nothing.
    #[test]
    fn a_change_is_shown_by_its_whole_interval() {
        use Decision::{Faster, Incomparable, Larger, Slower, Unclear};
        const SAME: Decision = Decision::Same { within: 0.05 };
        use Quantity::{Bandwidth, Latency, Size};
        for (text, quantity, change, decision, expected) in [
            ("slower:3%", Latency, factor(1.013, 1.05, 1.09), Slower, false),
            ("slower:3%", Latency, factor(1.031, 1.05, 1.09), Slower, true),
            ("slower", Latency, factor(1.013, 1.05, 1.09), Slower, true),
            ("slower:3%", Latency, factor(0.90, 0.92, 0.95), Faster, false),
            ("faster:3%", Latency, factor(0.90, 0.92, 0.95), Faster, true),
            ("faster:3%", Latency, factor(0.90, 0.92, 0.98), Faster, false),
            ("changed:3%", Latency, factor(0.90, 0.92, 0.95), Faster, true),
            ("changed:3%", Size, factor(1.05, 1.1, 1.2), Larger, true),
            ("changed:3%", Size, factor(1.02, 1.1, 1.2), Larger, false),
            // Half of the bandwidth is twice the cost: slower by 100 %.
            ("slower:90%", Bandwidth, factor(0.49, 0.5, 0.51), Slower, true),
            ("slower:97%", Bandwidth, factor(0.49, 0.5, 0.51), Slower, false),
            ("undecided:10%", Latency, factor(0.95, 1.0, 1.05), Unclear, false),
            ("undecided:10%", Latency, factor(0.95, 1.0, 1.11), Unclear, true),
            ("undecided:10%", Latency, factor(0.90, 1.0, 1.05), Unclear, true),
            ("undecided:10%", Latency, None, Unclear, true),
            ("undecided:3%", Latency, factor(1.2, 1.3, 1.4), Unclear, true),
            ("undecided:3%", Latency, factor(0.93, 0.96, 0.99), Faster, true),
            ("undecided:3%", Latency, factor(1.013, 1.15, 1.31), Slower, true),
            ("undecided:3%", Latency, factor(1.031, 1.15, 1.31), Slower, false),
            ("undecided:3%", Latency, factor(0.977, 1.008, 1.04), SAME, true),
            ("undecided:3%", Latency, factor(0.99, 1.008, 1.02), SAME, false),
            ("undecided:3%", Latency, None, Incomparable, false),
            ("undecided", Latency, factor(0.977, 1.008, 1.04), SAME, false),
            ("undecided", Latency, factor(0.95, 1.0, 1.05), Unclear, true),
            ("undecided", Latency, factor(1.2, 1.3, 1.4), Slower, false),
            ("slower", Latency, factor(1.2, 1.3, 1.4), Unclear, false),
        ] {
            let point = point(quantity, change, decision);
            assert_eq!(rule(text).is_met(&point), expected, "{text} {point:?}");
        }
        let by = Change::Difference(Range { low: 0.5, value: 1.0, high: 1.5 });
        for (text, expected) in [("slower:4%", true), ("slower:6%", false)] {
            assert_eq!(rule(text).is_met(&point(Latency, Some(by), Slower)), expected, "{text}");
        }
    }

    #[test]
    fn a_rule_is_blind_where_its_change_is_neither_shown_nor_excluded() {
        for (text, change, decision, expected) in [
            ("slower:3%", factor(0.9, 1.01, 1.1), Decision::Unclear, true),
            ("slower:3%", None, Decision::Unclear, true),
            ("slower:3%", factor(0.99, 1.0, 1.01), Decision::Same { within: 0.02 }, false),
            ("slower:3%", factor(1.04, 1.05, 1.06), Decision::Slower, false),
            ("slower", factor(0.9, 1.01, 1.1), Decision::Unclear, false),
            ("undecided:3%", factor(0.9, 1.01, 1.1), Decision::Unclear, false),
            ("lost", factor(0.9, 1.01, 1.1), Decision::Unclear, false),
        ] {
            let point = point(Quantity::Latency, change, decision);
            assert_eq!(rule(text).is_blind(&point), expected, "{text} {point:?}");
        }
        assert_eq!(rule("slower:3%").of_blind().parse(), Ok(rule("undecided:3%")));
    }

    #[test]
    fn a_point_is_lost_where_only_the_second_has_no_number() {
        for (position, expected) in [(Position::Second, true), (Position::First, false)] {
            let mut point = point(Quantity::Latency, None, Decision::Incomparable);
            point.reason = Some(NoDecision::NoNumber(position, Verdict::Failed, Vec::new()));
            assert_eq!(rule("lost").is_met(&point), expected);
        }
        assert!(!rule("lost").is_met(&point(Quantity::Latency, None, Decision::Unclear)));
    }
}
