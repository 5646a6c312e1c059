//! Findings: verdicts with what helps, predictions that were far off, methods that are wrong.

use super::number::Unit;
use super::parts::section;
use super::table::{Frame, PageColumns, number_cell, point_cell, ratio_cell};
use super::writer::Html;
use crate::document::Block;
use crate::document::html::write_inside;
use crate::remarks::TROUBLES;
use crate::wording::many;
use crate::{View, pairs, scaling, sections};
use analysis::{Row, Verdict};

/// Points that are named because they are furthest from their prediction.
const FURTHEST: usize = 10;

/// Writes the part.
pub(super) fn findings(view: &View<'_>, html: &mut Html) {
    section(html, "standing-out", "Findings", |html| {
        furthest(view, html);
        for verdict in TROUBLES {
            troubles(view, verdict, html);
        }
        // Each point has its own notes below.
        let notes = if html.is_full { sections::notes(view) } else { sections::unpredicted(view) };
        let parts = [
            sections::flawed_methods(view),
            notes,
            sections::sweeps(view),
            scaling::scaling(view),
            pairs::pairs(view),
        ];
        write_inside(&parts.into_iter().flatten().collect::<Vec<_>>(), html);
    });
}

/// How far a row is from its prediction, either way, for the order.
fn distance(row: &Row) -> f64 {
    row.ratio().map_or(1.0, |ratio| ratio.max(ratio.recip()))
}

fn furthest(view: &View<'_>, html: &mut Html) {
    let rows = view.analysis.rows.iter();
    let right = rows.filter(|row| row.verdict == Verdict::Measured && row.point.flaw.is_none());
    let mut rows: Vec<&Row> = right.filter(|row| row.ratio().is_some_and(|ratio| ratio > 0.0)).collect();
    rows.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
    rows.truncate(FURTHEST);
    if rows.is_empty() {
        return;
    }
    html.leaf("h3", &[], "Largest deviations from predictions");
    let says = "Most are unexplained; the formula of each is in its section.";
    html.leaf("p", &[("class", "soft")], says);
    let unit = |row: &Row| Unit::of_row(row, view.analysis.core_hz);
    let columns = PageColumns::new()
        .with("point", |html, row: &&Row| point_cell(html, &row.point.id, ""))
        .with("predicted", |html, row| number_cell(html, unit(row).predicted(row)))
        .with("measured", |html, row| number_cell(html, unit(row).typical(row)))
        .with("ratio", |html, row| ratio_cell(html, row));
    let title = "points furthest from their prediction";
    let frame = Frame { says: title, class: "furthest", caption: title, is_unseen: true, ..Frame::default() };
    columns.write(frame, rows, html);
}

fn troubles(view: &View<'_>, verdict: Verdict, html: &mut Html) {
    let Some(Block::Part(_, blocks)) = sections::troubles(view, verdict) else {
        return;
    };
    let rows = view.analysis.rows.iter();
    let count = rows.filter(|row| row.verdict == verdict).count();
    html.tag("h3", &[], |html| {
        super::parts::verdict(html, verdict);
        html.say(&format!(" {}", many(count, "point")));
    });
    write_inside(&blocks, html);
}
