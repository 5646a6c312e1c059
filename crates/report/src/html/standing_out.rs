//! What stands out and why: verdicts with what helps, predictions that were far off, methods that are wrong.

use super::number::Unit;
use super::parts::{link, links, operation_anchor, scrolled, section, short_link};
use super::table::{heading, number_cell, point_cell, ratio_cell};
use super::writer::Html;
use crate::reasons::reasons;
use crate::remarks::{self, NoteGroup, Remark, TROUBLES};
use crate::wording::{many, sentence};
use crate::{View, cells};
use analysis::{Row, Verdict};
use record::PointId;

/// Points that are named because they are furthest from their prediction.
const FURTHEST: usize = 10;
/// Lists longer than this are collapsed at first.
const LONG: usize = 12;

/// Writes the part.
pub(super) fn standing_out(view: &View<'_>, html: &mut Html) {
    section(html, "standing-out", "What stands out", |html| {
        let rows = &view.analysis.rows;
        furthest(view, html);
        for verdict in TROUBLES {
            troubles(rows, verdict, html);
        }
        references(view, html);
        notes(rows, html);
        sweeps(view, html);
    });
}

/// How far a row is from its prediction, either way, for the order.
fn distance(row: &Row) -> f64 {
    row.ratio().map_or(1.0, |ratio| ratio.max(ratio.recip()))
}

fn furthest(view: &View<'_>, html: &mut Html) {
    let rows = view.analysis.rows.iter();
    let right = rows.filter(|row| row.verdict == Verdict::Measured && row.point.reference.is_none());
    let mut rows: Vec<&Row> = right
        .filter(|row| row.ratio().is_some_and(|ratio| ratio > 0.0))
        .collect();
    rows.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    rows.truncate(FURTHEST);
    if rows.is_empty() {
        return;
    }
    html.leaf("h3", &[], "Furthest from the prediction");
    let says = "What nothing known explains; the formula of each is in its section.";
    html.leaf("p", &[("class", "soft")], says);
    scrolled(html, "points furthest from their prediction", |html| {
        html.tag("table", &[("class", "furthest")], |html| {
            html.leaf(
                "caption",
                &[("class", "unseen")],
                "points furthest from their prediction",
            );
            heading(html, ["point", "predicted", "measured", "ratio"]);
            html.tag("tbody", &[], |html| {
                rows.iter()
                    .for_each(|row| furthest_row(row, view.analysis.core_hz, html));
            });
        });
    });
}

fn furthest_row(row: &Row, run_hz: Option<f64>, html: &mut Html) {
    let unit = Unit::of(row, run_hz);
    html.tag("tr", &[], |html| {
        point_cell(html, &row.point.id, "");
        let predicted = row.predicted().map(|predicted| unit.range(predicted.total));
        number_cell(html, predicted.as_ref());
        let measured = row.estimate.as_ref();
        let measured = measured.map(|estimate| unit.show(estimate.typical, cells::half(estimate.interval)));
        number_cell(html, measured.as_ref());
        ratio_cell(html, row);
    });
}

fn troubles(rows: &[Row], verdict: Verdict, html: &mut Html) {
    let (found, groups) = (remarks::troubles(rows, verdict), reasons(rows, verdict));
    if found.is_empty() && groups.is_empty() {
        return;
    }
    let count = rows.iter().filter(|row| row.verdict == verdict).count();
    html.tag("h3", &[], |html| {
        super::parts::verdict(html, verdict);
        html.say(&format!(" {}", many(count, "point")));
    });
    html.leaf("p", &[("class", "soft")], &sentence(remarks::meaning(verdict)));
    html.tag("ul", &[("class", "remarks")], |html| {
        groups.iter().for_each(|group| note_group(group, html));
        found.iter().for_each(|found| remark(found, html));
    });
}

