//! The table of the reports: hardware, software, predicted, measured, ratio, verdict, a line for every point.

use super::number::Unit;
use super::parts::{scrolled, section};
use super::table::{PageColumns, number_cell, point_cell, ratio_cell, verdict_cell};
use super::writer::{Attributes, Html};
use crate::cells::{self, ALL_VERDICTS};
use crate::groups::distinct;
use crate::wording::sentence;
use crate::{View, cores, run_summary};
use analysis::{Predicted, Row, Verdict};
use quantity::Quantity;
use record::Range;

/// Writes the table with what filters it. What needs the script is hidden until there is one.
pub(super) fn summary(view: &View<'_>, html: &mut Html) {
    section(html, "summary", "Summary", |html| {
        if view.analysis.rows.is_empty() {
            return html.leaf("p", &[], "No point was planned.");
        }
        ended(view, html);
        filters(view, html);
        scrolled(html, "summary of all points", |html| {
            let user = cells::has_user(&view.analysis.rows);
            let class = if user { "summary users" } else { "summary" };
            html.tag("table", &[("class", class), ("id", "points")], |html| {
                html.tag("caption", &[("class", "soft")], |html| {
                    html.say(cells::TIERS);
                    let mut rows = view.analysis.rows.iter();
                    if rows.any(|row| !cores::state(row).is_empty()) {
                        html.say(&format!("; {}", cores::STATES));
                    }
                });
                let columns = columns(view, user);
                columns.headings(html);
                html.tag("tbody", &[], |html| {
                    let rows = &view.analysis.rows;
                    for (row, before) in rows.iter().zip(std::iter::once(None).chain(rows.iter().map(Some))) {
                        columns.row(&attributes(row, before), &row, html);
                    }
                });
            });
        });
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
    for line in run_summary::accuracy(view) {
        html.leaf("p", &[], &sentence(&line));
    }
    for note in crate::notes::of_run(view.analysis) {
        html.leaf("p", &[("class", "soft")], &sentence(&note));
    }
}

/// The columns; the page's style knows by their order which are numbers, and which a narrow page does without. Those of the
/// user's own predictions stand before the verdict, where there are any.
fn columns<'v>(view: &'v View<'_>, user: bool) -> PageColumns<'v, &'v Row> {
    let unit = |row: &Row| Unit::of_row(row, view.analysis.core_hz);
    let part = move |html: &mut Html, row: &Row, part: fn(&Predicted) -> Range| {
        number_cell(html, row.predicted().map(|predicted| unit(row).range(part(predicted))));
    };
    PageColumns::new("point", |html, row: &&Row| {
        let mark = if row.point.flaw.is_some() { format!(" {}", cells::FLAWED_MARK) } else { String::new() };
        point_cell(html, &row.point.id, &mark);
    })
    .with("hardware", move |html, row| part(html, row, |predicted| predicted.hardware))
    .with("software", move |html, row| part(html, row, |predicted| predicted.software))
    .with("predicted", move |html, row| {
        html.tag("td", &[], |html| {
            if let Some(predicted) = unit(row).predicted(row) {
                predicted.write(html);
                html.say(" ");
                html.leaf("small", &[], cells::tier(row));
            }
        });
    })
    .with("measured", move |html, row| number_cell(html, unit(row).typical(row)))
    .with("±", |html, row| html.leaf("td", &[], &cells::half_width(row)))
    .with("ratio", |html, row| ratio_cell(html, row))
    .when(user, |columns| {
        columns
            .with("user's", move |html, row| {
                let user = row.point.user.as_ref();
                number_cell(html, user.map(|user| unit(row).show(user.typical, None)));
            })
            .with("its ratio", |html, row| html.leaf("td", &[], &cells::user_ratio(row)))
    })
    .with("verdict", |html, row| verdict_cell(html, row.verdict, cores::state(row)))
}

fn filters(view: &View<'_>, html: &mut Html) {
    html.tag("form", &[("class", "filters"), ("hidden", "")], |html| {
        let rows = &view.analysis.rows;
        let areas = rows.iter().map(|row| row.point.area.as_str());
        choice(html, ("area", "area"), &distinct(areas));
        let here = ALL_VERDICTS.iter().filter(|verdict| rows.iter().any(|row| row.verdict == **verdict));
        choice(html, ("verdict", "verdict"), &here.map(|verdict| verdict.word()).collect::<Vec<_>>());
        search(html, &[("placeholder", "pipe cpu=same")]);
    });
}

/// Where a part of a name is typed, and how many rows are shown.
pub(crate) fn search(html: &mut Html, attributes: Attributes<'_>) {
    html.tag("label", &[], |html| {
        html.say("name ");
        html.void("input", &[&[("type", "search"), ("id", "filter-text")], attributes].concat());
    });
    html.leaf("output", &[("id", "filter-count"), ("aria-live", "polite")], "");
}

/// One of these values, or all.
pub(crate) fn choice(html: &mut Html, (name, label): (&str, &str), values: &[&str]) {
    html.tag("label", &[], |html| {
        html.say(&format!("{label} "));
        let id = format!("filter-{name}");
        html.tag("select", &[("id", &id)], |html| {
            html.leaf("option", &[("value", "")], "all");
            for value in values {
                html.leaf("option", &[], value);
            }
        });
    });
}

/// By what values of different kinds are sorted apart; most are times, of which nothing is said.
pub(crate) fn kind(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Latency => "",
        Quantity::Bandwidth => "1",
        Quantity::Frequency => "2",
        Quantity::Size => "3",
        Quantity::Count => "4",
        Quantity::Ratio => "5",
    }
}

/// What the script is to know of a row. It takes the area from the line before and the verdict as measured where nothing is
/// said.
fn attributes<'r>(row: &'r Row, before: Option<&Row>) -> [(&'static str, &'r str); 3] {
    let area = row.point.area.as_str();
    let is_new = before.is_none_or(|before| before.point.area != area);
    let is_usual = row.verdict == Verdict::Measured;
    [
        ("data-area", if is_new { area } else { "" }),
        ("data-verdict", if is_usual { "" } else { row.verdict.word() }),
        ("data-kind", kind(row.quantity())),
    ]
}
