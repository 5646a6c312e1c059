//! The table of the reports: hardware, software, predicted, measured, ratio, verdict, a line for every point.

use super::number::Unit;
use super::parts::{link, scrolled, section, verdict};
use super::svg;
use super::writer::Html;
use crate::{View, cells};
use analysis::{Predicted, Row, Verdict};
use quantity::Quantity;
use record::Range;

/// The columns: name, class, whether they are sorted as numbers.
const COLUMNS: [(&str, &str); 8] = [
    ("point", ""),
    ("hardware", "extra"),
    ("software", "extra"),
    ("predicted", ""),
    ("measured", ""),
    ("±", "extra"),
    ("ratio", ""),
    ("verdict", ""),
];

/// The columns of the user's own predictions, where there are any: before the verdict.
const USER: [(&str, &str); 2] = [("user's", "n extra"), ("its ratio", "n extra")];

/// Writes the table with what filters it. What needs the script is hidden until there is one.
pub(super) fn summary(view: &View<'_>, html: &mut Html) {
    section(html, "summary", "Summary", |html| {
        if view.analysis.rows.is_empty() {
            return html.leaf("p", &[], "No point was planned.");
        }
        filters(view, html);
        scrolled(html, "summary of all points", |html| {
            html.tag("table", &[("class", "summary"), ("id", "points")], |html| {
                html.leaf("caption", &[("class", "soft")], cells::TIERS);
                let user = cells::has_user(&view.analysis.rows);
                html.tag("thead", &[], |html| {
                    html.tag("tr", &[], |html| columns(user, html))
                });
                html.tag("tbody", &[], |html| {
                    let mut before = "";
                    for row in &view.analysis.rows {
                        line(row, (before, user), view.analysis.core_hz, html);
                        before = &row.point.id.operation;
                    }
                });
            });
        });
    });
}

fn columns(user: bool, html: &mut Html) {
    let mut columns = COLUMNS.to_vec();
    if user {
        columns.splice(COLUMNS.len() - 1..COLUMNS.len() - 1, USER);
    }
    for (name, class) in columns {
        html.leaf("th", &[("scope", "col"), ("class", class)], name);
    }
}

fn filters(view: &View<'_>, html: &mut Html) {
    html.tag("form", &[("class", "filters"), ("hidden", "")], |html| {
        let rows = &view.analysis.rows;
        let areas = rows.iter().map(|row| row.point.area.as_str());
        choice(html, ("area", "area"), &distinct(areas));
        let verdicts = [
            Verdict::Measured,
            Verdict::Noisy,
            Verdict::Contradicted,
            Verdict::Failed,
            Verdict::Skipped,
        ];
        let here = verdicts
            .iter()
            .filter(|verdict| rows.iter().any(|row| row.verdict == **verdict));
        choice(
            html,
            ("verdict", "verdict"),
            &here.map(|verdict| verdict.word()).collect::<Vec<_>>(),
        );
        html.tag("label", &[], |html| {
            html.say("name ");
            html.void(
                "input",
                &[
                    ("type", "search"),
                    ("id", "filter-text"),
                    ("placeholder", "pipe cpu=same"),
                ],
            );
        });
        html.leaf("output", &[("id", "filter-count"), ("aria-live", "polite")], "");
    });
}

fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

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

/// Values of different kinds are sorted apart.
pub(crate) fn kind(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Latency => "0",
        Quantity::Bandwidth => "1",
        Quantity::Frequency => "2",
        Quantity::Size => "3",
        Quantity::Count => "4",
        Quantity::Ratio => "5",
    }
}

fn line(row: &Row, (before, user): (&str, bool), run_hz: Option<f64>, html: &mut Html) {
    let first = if row.point.id.operation == before {
        ""
    } else {
        "first"
    };
    let attributes = [
        ("class", first),
        ("data-area", row.point.area.as_str()),
        ("data-verdict", row.verdict.word()),
        ("data-kind", kind(row.quantity())),
    ];
    let unit = Unit::of(row, run_hz);
    html.tag("tr", &attributes, |html| {
        html.tag("th", &[("scope", "row")], |html| {
            link(html, &row.point.id);
            if row.point.reference.is_some() {
                html.say(&format!(" {}", cells::REFERENCE_MARK));
            }
        });
        predicted(row, unit, "n extra", |predicted| predicted.hardware, html);
        predicted(row, unit, "n extra", |predicted| predicted.software, html);
        predicted(row, unit, "n", |predicted| predicted.total, html);
        measured(row, unit, html);
        let estimate = row.estimate.as_ref();
        let half = estimate.and_then(analysis::Estimate::half_width);
        sorted(html, "n extra", half, |html| html.say(&cells::half_width(row)));
        sorted(html, "n", row.ratio(), |html| {
            html.say(&cells::ratio(row));
            if let Some(ratio) = row.ratio() {
                svg::ratio(html, ratio);
            }
        });
        if user {
            users(row, unit, html);
        }
        html.tag("td", &[], |html| verdict(html, row.verdict));
    });
}

/// What the user predicted, and by what factor it was off.
fn users(row: &Row, unit: Unit, html: &mut Html) {
    let user = row.point.user.as_ref().map(|user| user.typical);
    sorted(html, "n extra", user, |html| {
        if let Some(user) = user {
            unit.show(user, None).write(html);
        }
    });
    sorted(html, "n extra", row.user_ratio(), |html| {
        html.say(&cells::user_ratio(row));
    });
}

/// A number by which values are ordered: more digits than six order noise.
fn short(key: f64) -> String {
    let exact = format!("{key:.5e}");
    exact.parse().map_or(exact, |rounded: f64| {
        let (plain, short) = (rounded.to_string(), format!("{rounded:e}"));
        if plain.len() <= short.len() { plain } else { short }
    })
}

/// A cell with the number by which it is sorted.
pub(crate) fn sorted(html: &mut Html, class: &str, key: Option<f64>, inside: impl FnOnce(&mut Html)) {
    let key = key.filter(|key| key.is_finite()).map(short);
    match &key {
        None => html.tag("td", &[("class", class)], inside),
        Some(key) => html.tag("td", &[("class", class), ("data-key", key)], inside),
    }
}

fn predicted(row: &Row, unit: Unit, class: &str, part: impl Fn(&Predicted) -> Range, html: &mut Html) {
    let range = row.predicted().map(&part);
    let tier = if class == "n" { cells::tier(row) } else { "" };
    sorted(html, class, range.map(|range| range.value), |html| {
        if let Some(range) = range {
            unit.range(range).write(html);
        }
        if !tier.is_empty() {
            html.say(" ");
            html.leaf("small", &[], tier);
        }
    });
}

fn measured(row: &Row, unit: Unit, html: &mut Html) {
    let estimate = row.estimate.as_ref();
    sorted(
        html,
        "n strong",
        estimate.map(|estimate| estimate.typical),
        |html| {
            if let Some(estimate) = estimate {
                unit.show(estimate.typical, cells::half(estimate.interval))
                    .write(html);
            }
        },
    );
}
