//! A scene as SVG: each value on hover, series distinguished without colour.

use super::frame::{Frame, HEIGHT};
use super::sign::{Sign, px};
use crate::html::writer::Html;
use crate::scene::{Drawn, Guide, Scene, ScenePoint, Series};
use crate::wording::joined;

/// Height of a strip of bars.
const STRIP: f64 = 160.0;
/// Lines on which names of marks stand, one below the other.
const LINES: usize = 3;
/// Share of its room that a bar fills, and the widest bar.
const FILLED: f64 = 0.75;
const WIDEST: f64 = 10.0;
/// Width of a letter of the name of a mark.
const LETTER: f64 = 6.0;
/// Half of the shortest bar.
const LEAST_BAR: f64 = 0.8;

/// Draws the scene; times are in core cycles, too, where the clock of the core is known.
pub(crate) fn scene(html: &mut Html, scene: &Scene, core_hz: Option<f64>) {
    let is_strip = scene.series.iter().any(|series| series.drawn == Drawn::Bars);
    let frame =
        Frame { height: if is_strip { STRIP } else { HEIGHT }, along: &scene.along, up: &scene.up, core_hz };
    let places: usize = scene.series.iter().map(|series| series.places.len()).sum();
    frame.draw(html, &scene.says, |html| {
        guides(html, &frame, &scene.guides);
        marks(html, &frame, &scene.marks);
        for series in &scene.series {
            match series.drawn {
                Drawn::Signs => signs(html, &frame, series),
                Drawn::Line => line(html, &frame, series),
                Drawn::Bars => bars(html, &frame, series, places),
            }
        }
    });
}

fn guides(html: &mut Html, frame: &Frame<'_>, guides: &[(Guide, bool)]) {
    if guides.is_empty() {
        return;
    }
    html.tag("g", &[("class", "aid")], |html| {
        for (guide, is_exact) in guides {
            let path = match guide {
                Guide::Between(ends) => {
                    let [from, to] = ends.map(|(along, up)| (px(frame.x(along)), px(frame.y(up))));
                    format!("M{} {}L{} {}", from.0, from.1, to.0, to.1)
                }
                Guide::Level(at) => {
                    let (left, right) = frame.sides();
                    format!("M{} {}H{}", px(left), px(frame.y(*at)), px(right))
                }
            };
            let class = if *is_exact { "exact" } else { "off" };
            html.shape("path", &[("class", class), ("d", &path)]);
        }
    });
}

fn marks(html: &mut Html, frame: &Frame<'_>, marks: &[(f64, String, String)]) {
    for (index, (at, name, says)) in marks.iter().enumerate() {
        let (x, (top, bottom)) = (frame.x(*at), frame.ends());
        html.tag("g", &[("class", "mark")], |html| {
            html.leaf("title", &[], says);
            let path = format!("M{} {}V{}", px(x), px(top), px(bottom));
            html.shape("path", &[("d", &path)]);
            let y = top + 11.0 + 12.0 * (index % LINES) as f64;
            // A name that would reach over the axis stands on the other side of its line.
            let has_room = x - frame.sides().0 > name.chars().count() as f64 * LETTER;
            let (x, class) = if has_room { (x - 4.0, "") } else { (x + 4.0, "after") };
            html.leaf("text", &[("class", class), ("x", &px(x)), ("y", &px(y))], name);
        });
    }
}

fn signs(html: &mut Html, frame: &Frame<'_>, series: &Series) {
    let sign = Sign::of_series(series.sign);
    // What says nothing on hover is one shape together.
    let at = |place: &ScenePoint| (frame.x(place.along), frame.y(place.up));
    html.tag("g", &[("class", sign.class())], |html| {
        sign.draw_all(html, series.places.iter().filter(|place| is_silent(place)).map(at));
        for place in series.places.iter().filter(|place| !is_silent(place)) {
            let class = if place.is_open { "hollow" } else { "" };
            sign.draw(html, class, at(place), &place.says);
        }
    });
}

fn is_silent(place: &ScenePoint) -> bool {
    !place.is_open && place.says.is_empty()
}

fn line(html: &mut Html, frame: &Frame<'_>, series: &Series) {
    let sign = Sign::of_series(series.sign);
    html.tag("g", &[("class", sign.class())], |html| {
        let stretches = series.stretches().map(|places| {
            let places = places.iter();
            let places =
                places.map(|place| format!("{} {}", px(frame.x(place.along)), px(frame.y(place.up))));
            format!("M{}", joined(places, "L"))
        });
        let path = joined(stretches, "");
        html.shape("path", &[("class", "line"), ("d", &path)]);
        for (along, up) in &series.predicted {
            sign.draw(html, "hollow", (frame.x(*along), frame.y(*up)), "");
        }
        for place in &series.places {
            let (x, y) = (frame.x(place.along), frame.y(place.up));
            html.tag("g", &[], |html| {
                html.leaf("title", &[], &place.says);
                let near = [("class", "near"), ("cx", &px(x)), ("cy", &px(y))];
                html.shape("circle", &near);
                if let Some((low, high)) = place.interval {
                    let ends = format!("M{} {}V{}", px(x), px(frame.y(high)), px(frame.y(low)));
                    html.shape("path", &[("class", "bar"), ("d", &ends)]);
                }
                sign.draw(html, "", (x, y), "");
            });
        }
    });
}

/// Bars over intervals, one of `count` beside the other, each at least as high as it is visible.
fn bars(html: &mut Html, frame: &Frame<'_>, series: &Series, count: usize) {
    let (left, right) = frame.sides();
    let width = px(((right - left) / count as f64 * FILLED).min(WIDEST));
    let class = Sign::of_series(series.sign).class();
    html.tag("g", &[("class", class), ("stroke-width", &width)], |html| {
        for place in &series.places {
            let (low, high) = place.interval.unwrap_or((place.up, place.up));
            let (top, bottom) = (frame.y(high), frame.y(low));
            let middle = f64::midpoint(top, bottom);
            let (top, bottom) = (top.min(middle - LEAST_BAR), bottom.max(middle + LEAST_BAR));
            let bar = format!("M{} {}V{}", px(frame.x(place.along)), px(top), px(bottom));
            match place.says.as_str() {
                "" => html.shape("path", &[("d", &bar)]),
                says => html.tag("path", &[("d", &bar)], |html| html.leaf("title", &[], says)),
            }
        }
    });
}

/// A sign of its own beside each series.
pub(crate) fn legend(html: &mut Html, scene: &Scene) {
    html.tag("ul", &[("class", "legend")], |html| {
        for series in &scene.series {
            let class = if series.drawn == Drawn::Line { "" } else { "dotted" };
            html.tag("li", &[("class", class)], |html| {
                Sign::of_series(series.sign).legend(html);
                html.say(if series.name.is_empty() { "typical" } else { &series.name });
            });
        }
    });
}
