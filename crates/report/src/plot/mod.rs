//! A sweep as a plot of letters: points with their intervals, series by sign, places of levels marked.

pub(crate) mod axis;
mod canvas;

use crate::wording::width_of;
use analysis::{Drawing, DrawnPoint};
use axis::Axis;
use canvas::Canvas;
pub(crate) use canvas::Glyphs;
use quantity::{Quantity, show};
use record::Scale;

/// What a plot stands in from the edge of a page.
pub(crate) const INDENT: usize = 2;
/// In less room there is no plot: on pages of less than 60 columns.
const LEAST_WIDTH: usize = 60 - INDENT;
/// A plot grows no wider: the eye follows no longer line.
const MOST_WIDTH: usize = 100 - INDENT;
/// Lines between the axes.
const HEIGHT: usize = 14;
/// Characters left free at both ends of the axis.
const EDGE: f64 = 1.0;
/// Intervals do not stretch the axis of values by more than this factor.
const STRETCH: f64 = 1.5;
/// A value's share of half width that leaves it two significant digits.
const TWO_DIGITS: f64 = 0.3;

/// What the plot shows, in words.
pub(crate) fn title(drawing: &Drawing) -> String {
    let value = value_word(drawing.quantity);
    let axes = match (drawing.scale, drawing.along_scale) {
        (Scale::Logarithmic, Scale::Logarithmic) => ", both axes logarithmic",
        (Scale::Linear, Scale::Logarithmic) => " (logarithmic)",
        (Scale::Logarithmic, Scale::Linear) => " (linear)",
        (Scale::Linear, Scale::Linear) => "",
    };
    format!("{}: {value} by {}{axes}", drawing.of, drawing.axis)
}

