//! A sweep: values with their intervals along a parameter, a line for each series, found levels marked.

use super::{Axis, Drawn, Scene, SceneAxis, ScenePoint, Series};
use crate::cells::TWO_DIGITS;
use crate::html::number::Unit;
use crate::wording::joined;
use analysis::{Drawing, DrawnPoint, DrawnSeries, Row};
use quantity::{Quantity, show};
use record::Scale;

/// Intervals do not stretch the axis of values by more than this factor.
const STRETCH: f64 = 1.5;

/// A line joins working sets that differ by up to this factor: the capacities of two levels differ by more.
const WIDEST_STEP: f64 = 8.0;

/// What a sweep shows, in words: its ends in numbers, then its axes.
pub(crate) fn title(drawing: &Drawing) -> String {
    let value = value_word(drawing.quantity);
    let axes = match (drawing.scale, drawing.along_scale) {
        (Scale::Logarithmic, Scale::Logarithmic) => ", both axes logarithmic",
        (Scale::Linear, Scale::Logarithmic) => " (logarithmic)",
        (Scale::Logarithmic, Scale::Linear) => " (linear)",
        (Scale::Linear, Scale::Linear) => "",
    };
    format!("{}: {}{value} by {}{axes}", drawing.of, seen(drawing), drawing.axis)
}

/// From which value to which the first series goes along the axis; nothing where it has one value.
fn seen(drawing: &Drawing) -> String {
    let Some((first, last)) =
        drawing.series.first().and_then(|one| one.points.first().zip(one.points.last()))
    else {
        return String::new();
    };
    let [from, to] = [first, last].map(|point| {
        let half = point.interval.map(|(low, high)| (high - low) / 2.0);
        let value = show(point.value, half, drawing.quantity);
        format!("{value} at {}", show(point.at, None, drawing.along))
    });
    format!("{from}, {to}; ")
}

/// What values of this kind are called on an axis.
pub(crate) fn value_word(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Latency => "time",
        Quantity::Bandwidth => "bandwidth",
        Quantity::Size => "size",
        Quantity::Frequency => "frequency",
        Quantity::Count => "count",
        Quantity::Ratio => "share",
    }
}

/// Whether a sweep shows memory by the size of the working set: the staircase of latencies, and bandwidths.
pub(crate) fn is_of_memory(drawing: &Drawing) -> bool {
    drawing.of.operation.starts_with("memory.") && drawing.along == Quantity::Size
}

/// Whether a point is one of those of a sweep, which may be those of several operations.
pub(crate) fn is_of(row: &Row, drawing: &Drawing) -> bool {
    let family = row.point.plot.as_ref().and_then(|plot| plot.family.as_ref());
    family.unwrap_or(&row.point.id.operation) == &drawing.of.operation
}

/// The names of these marks with their places: `L1d 32 KiB, L2 512 KiB`.
pub(crate) fn marked<'m>(marks: impl Iterator<Item = &'m (f64, String)>, drawing: &Drawing) -> String {
    let marks = marks.map(|(at, name)| {
        let at = show(*at, Some(at * TWO_DIGITS), drawing.along);
        format!("{name} {at}")
    });
    joined(marks, ", ")
}

impl Scene {
    /// A sweep; `None` where a value has no place on its axis. `core_hz` gives times in core cycles on hover, too.
    pub(crate) fn sweep(drawing: &Drawing, core_hz: Option<f64>) -> Option<Self> {
        let points = drawing.series.iter().flat_map(|series| &series.points);
        let [places, values] =
            drawing.shared.map_or_else(Default::default, |shared| shared.map(|(low, high)| vec![low, high]));
        let along = Axis::over(points.clone().map(|point| point.at).chain(places), drawing.along_scale)?;
        let predicted = points.clone().filter_map(|point| point.predicted);
        let near = points.flat_map(|point| {
            let (low, high) = point.ends();
            let size = point.value.abs();
            [low.max(point.value.min(size / STRETCH)), high.min(point.value.max(size * STRETCH))]
        });
        let up = Axis::over(near.chain(predicted).chain(values), drawing.scale)?.with_room();
        let inside = drawing.marks.iter().filter(|(at, _)| along.holds(*at));
        let marks = inside.map(|(at, name)| {
            let says = format!("{name}: {}", show(*at, None, drawing.along));
            (*at, name.clone(), says)
        });
        let marks = marks.collect();
        let unit = Unit::new(drawing.quantity, core_hz);
        let series = drawing.series.iter().enumerate().map(|(sign, series)| {
            let points = series.points.iter();
            let places = points.clone().map(|point| place(drawing, series, point, unit));
            let predicted = points.filter_map(|point| Some((point.at, point.predicted?))).collect();
            // Several levels of the hierarchy may lie between sizes that differ by more.
            let widest_step = if is_of_memory(drawing) { WIDEST_STEP } else { f64::INFINITY };
            let drawn = if drawing.is_scatter { Drawn::Signs } else { Drawn::Line };
            Series { predicted, widest_step, ..Series::new((sign, &series.name), drawn, places) }
        });
        let along = SceneAxis::new(along, drawing.along, drawing.axis.as_str());
        let up = SceneAxis::new(up, drawing.quantity, value_word(drawing.quantity));
        let says = format!("{}; the values are in the table below", title(drawing));
        Some(Self { marks, ..Self::new(says, [along, up], series.collect()) })
    }
}

fn place(drawing: &Drawing, series: &DrawnSeries, point: &DrawnPoint, unit: Unit) -> ScenePoint {
    let half = point.interval.map(|(low, high)| (high - low) / 2.0);
    let value = unit.show(point.value, half).both();
    let interval = point
        .interval
        .map_or_else(String::new, |(low, high)| format!(" ({})", unit.interval(low, high).both()));
    let name = match series.name.as_str() {
        "" => String::new(),
        name => format!("{name}, "),
    };
    let predicted = point.predicted.map_or_else(String::new, |value| {
        format!(", predicted {}", unit.show(value, Some(value * TWO_DIGITS)).own())
    });
    ScenePoint {
        along: point.at,
        up: point.value,
        interval: point.interval,
        is_open: false,
        says: format!("{name}{}: {value}{interval}{predicted}", show(point.at, None, drawing.along)),
    }
}
