//! The noise of the machine: how narrow the interval of every point became, by what the point costs.

use super::areas::{Placed, signs};
use super::frame::{Frame, FrameAxis, HEIGHT};
use super::px;
use crate::html::number::Unit;
use crate::html::writer::Html;
use crate::plot::axis::Axis;
use analysis::{Row, Verdict};
use quantity::{Quantity, show_percent};
use record::Scale;

/// Fewer points say nothing of a machine.
const LEAST_POINTS: usize = 5;
/// Intervals narrower than this share stand at the lower edge.
const NARROWEST: f64 = 1e-5;

/// Draws half widths over times, with what was asked as a line; nothing where there are too few.
pub(crate) fn noise(html: &mut Html, rows: &[Row], asked: f64, core_hz: Option<f64>) -> Option<()> {
    let placed: Vec<Placed<'_>> = rows.iter().filter_map(place).collect();
    if placed.len() < LEAST_POINTS {
        return None;
    }
    let times = placed.iter().map(|one| one.along);
    let halves = placed.iter().map(|one| one.up);
    let along = Axis::over(times, Scale::Logarithmic)?.with_room();
    let up = Axis::over(halves.chain([asked.max(NARROWEST)]), Scale::Logarithmic)?.with_room();
    let frame = Frame {
        height: HEIGHT,
        along: FrameAxis::new(along, Quantity::Latency, core_hz, "time of one iteration"),
        up: FrameAxis {
            labels: up.labels_by(10.0, |value, _| show_percent(value)),
            ..FrameAxis::new(up, Quantity::Ratio, None, "half width of the interval")
        },
    };
    let says = "half the width of every interval as a share of its value, by the value; the values are in the summary";
    frame.draw(html, says, |html, frame| {
        let (left, right) = frame.sides();
        let level = format!("M{} {}H{}", px(left), px(frame.y(asked)), px(right));
        html.tag("g", &[("class", "aid")], |html| {
            html.leaf("title", &[], &format!("± {} was asked", show_percent(asked)));
            html.shape("path", &[("class", "exact"), ("d", &level)]);
        });
        let is_full = html.is_full;
        signs(html, frame, &placed, |one| match one.row.verdict {
            Verdict::Measured if !is_full => String::new(),
            _ => says_of(one, core_hz),
        });
    });
    Some(())
}

fn place(row: &Row) -> Option<Placed<'_>> {
    let estimate = row.estimate.as_ref()?;
    let half = estimate.half_width().filter(|half| half.is_finite())?;
    (row.quantity() == Quantity::Latency && estimate.typical > 0.0).then_some(Placed {
        row,
        along: estimate.typical,
        up: half.max(NARROWEST),
    })
}

fn says_of(one: &Placed<'_>, core_hz: Option<f64>) -> String {
    format!(
        "{}: {} ± {}",
        one.row.point.id,
        Unit::of(one.row, core_hz).show(one.along, None).own(),
        crate::cells::half_width(one.row),
    )
}