/// What is said of all, what helps, and the points, each with what is its own.
fn note_group(group: &NoteGroup, html: &mut Html) {
    html.tag("li", &[], |html| {
        html.leaf("p", &[], &sentence(&group.heading));
        if let Some(remedy) = group.remedy {
            remedy_line(remedy, html);
        }
        folded(html, group.points.len(), |html| {
            html.tag("ul", &[("class", "points")], |html| {
                for points in group
                    .points
                    .chunk_by(|(one, _), (next, _)| one.operation == next.operation)
                {
                    html.tag("li", &[], |html| points_of_one(points, group.lines, html));
                }
            });
        });
    });
}

/// Points of one operation behind one another, which is named once, each with what is its own.
fn points_of_one(points: &[(PointId, String)], is_long: bool, html: &mut Html) {
    let between = if is_long { "; " } else { ", " };
    for (index, (id, own)) in points.iter().enumerate() {
        if index == 0 {
            link(html, id);
        } else {
            html.say(between);
            short_link(html, id);
        }
        match own.as_str() {
            "" => {}
            own if is_long || points.len() == 1 => html.say(&format!(": {own}")),
            own => html.say(&format!(" ({own})")),
        }
    }
}

/// A long list is collapsed at first.
fn folded(html: &mut Html, length: usize, inside: impl FnOnce(&mut Html)) {
    if length <= LONG {
        return inside(html);
    }
    html.folded(&[], |html| html.say(&many(length, "point")), inside);
}

fn remedy_line(remedy: &str, html: &mut Html) {
    html.leaf("p", &[("class", "remedy")], &format!("→ {remedy}"));
}

fn remark(remark: &Remark, html: &mut Html) {
    html.tag("li", &[], |html| {
        html.leaf("p", &[], &sentence(remark.text.trim_end_matches('.')));
        if let Some(remedy) = &remark.remedy {
            remedy_line(remedy, html);
        }
        folded(html, remark.points.len(), |html| {
            html.tag("p", &[("class", "points")], |html| {
                links(html, remark.points.iter())
            });
        });
    });
}

fn references(view: &View<'_>, html: &mut Html) {
    let found = remarks::references(&view.analysis.contrasts);
    if found.is_empty() {
        return;
    }
    let title = format!("{} Reference methods", cells::REFERENCE_MARK);
    group(html, &title, |html| {
        let says = "Kept to be compared with, not to be relied upon.";
        html.leaf("p", &[("class", "soft")], says);
        html.tag("ul", &[("class", "remarks")], |html| {
            for found in &found {
                html.tag("li", &[], |html| {
                    html.tag("p", &[("class", "points")], |html| {
                        links(html, found.points.iter())
                    });
                    html.leaf("p", &[], &sentence(&found.text));
                });
            }
        });
    });
}

/// What is said of many points, collapsed at first.
fn group(html: &mut Html, title: &str, inside: impl FnOnce(&mut Html)) {
    let heading = [("role", "heading"), ("aria-level", "3")];
    html.folded(
        &[("class", "group")],
        |html| html.leaf("b", &heading, title),
        inside,
    );
}

fn notes(rows: &[Row], html: &mut Html) {
    // Each point has its own notes below.
    let found = if html.is_full {
        remarks::notes(rows)
    } else {
        Vec::new()
    };
    let unpredicted = remarks::unpredicted(rows);
    if found.is_empty() && unpredicted.is_empty() {
        return;
    }
    group(html, "Notes", |html| {
        html.tag("ul", &[("class", "remarks")], |html| {
            found.iter().for_each(|group| note_group(group, html));
            unpredicted.iter().for_each(|found| remark(found, html));
        });
    });
}

fn sweeps(view: &View<'_>, html: &mut Html) {
    if view.analysis.lines.is_empty() {
        return;
    }
    group(html, "Lines through sweeps", |html| {
        html.tag("ul", &[], |html| {
            for line in &view.analysis.lines {
                html.tag("li", &[], |html| {
                    let place = operation_anchor(&line.sweep.operation);
                    html.lead(&place, "point", |html| html.say(&line.sweep.to_string()));
                    html.say(&format!(": {}", remarks::sweep(line, view.analysis)));
                });
            }
        });
    });
}