/// Whether a sweep shows memory by the size of the working set: the staircase of latencies, and bandwidths.
pub(crate) fn is_of_memory(drawing: &Drawing) -> bool {
    drawing.of.operation.starts_with("memory.") && drawing.along == Quantity::Size
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

/// The plot, none of its lines wider than `width`, and its legend; `None` where it has no room.
pub(crate) fn plot(drawing: &Drawing, width: usize, glyphs: &Glyphs) -> Option<(Vec<String>, String)> {
    if width < LEAST_WIDTH {
        return None;
    }
    let field = Field::of(drawing, width.min(MOST_WIDTH))?;
    let mut canvas = Canvas::new(field.width, HEIGHT);
    field.draw(drawing, glyphs, &mut canvas);
    let several = canvas
        .lines(glyphs)
        .iter()
        .any(|line| line.contains(glyphs.several));
    let mut lines = field.beside(&canvas.lines(glyphs), drawing.quantity, glyphs);
    lines.extend(field.below(drawing, glyphs));
    Some((lines, legend(drawing, &field, glyphs, several)))
}

/// Between the axes.
struct Field {
    along: Axis,
    values: Axis,
    width: usize,
    labels: usize,
}

fn points(drawing: &Drawing) -> impl Iterator<Item = &DrawnPoint> + Clone {
    drawing.series.iter().flat_map(|series| &series.points)
}

impl Field {
    fn of(drawing: &Drawing, width: usize) -> Option<Self> {
        let along = Axis::over(points(drawing).map(|point| point.at), drawing.along_scale)?;
        let near = |point: &DrawnPoint| {
            let (low, high) = point.ends();
            let bounds = (point.value.abs() / STRETCH, point.value.abs() * STRETCH);
            [
                low.max(point.value.min(bounds.0)),
                high.min(point.value.max(bounds.1)),
            ]
        };
        let values = Axis::over(points(drawing).flat_map(near), drawing.scale)?.with_room();
        let labels = values.labels(drawing.quantity);
        let labels = labels.iter().map(|(_, name)| width_of(name)).max().unwrap_or(0);
        Some(Self {
            along,
            values,
            width: width.saturating_sub(labels + 2),
            labels,
        })
    }

    /// Where a parameter stands, in characters from the left.
    fn column(&self, at: f64) -> f64 {
        EDGE + self.along.share(at) * (self.width.saturating_sub(1) as f64 - 2.0 * EDGE)
    }

    /// Where a value stands, in lines from above.
    fn row(&self, value: f64) -> f64 {
        (1.0 - self.values.share(value)) * (HEIGHT - 1) as f64
    }

    fn draw(&self, drawing: &Drawing, glyphs: &Glyphs, canvas: &mut Canvas) {
        for series in &drawing.series {
            let place = |point: &DrawnPoint| (self.column(point.at), self.row(point.value));
            let pairs = series.points.iter().zip(series.points.iter().skip(1));
            pairs.for_each(|(from, to)| canvas.line(place(from), place(to)));
        }
        for point in points(drawing) {
            let (low, high) = point.ends();
            let (top, bottom) = (self.row(high).round() as usize, self.row(low).round() as usize);
            let column = self.column(point.at).round() as usize;
            (top..=bottom).for_each(|row| canvas.put(column, row, glyphs.bar));
        }
        for (series, marker) in drawing.series.iter().zip(glyphs.markers) {
            for point in &series.points {
                let place = (
                    self.column(point.at).round() as usize,
                    self.row(point.value).round() as usize,
                );
                let taken = canvas.sign(place.0, place.1).is_some_and(|sign| {
                    sign != marker && (glyphs.markers.contains(&sign) || sign == glyphs.several)
                });
                canvas.put(place.0, place.1, if taken { glyphs.several } else { marker });
            }
        }
        for (at, _) in drawing.marks.iter().filter(|(at, _)| self.along.holds(*at)) {
            let column = self.column(*at).round() as usize;
            (0..HEIGHT).for_each(|row| canvas.put_behind(column, row, glyphs.mark));
        }
    }

    /// The lines with the axis of values to their left.
    fn beside(&self, lines: &[String], quantity: Quantity, glyphs: &Glyphs) -> Vec<String> {
        let labels = self.values.labels(quantity);
        let named = |row: usize| {
            let mut here = labels
                .iter()
                .filter(|(value, _)| self.row(*value).round() as usize == row);
            here.next().map(|(_, name)| name.as_str())
        };
        let line = |(row, line): (usize, &String)| {
            let (name, axis) = match named(row) {
                Some(name) => (name, glyphs.upright.1),
                None => ("", glyphs.upright.0),
            };
            let space = " ".repeat(self.labels - width_of(name));
            format!("{space}{name} {axis}{line}").trim_end().to_owned()
        };
        lines.iter().enumerate().map(line).collect()
    }

    /// The other axis with the parameters that were measured, as many as have room, and what it shows.
    fn below(&self, drawing: &Drawing, glyphs: &Glyphs) -> [String; 3] {
        let named = self.named(drawing);
        let (corner, plain, tick) = glyphs.level;
        let mut axis: Vec<char> = vec![plain; self.width];
        let mut names = String::new();
        for (column, start, name) in &named {
            if let Some(place) = axis.get_mut(*column) {
                *place = tick;
            }
            names.push_str(&" ".repeat(start.saturating_sub(width_of(&names))));
            names.push_str(name);
        }
        let margin = " ".repeat(self.labels + 1);
        let middle = self.width.saturating_sub(width_of(&drawing.axis)) / 2;
        [
            format!("{margin}{corner}{}", axis.iter().collect::<String>()),
            format!("{margin} {names}"),
            format!("{margin} {}{}", " ".repeat(middle), drawing.axis),
        ]
    }

    /// Parameters with room for their names: column of the tick, first column of the name, the name.
    fn named(&self, drawing: &Drawing) -> Vec<(usize, usize, String)> {
        let mut places: Vec<f64> = points(drawing).map(|point| point.at).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let all: Vec<(usize, usize, String)> = places
            .iter()
            .map(|at| {
                let name = show(*at, None, drawing.along);
                let (column, half) = (self.column(*at).round() as usize, width_of(&name) / 2);
                let last = self.width.saturating_sub(width_of(&name));
                (column, column.saturating_sub(half).min(last), name)
            })
            .collect();
        let end = all.last().map_or(0, |(_, start, _)| *start);
        let mut kept: Vec<(usize, usize, String)> = Vec::new();
        for (index, one) in all.iter().enumerate() {
            let free = kept
                .last()
                .map_or(0, |(_, start, name)| start + width_of(name) + 2);
            let last = index + 1 == all.len();
            if one.1 >= free && (last || one.1 + width_of(&one.2) + 2 <= end) {
                kept.push(one.clone());
            }
        }
        kept
    }
}

/// What the signs mean.
fn legend(drawing: &Drawing, field: &Field, glyphs: &Glyphs, several: bool) -> String {
    let mut words: Vec<String> = drawing
        .series
        .iter()
        .zip(glyphs.markers)
        .map(|(series, marker)| match series.name.as_str() {
            "" => format!("{marker} typical"),
            name => format!("{marker} {}", name),
        })
        .collect();
    if several {
        words.push(format!("{} several", glyphs.several));
    }
    if points(drawing).any(|point| point.interval.is_some()) {
        words.push(format!("{} interval", glyphs.bar));
    }
    let inside = drawing.marks.iter().filter(|(at, _)| field.along.holds(*at));
    let marks: Vec<String> = inside
        .map(|(at, name)| format!("{name} {}", show(*at, Some(at * TWO_DIGITS), drawing.along)))
        .collect();
    if let (Some(by), false) = (&drawing.marked_by, marks.is_empty()) {
        words.push(format!("{} {by}: {}", glyphs.mark, marks.join(", ")));
    }
    if drawing.left_out > 0 {
        let more = crate::wording::many(drawing.left_out, "further combination");
        words.push(format!("{more} of parameters not drawn"));
    }
    words.join(", ")
}
