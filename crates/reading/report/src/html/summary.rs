//! The table of the reports: hardware, software, predicted, measured, ratio, verdict, a line for every point.

use super::number::Unit;
use super::parts::section;
use super::table::{
    Frame, PageColumns, RowFacts, filters, kind, number_cell, point_cell, ratio_cell, verdict_cell,
};
use super::writer::Html;
use crate::cells;
use crate::document::Block;
use crate::document::html::write_inside;
use crate::style::Paint;
use crate::wording::sentence;
use crate::{View, cores, run_summary, sections};
use analysis::{Predicted, Row, Verdict, distinct};
use record::Range;

/// Writes the table with what filters it. What needs the script is hidden until there is one.
pub(super) fn summary(view: &View<'_>, html: &mut Html) {
    section(html, "summary", "Summary", |html| {
        if view.analysis.rows.is_empty() {
            return html.leaf("p", &[], "No point was planned.");
        }
        ended(view, html);
        let rows = &view.analysis.rows;
        let areas = distinct(rows.iter().map(|row| row.point.area.as_str()));
        let verdicts =
            Verdict::ALL.into_iter().filter(|verdict| rows.iter().any(|row| row.verdict == *verdict));
        let verdicts = verdicts.map(|verdict| verdict.word()).collect();
        filters(&[("area", "area", areas), ("verdict", "verdict", verdicts)], "pipe cpu=same", html);
        let has_user = cells::has_user(rows);
        let caption = match rows.iter().any(|row| !cores::state(row).is_empty()) {
            true => format!("{}; {}", cells::TIERS, cores::STATES),
            false => cells::TIERS.to_owned(),
        };
        let frame = Frame {
            says: "summary of all points",
            class: if has_user { "summary users" } else { "summary" },
            id: "points",
            caption: &caption,
            is_unseen: false,
        };
        let before = std::iter::once(None).chain(rows.iter().map(Some));
        columns(view, has_user).write(frame, rows.iter().zip(before), html);
    });
}

/// How the run ended, how many rows have which verdict, and how well the predictions did.
fn ended(view: &View<'_>, html: &mut Html) {
    html.leaf("p", &[], &sentence(&run_summary::outcome(view)));
    html.tag("ul", &[("class", "counts")], |html| {
        for (verdict, count) in run_summary::counts(view.analysis.rows.iter()) {
            let class = format!("verdict {}", verdict.word());
            html.tag("li", &[("class", &class)], |html| {
                html.leaf("b", &[], &count);
                html.say(&format!(" {}", cells::signed_verdict(verdict)));
            });
        }
    });
    let notes = crate::notes::of_run(view.analysis).into_iter().map(|note| Block::Text(note, Paint::Faint));
    write_inside(&sections::accuracy(view).chain(notes).collect::<Vec<_>>(), html);
}

/// The columns; the page's style knows by their order which are numbers, and which a narrow page does without. Those of the
/// user's own predictions stand before the verdict, where there are any.
fn columns<'v>(view: &'v View<'_>, has_user: bool) -> PageColumns<'v, (&'v Row, Option<&'v Row>)> {
    let unit = |row: &Row| Unit::of_row(row, view.analysis.core_hz);
    let part = move |html: &mut Html, row: &Row, part: fn(&Predicted) -> Range| {
        number_cell(html, row.predicted().map(|predicted| unit(row).range(part(predicted))));
    };
    let columns = PageColumns::new()
        .with("point", |html, (row, _): &(&Row, _)| {
            let mark =
                if row.point.flaw.is_some() { format!(" {}", cells::FLAWED_MARK) } else { String::new() };
            point_cell(html, &row.point.id, &mark);
        })
        .with("hardware", move |html, (row, _)| part(html, row, |predicted| predicted.hardware))
        .with("software", move |html, (row, _)| part(html, row, |predicted| predicted.software))
        .with("predicted", move |html, (row, _)| {
            html.tag("td", &[], |html| {
                if let Some(predicted) = unit(row).predicted(row) {
                    predicted.write(html);
                    html.say(" ");
                    html.leaf("small", &[], cells::tier(row));
                }
            });
        })
        .with("measured", move |html, (row, _)| {
            html.tag("td", &[], |html| {
                if let Some(typical) = unit(row).typical(row) {
                    typical.write(html);
                    html.say(cores::clock_mark(view.analysis, row));
                }
            });
        })
        .with("±", |html, (row, _)| html.leaf("td", &[], &cells::half_width(row)))
        .with("ratio", |html, (row, _)| ratio_cell(html, row))
        .when(has_user, |columns| {
            columns
                .with("user's", move |html, (row, _)| {
                    let user = row.point.user.as_ref();
                    number_cell(html, user.map(|user| unit(row).show(user.typical, None)));
                })
                .with("its ratio", |html, (row, _)| html.leaf("td", &[], &cells::user_ratio(row)))
        })
        .with("verdict", |html, (row, _)| verdict_cell(html, row.verdict, cores::state(row)));
    columns.known_by(|(row, before)| facts(row, *before))
}

/// What the script is to know of a row. It takes the area from the line before and the verdict as measured where nothing is
/// said.
fn facts<'r>(row: &'r Row, before: Option<&Row>) -> RowFacts<'r> {
    let area = row.point.area.as_str();
    let is_new = before.is_none_or(|before| before.point.area != area);
    let is_usual = row.verdict == Verdict::Measured;
    [
        ("data-area", if is_new { area } else { "" }),
        ("data-verdict", if is_usual { "" } else { row.verdict.word() }),
        ("data-kind", kind(row.quantity())),
    ]
}
