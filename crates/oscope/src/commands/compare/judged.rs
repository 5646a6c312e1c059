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

    /// The points at which a rule sees nothing, in words; `None` where it sees all.
    fn blind(&self, rule: &ChangeRule) -> Option<String> {
        let points = &self.comparison.points;
        let blind: Vec<String> =
            points.iter().filter(|point| rule.is_blind(point)).map(|point| point.id.to_string()).collect();
        let (first, more) = blind.split_at(blind.len().min(MOST_BLIND));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        (!blind.is_empty()).then(|| {
            format!(
                "neither shown nor excluded at {} of {} ({} fails on them): {}{more}",
                blind.len(),
                many(points.len(), "point"),
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
        if let Some(blind) = other.blind(rule) {
            notice!("oscope: {rule}{place}: {blind}");
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
