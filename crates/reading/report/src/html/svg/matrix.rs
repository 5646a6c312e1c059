//! A map of pairs: a field for each, darker the further it is.

use super::sign::px;
use crate::document::Matrix;
use crate::html::parts::scrolled;
use crate::html::writer::Html;

/// Width and height of the fields together at most, and of a field at most.
const MOST: f64 = 640.0;
const FIELD: f64 = 16.0;
/// Room for the numbers.
const NAMES: f64 = 30.0;
/// Numbers have this distance at least.
const LEAST_DISTANCE: f64 = 12.0;

/// Draws them.
pub(crate) fn matrix(html: &mut Html, matrix: &Matrix) {
    let count = matrix.names.len().max(1);
    let field = (MOST / count as f64).min(FIELD);
    let size = NAMES + field * count as f64;
    let view = format!("0 0 {} {}", px(size), px(size));
    let wide = format!("max-width:{}px", px(size * 1.5));
    html.tag("figure", &[], |html| {
        scrolled(html, "picture", |html| {
            let attributes = [
                ("class", "plot heat"),
                ("viewBox", &*view),
                ("style", &wide),
                ("role", "img"),
                ("aria-label", &*matrix.title),
            ];
            html.tag("svg", &attributes, |html| {
                let step = (LEAST_DISTANCE / field).ceil().max(1.0) as usize;
                for (place, name) in matrix.names.iter().enumerate().step_by(step) {
                    let at = NAMES + field * (place as f64 + 0.5);
                    let (x, y) = (px(NAMES - 4.0), px(at + 3.5));
                    html.leaf("text", &[("class", "name end"), ("x", &x), ("y", &y)], name);
                    let (x, y) = (px(at), px(NAMES - 6.0));
                    html.leaf("text", &[("class", "name mid"), ("x", &x), ("y", &y)], name);
                }
                for (row, cells) in matrix.cells.iter().enumerate() {
                    for (column, cell) in cells.iter().enumerate() {
                        if let Some((share, value)) = cell {
                            let says = format!("{} and {}: {value}", name(matrix, row), name(matrix, column));
                            let [x, y] = [column, row].map(|place| px(NAMES + field * place as f64));
                            let (wide, opacity) = (px(field * 0.96), format!("{:.2}", 0.08 + 0.92 * share));
                            let attributes = [
                                ("class", "more"),
                                ("x", &*x),
                                ("y", &*y),
                                ("width", &*wide),
                                ("height", &*wide),
                                ("fill-opacity", &*opacity),
                            ];
                            html.tag("rect", &attributes, |html| html.leaf("title", &[], &says));
                        }
                    }
                }
            });
        });
        let [low, high] = &matrix.ends;
        let says = format!("{}: light {low}, full colour {high}, by ratio between them", matrix.title);
        html.leaf("figcaption", &[("class", "soft")], &says);
    });
}

fn name(matrix: &Matrix, place: usize) -> &str {
    matrix.names.get(place).map_or("", String::as_str)
}
