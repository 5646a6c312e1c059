//! A comparison as one page that a browser shows, in the dress of the report's page.

use super::summary::answer;
use super::{
    ComparedRecord, ComparedView, change, clocks, decision, differs, interval, lines, listed, settings, value,
};
use crate::html::page;
use crate::html::parts::{name, scrolled, section};
use crate::html::summary::{choice, kind};
use crate::html::table::{ROW, heading, sorted};
use crate::html::writer::Html;
use crate::wording::sentence;
use analysis::{Change, Compared, Comparison, Decision};
use std::io::{self, Write};

/// The columns; the page's style knows by their order which are numbers.
const COLUMNS: [&str; 6] = ["point", "first", "second", "change", "interval", "decision"];

/// Writes the page.
///
/// # Errors
/// When `out` cannot be written.
pub fn comparison_html(view: &ComparedView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<(String, String)> = (2..).zip(view.others).map(anchor).collect();
    let parts: Vec<(&str, &str)> = names
        .iter()
        .map(|(anchor, name)| (anchor.as_str(), name.as_str()))
        .collect();
    let title = format!("oscope: {} compared", view.first.name);
    let page = page(&title, &parts, std::iter::empty(), |html| {
        html.tag("main", &[("id", "main")], |html| {
            html.tag("section", &[("class", "beginning")], |html| {
                html.leaf("h1", &[], "Records compared");
                html.leaf(
                    "p",
                    &[("class", "lead")],
                    &format!("The first: {}.", words(&view.first)),
                );
            });
            for (index, ((other, comparison), part)) in view.others.iter().zip(&parts).enumerate() {
                section(html, part.0, part.1, |html| {
                    html.leaf("p", &[], &format!("The second: {}.", words(other)));
                    if let Some(line) = clocks(comparison) {
                        html.leaf("p", &[], &sentence(&line));
                    }
                    html.leaf("p", &[("class", "lead")], &sentence(&answer(comparison)));
                    for line in lines(view, other, comparison) {
                        html.leaf("p", &[], &sentence(&line));
                    }
                    machines(&view.first, other, comparison, html);
                    table(view, comparison, index == 0, html);
                });
            }
        });
    });
    writeln!(out, "{page}")
}

/// The anchor and the heading of what is said of another record.
fn anchor((number, (other, _)): (usize, &(ComparedRecord<'_>, Comparison))) -> (String, String) {
    (format!("record-{number}"), format!("Against {}", other.name))
}

fn words(record: &ComparedRecord<'_>) -> String {
    format!("{}, {}", record.name, record.header.started)
}

fn machines(
    first: &ComparedRecord<'_>,
    second: &ComparedRecord<'_>,
    comparison: &Comparison,
    html: &mut Html,
) {
    let lines = settings(first, second);
    let lines: Vec<String> = lines
        .into_iter()
        .chain(comparison.machines.iter().map(differs))
        .collect();
    if lines.is_empty() {
        return html.leaf(
            "p",
            &[("class", "soft")],
            "Machine and settings are the same in both.",
        );
    }
    html.leaf("h3", &[], "What differs");
    html.tag("ul", &[], |html| {
        lines.iter().for_each(|line| html.leaf("li", &[], line))
    });
}

/// The points that are listed. The script sorts and filters the first table of a page.
fn table(view: &ComparedView<'_>, comparison: &Comparison, first: bool, html: &mut Html) {
    let points: Vec<&Compared> = listed(view, comparison).collect();
    if points.is_empty() {
        return html.leaf("p", &[], "No point changed of which that can be said.");
    }
    if first {
        filters(&points, html);
    }
    scrolled(html, "points compared", |html| {
        let mut attributes = vec![("class", "compared")];
        attributes.extend(first.then_some(("id", "points")));
        html.tag("table", &attributes, |html| {
            let says = "change = second / first; the interval holds it in at least 99 of 100 cases";
            html.leaf("caption", &[("class", "soft")], says);
            heading(html, COLUMNS);
            html.tag("tbody", &[], |html| {
                points.iter().for_each(|point| line(point, html))
            });
        });
    });
}

fn filters(points: &[&Compared], html: &mut Html) {
    let mut decisions: Vec<&str> = Vec::new();
    for point in points {
        if !decisions.contains(&point.decision.word()) {
            decisions.push(point.decision.word());
        }
    }
    html.tag("form", &[("class", "filters"), ("hidden", "")], |html| {
        choice(html, ("verdict", "decision"), &decisions);
        html.tag("label", &[], |html| {
            html.say("name ");
            html.void("input", &[("type", "search"), ("id", "filter-text")]);
        });
        html.leaf("output", &[("id", "filter-count"), ("aria-live", "polite")], "");
    });
}

/// The class from which the style takes the colour of a decision; its word says the same.
fn class(decision: Decision) -> &'static str {
    match decision {
        Decision::Slower => "verdict failed",
        Decision::Faster => "verdict measured",
        Decision::Larger | Decision::Smaller => "verdict noisy",
        _ => "verdict",
    }
}

fn line(point: &Compared, html: &mut Html) {
    let attributes = [
        ("data-verdict", point.decision.word()),
        ("data-kind", kind(point.quantity)),
    ];
    html.tag("tr", &attributes, |html| {
        html.tag("th", &[ROW], |html| {
            html.tag("span", &[("class", "point")], |html| name(html, &point.id));
        });
        for side in [point.first, point.second] {
            sorted(html, side, |html| html.say(&value(side, point)));
        }
        let by = point.change.map(|change| match change {
            Change::Factor(factor) => factor.value,
            Change::Difference(by) => by.value,
        });
        sorted(html, by, |html| html.say(&change(point)));
        html.leaf("td", &[], &interval(point));
        html.tag("td", &[], |html| {
            let noisy = if point.noisy { "~ " } else { "" };
            html.leaf(
                "span",
                &[("class", class(point.decision))],
                &format!("{noisy}{}", decision(point)),
            );
            if let Some(reason) = super::reason(point) {
                html.say(&format!(": {reason}"));
            }
        });
    });
}
