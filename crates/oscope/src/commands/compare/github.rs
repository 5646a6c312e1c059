//! A comparison as annotations of GitHub's runners.
//!
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>

use crate::arguments::ChangeRule;
use analysis::{Comparison, Decision};
use report::{ComparedRecord, compared_answer, compared_words};
use std::io::{self, Write};

/// Writes an error for each point that a rule finds, a warning for each other one that is slower or has changed, and a notice
/// for each that is faster; then a notice with how many points came out how, so that a comparison without a finding says so.
/// Where a rule is about what is lost, points that the second record has not are errors, and so is a run that did not end by
/// itself: `unfinished` says why.
pub(super) fn write(
    others: &[(ComparedRecord<'_>, Comparison)],
    unfinished: &[Option<&'static str>],
    rules: &[ChangeRule],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (record, point) in others
        .iter()
        .flat_map(|(record, comparison)| comparison.points.iter().map(move |point| (record, point)))
    {
        let level = match point.decision {
            _ if rules.iter().any(|rule| rule.is_met(point)) => "error",
            Decision::Slower | Decision::Larger | Decision::Smaller => "warning",
            Decision::Faster => "notice",
            _ => continue,
        };
        // A change that is neither shown nor excluded is what such a rule finds, whatever the decision.
        let open = rules.iter().find(|rule| rule.is_of_open() && rule.is_met(point));
        let open = open.filter(|_| !point.decision.is_change()).map(ChangeRule::to_string);
        let what = open.unwrap_or_else(|| point.decision.word().to_owned());
        let title = escaped(&format!("oscope: {what} in {}", record.name), true);
        writeln!(out, "::{level} title={title}::{}", escaped(&compared_words(point), false))?;
    }
    let is_lost_sought = rules.iter().any(|rule| rule.is_of_lost());
    for ((record, comparison), unfinished) in others.iter().zip(unfinished).filter(|_| is_lost_sought) {
        let title = escaped(&format!("oscope: lost in {}", record.name), true);
        let absent = comparison.absent.iter().map(|id| format!("{id}: not in the second record"));
        for lost in absent.chain(unfinished.map(str::to_owned)) {
            writeln!(out, "::error title={title}::{}", escaped(&lost, false))?;
        }
    }
    for (record, comparison) in others {
        let title = escaped(&format!("oscope: {}", record.name), true);
        writeln!(out, "::notice title={title}::{}", escaped(&compared_answer(comparison), false))?;
    }
    Ok(())
}

/// Text of a command, or of one of its properties.
fn escaped(text: &str, is_property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if is_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_a_command() {
        assert_eq!(escaped("a: 3 %\nb, c", false), "a: 3 %25%0Ab, c");
        assert_eq!(escaped("a: 3 %, c", true), "a%3A 3 %25%2C c");
    }
}
