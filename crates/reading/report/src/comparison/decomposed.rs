//! What differences between two records, or environments, are made of.

use crate::page::Page;
use crate::style::Paint;
use crate::thresholds::LEAST_TERM;
use crate::wording::many;
use analysis::Decomposition;
use quantity::{Quantity, show, show_change};
use record::Range;
use std::io;

/// Writes what each difference is made of, the largest factor first; where `all` is not asked for, only of those whose
/// interval is beyond no difference.
///
/// # Errors
/// When the page cannot be written.
pub fn decompositions_terminal(
    names: [&str; 2],
    points: &[Decomposition],
    all: bool,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let [first, second] = names;
    page.text("", "  ", &format!("{second}, compared with {first}"), Paint::Strong)?;
    let mut shown: Vec<&Decomposition> =
        points.iter().filter(|point| all || point.by.low > 0.0 || point.by.high < 0.0).collect();
    shown.sort_by(|a, b| far(b).total_cmp(&far(a)));
    for point in &shown {
        difference(point, page)?;
    }
    if shown.is_empty() {
        page.text("  ", "  ", "no cost differs by more than its interval", Paint::Plain)?;
    }
    page.blank()
}

fn far(point: &Decomposition) -> f64 {
    (point.second.value / point.first.value).ln().abs()
}

fn difference(point: &Decomposition, page: &mut Page<'_>) -> io::Result<()> {
    let ([first, second], by) = (
        [point.first, point.second]
            .map(|range| show(range.value, Some((range.high - range.low) / 2.0), Quantity::Latency)),
        signed(point.by),
    );
    let change = show_change(point.second.value / point.first.value);
    let heading = format!("{}: {first} → {second}, {by} ({change})", point.id);
    page.heading(&heading, Paint::Plain)?;
    if !point.has_parts() {
        let text = format!("no part of it was measured: the difference is its own ({})", interval(point.by));
        return page.text("    ", "    ", &text, Paint::Faint);
    }
    if let Some(calls) = &point.calls {
        let text = format!("{}, each as {}", many(calls.count as usize, "system call"), calls.like);
        line(calls.by, &text, Paint::Plain, page)?;
    }
    for term in point.terms.iter().filter(|term| term.by.value.abs() >= LEAST_TERM * point.by.value.abs()) {
        line(term.by, &term.name, Paint::Plain, page)?;
    }
    let rest = match point.is_explained() {
        true => "unexplained, within the intervals",
        false => "unexplained by its parts",
    };
    let paint = if point.is_explained() { Paint::Faint } else { Paint::Strong };
    line(point.rest, rest, paint, page)
}

fn line(by: Range, text: &str, paint: Paint, page: &mut Page<'_>) -> io::Result<()> {
    let (first, text) = (format!("  {:>12}  ", signed(by)), format!("{text} ({})", interval(by)));
    page.text(&first, &" ".repeat(16), &text, paint)
}

/// The interval of a difference.
fn interval(by: Range) -> String {
    let [low, high] = [by.low, by.high].map(|value| {
        let sign = if value > 0.0 { "+" } else { "" };
        format!("{sign}{}", show(value, Some((by.high - by.low) / 4.0), Quantity::Latency))
    });
    format!("{low} to {high}")
}

/// A difference with its sign.
fn signed(by: Range) -> String {
    let text = show(by.value, Some((by.high - by.low) / 2.0), Quantity::Latency);
    if by.value > 0.0 { format!("+{text}") } else { text }
}
