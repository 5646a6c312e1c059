//! A comparison, shown and judged by the rules of the user.

use super::{github, junit};
use crate::arguments::{ChangeRule, Compare as Arguments, Form};
use crate::exit::{Exit, nothing, of_revision};
use crate::notice::notice;
use crate::operation_list::labels;
use crate::{Operations, output};
use analysis::{Comparison, Decision};
use report::{ComparedRecord, ComparedView, many};

/// Shows a comparison, and ends with the code for findings where a rule is met. `unfinished` says of each other record why its
/// run did not end by itself.
pub(super) fn show_and_judge(
    operations: Operations,
    arguments: &Arguments,
    first: ComparedRecord<'_>,
    others: &[(ComparedRecord<'_>, Comparison)],
    unfinished: &[Option<&'static str>],
) -> anyhow::Result<Exit> {
    let is_headline = arguments.only.is_empty() && !arguments.all;
    let view = ComparedView {
        first,
        others,
        all: arguments.all,
        labels: &if is_headline { labels(operations) } else { Vec::new() },
        most: arguments.most.unwrap_or(usize::MAX),
    };
    output::write(&arguments.output, output::marks(arguments.format), |width, style, out| {
        match arguments.format {
            Form::Github => github::write(others, unfinished, &arguments.fail_if, out),
            Form::Junit => junit::write(others, unfinished, &arguments.fail_if, out),
            form => report::comparison(&view, form.on(width, style), out),
        }
    })?;
    let judged: Vec<Judged<'_>> = others
        .iter()
        .zip(unfinished)
        .map(|((record, comparison), unfinished)| Judged {
            name: record.name,
            comparison,
            unfinished: *unfinished,
        })
        .collect();
    judge(&judged, &arguments.fail_if, arguments.bisect)
}

/// A record that is judged against the first.
struct Judged<'a> {
    name: &'a str,
    comparison: &'a Comparison,
    /// Why its run has not ended by itself.
    unfinished: Option<&'static str>,
}

impl Judged<'_> {
    /// The points that a rule finds, in words.
    fn found(&self, rule: &ChangeRule) -> Vec<String> {
        let met = self.comparison.points.iter().filter(|point| rule.is_met(point));
        let mut found: Vec<String> = met.map(report::compared_words).collect();
        if rule.is_of_lost() {
            let absent = self.comparison.absent.iter();
            found.extend(absent.map(|id| format!("{id} (not in the second)")));
            found.extend(self.unfinished.map(str::to_owned));
        }
        found
    }

    /// At which points the change that a rule looks for is open, in a sentence; `None` where it is at none. `place` names the
    /// record where there are several.
    fn blind(&self, rule: &ChangeRule, place: &str) -> Option<String> {
        let points = &self.comparison.points;
        let blind: Vec<String> =
            points.iter().filter(|point| rule.is_blind(point)).map(|point| point.id.to_string()).collect();
        let (first, more) = blind.split_at(blind.len().min(MOST_BLIND));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        (!blind.is_empty()).then(|| {
            format!(
                "open{place} at {} of {}: a change by {} is neither shown nor excluded ({} fails on them): {}{more}",
                blind.len(),
                many(points.len(), "point"),
                rule.share(),
                rule.of_blind(),
                first.join(", ")
            )
        })
    }
}

/// Points without an answer that are named.
const MOST_BLIND: usize = 5;

/// Ends with the code for findings where a rule is met, and says by which points. Where a bisection asks, only what is shown is a
/// finding, and what is missing skips the revision.
fn judge(others: &[Judged<'_>], rules: &[ChangeRule], is_bisection: bool) -> anyhow::Result<Exit> {
    let (mut is_shown, mut is_missing) = (false, false);
    for (rule, other) in rules.iter().flat_map(|rule| others.iter().map(move |other| (rule, other))) {
        let found = other.found(rule);
        let place = if others.len() == 1 { String::new() } else { format!(" in {}", other.name) };
        if !found.is_empty() {
            is_shown |= rule.is_of_shown();
            is_missing |= !rule.is_of_shown();
            notice!("oscope: {rule}{place}: {}", found.join(", "));
        }
        if let Some(blind) = other.blind(rule, &place) {
            notice!("oscope: {blind}");
        }
    }
    let mut points = others.iter().flat_map(|other| &other.comparison.points);
    if points.all(|point| point.decision == Decision::Incomparable) {
        return Err(of_revision(nothing("the records have no point that can be compared")));
    }
    Ok(match (is_shown, is_missing) {
        (false, false) => Exit::Success,
        (false, true) if is_bisection => Exit::Skip,
        _ => Exit::Findings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{Change, Compared, FactsCompared};
    use quantity::Quantity;
    use record::{PointId, Range};

    #[test]
    fn open_change_is_said_apart_from_what_a_rule_looks_for() {
        let point = |id: &str, low: f64, high: f64, decision| Compared {
            id: PointId::new(id, ""),
            area: "os".to_owned(),
            quantity: Quantity::Latency,
            first: Some(10.0),
            second: Some(10.0),
            change: Some(Change::Factor(Range { low, value: 1.0, high })),
            decision,
            reason: None,
            noisy: false,
            between: 0.0,
        };
        let same = |id: &str| point(id, 0.99, 1.01, Decision::Same { within: 0.02 });
        let points = vec![same("a"), point("b", 0.9, 1.1, Decision::Unclear), same("c")];
        let comparison = Comparison {
            facts: FactsCompared::default(),
            points,
            only_first: Vec::new(),
            only_second: Vec::new(),
            absent: Vec::new(),
            common: None,
            is_of_a_moment: false,
            clocks: None,
            tails: Vec::new(),
        };
        let judged = Judged { name: "second", comparison: &comparison, unfinished: None };
        let said = |rule: &str, place| judged.blind(&rule.parse().unwrap(), place);
        let expected = "open at 1 of 3 points: a change by 5 % is neither shown nor excluded (undecided:5% fails on them): b";
        assert_eq!(said("slower:5%", "").as_deref(), Some(expected));
        let named = said("slower:5%", " in second");
        assert!(named.is_some_and(|named| named.starts_with("open in second at 1 of 3 points: ")));
        assert_eq!(said("slower:20%", ""), None);
    }
}
