//! The declaration of an operation: its method, what confounds it, its prediction, its witnesses, who measured it.

use super::page::Page;
use measure::{Operation, Point};
use record::{Profile, Term};
use std::io;

/// Writes what an operation is: its unit of work, its points, its method, what confounds it, who measured it.
pub(super) fn write(operation: &Operation, page: &mut Page<'_>) -> io::Result<()> {
    page.paragraph("", &format!("{}: {}", operation.id, operation.title))?;
    if let Some(method) = flawed::method(operation.id) {
        page.paragraph(
            "  ",
            &format!("A flawed method, which oscope does not stand behind. {}", method.wrong),
        )?;
        page.paragraph("  right          ", &method.right_point().to_string())?;
    }
    page.paragraph("  one iteration  ", operation.one_iteration)?;
    let points = operation.points_of(Profile::Standard);
    if points.len() > 1 {
        let texts: Vec<String> = Point::families(&points).iter().map(|text| format!("[{text}]")).collect();
        page.paragraph("  points         ", &texts.join(" "))?;
    }
    for (heading, text) in [("Method", operation.method), ("What confounds it", operation.confounds)] {
        page.heading(heading)?;
        page.paragraph("  ", text)?;
    }
    page.heading("Who measured it, and how")?;
    for (who, how) in operation.sources {
        page.paragraph(&format!("  {who:<12} "), how)?;
    }
    Ok(())
}

/// Writes the witnesses and the predictions that an operation declares, those of a point that is asked for, where some are.
pub(super) fn write_expectations(
    operation: &Operation,
    asked: &[Point],
    page: &mut Page<'_>,
) -> io::Result<()> {
    let points = operation.points_of(Profile::Standard);
    let shown = if asked.is_empty() { &points } else { asked };
    // The first of the points whose predictions have the most terms.
    let richest = shown.iter().rev().max_by_key(|point| {
        let prediction = operation.prediction_at(point);
        prediction.from_facts.len() + prediction.from_parts.len()
    });
    match richest {
        Some(point) => {
            witnesses(operation, point, page)?;
            predictions(operation, point, page)
        }
        None => Ok(()),
    }
}

fn predictions(operation: &Operation, point: &Point, page: &mut Page<'_>) -> io::Result<()> {
    let prediction = operation.prediction_at(point);
    let of = if point.text().is_empty() { String::new() } else { format!(", for [{}]", point.text()) };
    page.heading(&format!("Prediction{of}"))?;
    if prediction.from_facts.is_empty() && prediction.from_parts.is_empty() {
        page.paragraph("  ", "none: it is a part of which others are made")?;
    }
    for (name, terms) in
        [("T0, from facts", prediction.from_facts), ("T1, from parts", prediction.from_parts)]
    {
        if !terms.is_empty() {
            writeln!(page.out, "  {name} (in ns)")?;
        }
        terms.iter().try_for_each(|term| term_lines(term, page))?;
    }
    for bound in operation.bounds_at(point) {
        let side = if bound.lower { "at least" } else { "at most" };
        page.paragraph(&format!("  {side} "), &format!("{}: {}", bound.formula, bound.because))?;
    }
    Ok(())
}

fn term_lines(term: &Term, page: &mut Page<'_>) -> io::Result<()> {
    page.paragraph(&format!("    {}  ", term.side.word()), &format!("{} = {}", term.name, term.formula))?;
    let mut sources = term.formula.sources().into_iter();
    sources.try_for_each(|source| page.paragraph("              ", &format!("({source})")))
}

fn witnesses(operation: &Operation, point: &Point, page: &mut Page<'_>) -> io::Result<()> {
    page.heading("Witnesses: what must be true if it happened, per iteration")?;
    for witness in operation.witnesses_at(point) {
        let limits = if witness.low == witness.high {
            format!("= {}", witness.low)
        } else {
            format!("{} … {}", witness.low, witness.high)
        };
        let kind = if witness.positive { "proves the work" } else { "proves the quiet" };
        let consequence = report::consequence(witness.breach);
        let text = format!("{limits}: {} ({kind}; if broken: {consequence})", witness.proves);
        page.paragraph(&format!("  {:<22} ", witness.counter), &text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::Style;

    #[test]
    fn every_operation_is_explained_within_the_width() {
        for operation in flawed::all_operations() {
            let mut text = Vec::new();
            let page = &mut Page { out: &mut text, width: 80, style: Style::default() };
            write(operation, page).unwrap();
            write_expectations(operation, &[], page).unwrap();
            let text = String::from_utf8(text).unwrap();
            let has_witnesses = text.contains("Witnesses") || operation.is_of_the_run();
            assert!(text.contains("Method") && has_witnesses, "{text}");
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= 96, "{}: {longest}", operation.id);
        }
    }
}
