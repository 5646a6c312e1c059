//! Predicted against measured, both by ratio: what is exact lies on the line.

use super::areas::{Placed, signs};
use super::frame::{Frame, FrameAxis, HEIGHT};
use super::px;
use crate::html::number::Unit;
use crate::html::writer::Html;
use crate::plot::axis::Axis;
use crate::plot::value_word;
use analysis::Row;
use quantity::{Quantity, show_ratio};
use record::Scale;

/// Fewer points than this are read more easily from the table.
const LEAST_POINTS: usize = 3;
/// The factors to which lines beside the exact one are drawn: those within which T1 and T0 should lie.
const FACTORS: [f64; 2] = [1.5, 2.0];

/// Draws all rows of this kind that have both values; nothing where there are too few.
pub(crate) fn predicted_against_measured(
    html: &mut Html,
    rows: &[Row],
    quantity: Quantity,
    core_hz: Option<f64>,
) -> Option<()> {
    let placed: Vec<Placed<'_>> = rows.iter().filter_map(|row| place(row, quantity)).collect();
    if placed.len() < LEAST_POINTS {
        return None;
    }
    let both = placed.iter().flat_map(|one| [one.along, one.up]);
    let axis = Axis::over(both, Scale::Logarithmic)?.with_room();
    let word = value_word(quantity);
    let frame = Frame {
        height: HEIGHT,
        along: FrameAxis::new(axis, quantity, core_hz, &format!("predicted {word}")),
        up: FrameAxis::new(axis, quantity, core_hz, &format!("measured {word}")),
    };
    let says =
        format!("measured against predicted {word}, both axes logarithmic; the values are in the summary");
    frame.draw(html, &says, |html, frame| {
        lines(html, frame, axis);
        signs(html, frame, &placed, |one| says_of(one, core_hz));
    });
    Some(())
}

fn place(row: &Row, quantity: Quantity) -> Option<Placed<'_>> {
    let (predicted, measured) = (row.predicted()?.total.value, row.estimate.as_ref()?.typical);
    let drawn = row.quantity() == quantity && row.point.reference.is_none();
    (drawn && predicted > 0.0 && measured > 0.0 && predicted.is_finite() && measured.is_finite()).then_some(
        Placed {
            row,
            along: predicted,
            up: measured,
        },
    )
}

/// The line of what is exact, and those of what is off by a factor.
fn lines(html: &mut Html, frame: &Frame, axis: Axis) {
    let (low, high) = axis.ends();
    html.tag("g", &[("class", "aid")], |html| {
        for factor in FACTORS
            .iter()
            .flat_map(|factor| [factor.recip(), *factor])
            .chain([1.0])
        {
            let (from, to) = (low.max(low / factor), high.min(high / factor));
            let class = if factor == 1.0 { "exact" } else { "off" };
            let path = format!(
                "M{} {}L{} {}",
                px(frame.x(from)),
                px(frame.y(from * factor)),
                px(frame.x(to)),
                px(frame.y(to * factor))
            );
            html.shape("path", &[("class", class), ("d", &path)]);
        }
    });
}

fn says_of(one: &Placed<'_>, core_hz: Option<f64>) -> String {
    let unit = Unit::of(one.row, core_hz);
    format!(
        "{}: measured {}, predicted {}, {}",
        one.row.point.id,
        unit.show(one.up, None).own(),
        unit.show(one.along, None).own(),
        show_ratio(one.row.ratio().unwrap_or(f64::NAN)),
    )
}
