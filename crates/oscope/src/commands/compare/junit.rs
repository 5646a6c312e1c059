//! A comparison as JUnit XML, which CI servers show as tests: <https://github.com/testmoapp/junitxml>.

use crate::arguments::ChangeRule;
use analysis::{Compared, Comparison, Decision};
use record::PointId;
use report::{ComparedRecord, compared_answer, compared_reason, compared_words, xml_escaped};
use std::io::{self, Write};

/// A point as a test, with what is said of it.
enum Outcome {
    Passed(String),
    Failed(String),
    Skipped(String),
}

/// Writes a suite for each record, with a case for each point. A point fails where a rule finds it, and where there is no rule,
/// where it is slower; what is undecided or cannot be compared is skipped, with its reason. `unfinished` says of each record why
/// its run did not end by itself.
pub(super) fn write(
    others: &[(ComparedRecord<'_>, Comparison)],
    unfinished: &[Option<&'static str>],
    rules: &[ChangeRule],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>")?;
    for ((record, comparison), unfinished) in others.iter().zip(unfinished) {
        suite(record, &cases(comparison, *unfinished, rules), &compared_answer(comparison), out)?;
    }
    writeln!(out, "</testsuites>")
}

/// Every point of the first record as a test: class, name and outcome.
fn cases(
    comparison: &Comparison,
    unfinished: Option<&str>,
    rules: &[ChangeRule],
) -> Vec<(String, String, Outcome)> {
    let is_lost_sought = rules.iter().any(|rule| rule.is_of_lost());
    let failed_or_skipped = |why: String| match is_lost_sought {
        true => Outcome::Failed(why),
        false => Outcome::Skipped(why),
    };
    let case = |id: &PointId, outcome| {
        let point = if id.point.is_empty() { &id.operation } else { &id.point };
        (id.operation.clone(), point.clone(), outcome)
    };
    let points = comparison.points.iter().map(|point| case(&point.id, outcome(point, rules)));
    let absent = comparison.absent.iter();
    let absent = absent.map(|id| case(id, failed_or_skipped("not in the second record".to_owned())));
    let end = unfinished.map(|why| ("run".to_owned(), "end".to_owned(), failed_or_skipped(why.to_owned())));
    points.chain(absent).chain(end).collect()
}

fn outcome(point: &Compared, rules: &[ChangeRule]) -> Outcome {
    let words = compared_words(point);
    let is_regression = match rules {
        [] => point.decision == Decision::Slower,
        rules => rules.iter().any(|rule| rule.is_met(point)),
    };
    let said = format!("{}: {words}", point.decision.word());
    match (is_regression, compared_reason(point)) {
        (true, _) => Outcome::Failed(said),
        (false, Some(reason)) if !point.decision.is_decided() => {
            Outcome::Skipped(if said.contains(&reason) { said } else { format!("{said}: {reason}") })
        }
        _ => Outcome::Passed(said),
    }
}

fn suite(
    record: &ComparedRecord<'_>,
    cases: &[(String, String, Outcome)],
    answer: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = |is_counted: fn(&Outcome) -> bool| cases.iter().filter(|(.., one)| is_counted(one)).count();
    let failures = count(|one| matches!(one, Outcome::Failed(_)));
    let skipped = count(|one| matches!(one, Outcome::Skipped(_)));
    let (name, started) = (xml_escaped(record.name), xml_escaped(&record.header.started));
    // Readers add up how long tests took: none took any time here.
    writeln!(
        out,
        "  <testsuite name=\"oscope compare {name}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" \
         skipped=\"{skipped}\" time=\"0\" timestamp=\"{started}\">",
        cases.len()
    )?;
    for (class, name, outcome) in cases {
        let (class, name) = (xml_escaped(class), xml_escaped(name));
        write!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\">")?;
        match outcome {
            Outcome::Passed(said) => write!(out, "<system-out>{}</system-out>", xml_escaped(said))?,
            Outcome::Failed(said) => write!(out, "<failure message=\"{}\"/>", xml_escaped(said))?,
            Outcome::Skipped(said) => write!(out, "<skipped message=\"{}\"/>", xml_escaped(said))?,
        }
        writeln!(out, "</testcase>")?;
    }
    writeln!(out, "    <system-out>{}</system-out>\n  </testsuite>", xml_escaped(answer))
}
