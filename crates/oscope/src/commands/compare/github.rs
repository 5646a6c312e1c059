//! A comparison as annotations of GitHub's runners.
//!
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>

use crate::arguments::ChangeRule;
use analysis::{Comparison, Decision};
use report::{ComparedRecord, compared_answer, compared_words};
use std::io::{self, Write};

/// Writes an error for each point that a rule finds, a warning for each other one that is slower or has changed, and a notice
/// for each that is faster; then a notice with how many points came out how, so that a comparison without a finding says so.
pub(super) fn write(
    others: &[(ComparedRecord<'_>, Comparison)],
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
        let title = escaped(&format!("oscope: {} in {}", point.decision.word(), record.name), true);
        writeln!(out, "::{level} title={title}::{}", escaped(&compared_words(point), false))?;
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
