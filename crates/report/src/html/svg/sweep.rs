//! A sweep: values with their intervals along a parameter, a line for each series, found levels marked.

use super::frame::{Frame, FrameAxis, HEIGHT};
use super::{Sign, px};
use crate::html::number::Unit;
use crate::html::writer::Html;
use crate::plot::axis::Axis;
use crate::plot::value_word;
use analysis::{Drawing, DrawnPoint, DrawnSeries};
use quantity::show;

/// Intervals do not stretch the axis of values by more than this factor.
const STRETCH: f64 = 1.5;
/// Lines on which names of marks stand, one below the other.
const LINES: usize = 3;

/// Draws a sweep; nothing where a value has no place on its axis.
pub(crate) fn sweep(html: &mut Html, drawing: &Drawing, core_hz: Option<f64>) -> Option<()> {
    let points = || drawing.series.iter().flat_map(|series| &series.points);
    let along = Axis::over(points().map(|point| point.at), drawing.along_scale)?;
    let near = |point: &DrawnPoint| {
        let (low, high) = point.ends();
        let size = point.value.abs();
        [
            low.max(point.value.min(size / STRETCH)),
            high.min(point.value.max(size * STRETCH)),
        ]
    };
    let up = Axis::over(points().flat_map(near), drawing.scale)?.with_room();
    let frame = Frame {
        height: HEIGHT,
        along: FrameAxis::new(along, drawing.along, None, &drawing.axis),
        up: FrameAxis::new(up, drawing.quantity, core_hz, value_word(drawing.quantity)),
    };
    let says = format!(
        "{}; the values are in the table below",
        crate::plot::title(drawing)
    );
    let unit = Unit::new(drawing.quantity, core_hz);
    frame.draw(html, &says, |html, frame| {
        marks(html, frame, drawing);
        for (index, one) in drawing.series.iter().enumerate() {
            series(html, frame, drawing, (Sign::of(index), one), unit);
        }
    });
    Some(())
}

fn marks(html: &mut Html, frame: &Frame, drawing: &Drawing) {
    let inside = drawing.marks.iter().filter(|(at, _)| frame.along.axis.holds(*at));
    for (index, (at, name)) in inside.enumerate() {
        let (x, (top, bottom)) = (frame.x(*at), frame.ends());
        html.tag("g", &[("class", "mark")], |html| {
            html.leaf(
                "title",
                &[],
                &format!("{name}: {}", show(*at, None, drawing.along)),
            );
            html.shape(
                "path",
                &[("d", &format!("M{} {}V{}", px(x), px(top), px(bottom)))],
            );
            let y = top + 11.0 + 12.0 * (index % LINES) as f64;
            html.leaf("text", &[("x", &px(x - 4.0)), ("y", &px(y))], name);
        });
    }
}

fn series(
    html: &mut Html,
    frame: &Frame,
    drawing: &Drawing,
    (sign, series): (Sign, &DrawnSeries),
    unit: Unit,
) {
    html.tag("g", &[("class", sign.class())], |html| {
        let mut line = String::new();
        for (index, point) in series.points.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            line.push_str(&format!(
                "{letter}{} {}",
                px(frame.x(point.at)),
                px(frame.y(point.value))
            ));
        }
        html.shape("path", &[("class", "line"), ("d", &line)]);
        for point in &series.points {
            let (x, y) = (frame.x(point.at), frame.y(point.value));
            html.tag("g", &[], |html| {
                html.leaf("title", &[], &says(drawing, series, point, unit));
                html.shape(
                    "circle",
                    &[("class", "near"), ("cx", &px(x)), ("cy", &px(y)), ("r", "9")],
                );
                if let Some((low, high)) = point.interval {
                    let ends = format!("M{} {}V{}", px(x), px(frame.y(high)), px(frame.y(low)));
                    html.shape("path", &[("class", "bar"), ("d", &ends)]);
                }
                sign.draw(html, "", (x, y), "");
            });
        }
    });
}

fn says(drawing: &Drawing, series: &DrawnSeries, point: &DrawnPoint, unit: Unit) -> String {
    let half = point.interval.map(|(low, high)| (high - low) / 2.0);
    let value = unit.show(point.value, half).both();
    let interval = point.interval.map_or_else(String::new, |(low, high)| {
        format!(" ({})", unit.interval(low, high).both())
    });
    let name = match series.name.as_str() {
        "" => String::new(),
        name => format!("{name}, "),
    };
    format!("{name}{}: {value}{interval}", show(point.at, None, drawing.along))
}

/// A sign of its own beside each series, and what the marks are.
pub(crate) fn legend(html: &mut Html, drawing: &Drawing) {
    html.tag("ul", &[("class", "legend")], |html| {
        for (index, series) in drawing.series.iter().enumerate() {
            html.tag("li", &[], |html| {
                Sign::of(index).legend(html);
                html.say(if series.name.is_empty() {
                    "typical"
                } else {
                    &series.name
                });
            });
        }
    });
}
