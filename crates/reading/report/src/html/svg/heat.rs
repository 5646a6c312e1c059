//! Machines by points: a field above the line where a machine costs more than the median machine, below where it costs less.

use super::sign::px;
use crate::document::Heat;
use crate::html::parts::scrolled;
use crate::html::writer::Html;
use quantity::show_ratio;

/// Width of a column and height of a row.
const CELL: (f64, f64) = (16.0, 14.0);
/// Room for the names of machines, and for those of points.
const NAMES: (f64, f64) = (150.0, 170.0);
/// A field is of full colour where the cost is this factor away.
const FULL: f64 = 1.5;
/// The colour of the least difference that is drawn, as a share of the full one.
const FAINTEST: f64 = 0.15;
/// Costs within this factor have no field.
const ALIKE: f64 = 1.005;

/// Draws them.
pub(crate) fn heat(html: &mut Html, heat: &Heat) {
    let width = NAMES.0 + CELL.0 * heat.columns.len() as f64 + NAMES.1 / 2.0;
    let height = NAMES.1 + CELL.1 * heat.rows.len() as f64 + 4.0;
    let (view, wide) =
        (format!("0 0 {} {}", px(width), px(height)), format!("min-width:{}px", px(width * 0.7)));
    html.tag("figure", &[], |html| {
        scrolled(html, "picture", |html| {
            let about = "cost of each point on each machine, beside the median machine";
            let attributes = [
                ("class", "plot heat"),
                ("viewBox", &*view),
                ("style", &wide),
                ("role", "img"),
                ("aria-label", about),
            ];
            html.tag("svg", &attributes, |html| {
                heat.columns.iter().enumerate().for_each(|(place, name)| column(html, place, name));
                heat.rows.iter().enumerate().for_each(|(place, row)| {
                    let base = NAMES.1 + CELL.1 * (place as f64 + 0.5);
                    let (x, y) = (px(NAMES.0 - 6.0), px(base + 3.5));
                    html.leaf("text", &[("class", "name end"), ("x", &x), ("y", &y)], &row.name);
                    let end = px(NAMES.0 + CELL.0 * heat.columns.len() as f64);
                    let line = format!("M{} {}H{end}", px(NAMES.0), px(base));
                    html.shape("path", &[("class", "base"), ("d", &line)]);
                    for ((place, ratio), name) in row.ratios.iter().enumerate().zip(&heat.columns) {
                        bar(html, (place, base), *ratio, name);
                    }
                });
            });
        });
        let mut says =
            "above the line: the machine costs more than the median machine of its type; below: less; \
             full colour from × 1.5 on"
                .to_owned();
        if heat.left_out > 0 {
            says += &format!("; {} more machines are not drawn", heat.left_out);
        }
        html.leaf("figcaption", &[("class", "soft")], &says);
    });
}

/// The name of a point, standing on its end.
fn column(html: &mut Html, place: usize, name: &str) {
    let x = NAMES.0 + CELL.0 * (place as f64 + 0.5) + 3.5;
    let y = NAMES.1 - 6.0;
    let turn = format!("rotate(-60 {} {})", px(x), px(y));
    let (x, y) = (px(x), px(y));
    html.leaf("text", &[("class", "begin"), ("x", &x), ("y", &y), ("transform", &turn)], name);
}

fn bar(html: &mut Html, (place, base): (usize, f64), ratio: Option<f64>, name: &str) {
    let x = NAMES.0 + CELL.0 * place as f64 + 2.0;
    let Some(ratio) = ratio else {
        let path = format!("M{} {}h{}", px(x + 3.0), px(base - 3.0), px(CELL.0 - 10.0));
        return html.shape("path", &[("class", "base"), ("d", &path)]);
    };
    if ratio.max(1.0 / ratio) < ALIKE {
        return;
    }
    let share = (ratio.ln() / FULL.ln()).clamp(-1.0, 1.0);
    let high = CELL.1 / 2.0 - 1.0;
    let opacity = format!("{:.2}", share.abs().max(FAINTEST));
    let top = if share > 0.0 { base - high } else { base };
    let class = if share > 0.0 { "more" } else { "less" };
    let (x, y, wide, high) = (px(x), px(top), px(CELL.0 - 4.0), px(high));
    let attributes = [
        ("class", class),
        ("x", &*x),
        ("y", &y),
        ("width", &wide),
        ("height", &high),
        ("fill-opacity", &opacity),
    ];
    html.tag("rect", &attributes, |html| html.leaf("title", &[], &format!("{name}: {}", show_ratio(ratio))));
}
