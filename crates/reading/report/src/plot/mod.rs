//! A sweep as a plot of letters: points with their intervals, series by sign, places of levels marked.

mod canvas;

use crate::scene::{Drawn, Scene, ScenePoint, marked};
use crate::wording::{put, width_of};
use analysis::Drawing;
use canvas::Canvas;
pub(crate) use canvas::Glyphs;
use quantity::show;

/// What a plot stands in from the edge of a page.
pub(crate) const INDENT: usize = 2;
/// Columns of a plot in a document: what a page shows without a bar to scroll.
pub(crate) const DOCUMENT_WIDTH: usize = 80;
/// In less room there is no plot: on pages of less than 60 columns.
const LEAST_WIDTH: usize = 60 - INDENT;
/// A plot grows no wider: the eye follows no longer line.
const MOST_WIDTH: usize = 100 - INDENT;
/// Lines between the axes.
const HEIGHT: usize = 14;
/// Characters left free at both ends of the axis.
const EDGE: f64 = 1.0;
/// The plot, none of its lines wider than `width`, and its legend; `None` where it has no room.
pub(crate) fn plot(drawing: &Drawing, width: usize, glyphs: &Glyphs) -> Option<(Vec<String>, String)> {
    if width < LEAST_WIDTH {
        return None;
    }
    let scene = Scene::sweep(drawing, None)?;
    let field = Field::new(&scene, width.min(MOST_WIDTH));
    let mut canvas = Canvas::new(field.width, HEIGHT);
    field.draw(glyphs, &mut canvas);
    let several = canvas.lines(glyphs).iter().any(|line| line.contains(glyphs.several));
    let mut lines = field.beside(&canvas.lines(glyphs), glyphs);
    lines.extend(field.below(glyphs));
    Some((lines, legend(drawing, &scene, glyphs, several)))
}

/// Between the axes.
struct Field<'s> {
    scene: &'s Scene,
    width: usize,
    labels: usize,
}

fn places(scene: &Scene) -> impl Iterator<Item = &ScenePoint> + Clone {
    scene.series.iter().flat_map(|series| &series.places)
}

impl<'s> Field<'s> {
    fn new(scene: &'s Scene, width: usize) -> Self {
        let labels = scene.up.labels.iter();
        let labels = labels.map(|(_, name)| width_of(name)).max().unwrap_or(0);
        Self { scene, width: width.saturating_sub(labels + 2), labels }
    }

    /// Where a parameter stands, in characters from the left.
    fn column(&self, at: f64) -> f64 {
        EDGE + self.scene.along.axis.share(at) * (self.width.saturating_sub(1) as f64 - 2.0 * EDGE)
    }

    /// Where a value stands, in lines from above.
    fn row(&self, value: f64) -> f64 {
        (1.0 - self.scene.up.axis.share(value)) * (HEIGHT - 1) as f64
    }

    /// Where a point stands.
    fn place(&self, point: &ScenePoint) -> (f64, f64) {
        (self.column(point.along), self.row(point.up))
    }

    /// The cell of a point.
    fn cell(&self, point: &ScenePoint) -> (usize, usize) {
        let (column, row) = self.place(point);
        (column.round() as usize, row.round() as usize)
    }

    fn draw(&self, glyphs: &Glyphs, canvas: &mut Canvas) {
        for series in self.scene.series.iter().filter(|series| series.drawn == Drawn::Line) {
            let pairs = series.places.iter().zip(series.places.iter().skip(1));
            pairs.for_each(|(from, to)| canvas.line(self.place(from), self.place(to)));
        }
        for place in places(self.scene) {
            let (low, high) = place.interval.unwrap_or((place.up, place.up));
            let (top, bottom) = (self.row(high).round() as usize, self.row(low).round() as usize);
            (top..=bottom).for_each(|row| canvas.put(self.cell(place).0, row, glyphs.bar));
        }
        for (along, up) in self.scene.series.iter().flat_map(|series| &series.predicted) {
            let (column, row) = (self.column(*along).round(), self.row(*up).round());
            canvas.put(column as usize, row as usize, glyphs.predicted);
        }
        for (series, marker) in self.scene.series.iter().zip(glyphs.markers) {
            for (column, row) in series.places.iter().map(|place| self.cell(place)) {
                let taken = canvas.sign(column, row).is_some_and(|sign| {
                    sign != marker && (glyphs.markers.contains(&sign) || sign == glyphs.several)
                });
                canvas.put(column, row, if taken { glyphs.several } else { marker });
            }
        }
        for (at, ..) in &self.scene.marks {
            let column = self.column(*at).round() as usize;
            (0..HEIGHT).for_each(|row| canvas.put_behind(column, row, glyphs.mark));
        }
    }

    /// The lines with the axis of values to their left.
    fn beside(&self, lines: &[String], glyphs: &Glyphs) -> Vec<String> {
        let lines = lines.iter().enumerate().map(|(row, line)| {
            let mut labels = self.scene.up.labels.iter();
            let (name, axis) = match labels.find(|(value, _)| self.row(*value).round() as usize == row) {
                Some((_, name)) => (name.as_str(), glyphs.upright.1),
                None => ("", glyphs.upright.0),
            };
            let space = " ".repeat(self.labels - width_of(name));
            format!("{space}{name} {axis}{line}").trim_end().to_owned()
        });
        lines.collect()
    }

    /// The other axis with the parameters that were measured, as many as have room, and what it shows.
    fn below(&self, glyphs: &Glyphs) -> [String; 3] {
        let named = self.named();
        let (corner, plain, tick) = glyphs.level;
        let mut axis: Vec<char> = vec![plain; self.width];
        let mut names = String::new();
        for (column, start, name) in &named {
            put(&mut axis, *column, tick);
            names.push_str(&" ".repeat(start.saturating_sub(width_of(&names))));
            names.push_str(name);
        }
        let margin = " ".repeat(self.labels + 1);
        let middle = self.width.saturating_sub(width_of(&self.scene.along.name)) / 2;
        [
            format!("{margin}{corner}{}", axis.iter().collect::<String>()),
            format!("{margin} {names}"),
            format!("{margin} {}{}", " ".repeat(middle), self.scene.along.name),
        ]
    }

    /// Parameters with room for their names: column of the tick, first column of the name, the name.
    fn named(&self) -> Vec<(usize, usize, String)> {
        let mut ticks: Vec<f64> = places(self.scene).map(|place| place.along).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        let all: Vec<(usize, usize, String)> = ticks
            .iter()
            .map(|at| {
                let name = show(*at, None, self.scene.along.quantity);
                let (column, half) = (self.column(*at).round() as usize, width_of(&name) / 2);
                let last = self.width.saturating_sub(width_of(&name));
                (column, column.saturating_sub(half).min(last), name)
            })
            .collect();
        let end = all.last().map_or(0, |(_, start, _)| *start);
        let mut kept: Vec<(usize, usize, String)> = Vec::new();
        for (index, one) in all.iter().enumerate() {
            let free = kept.last().map_or(0, |(_, start, name)| start + width_of(name) + 2);
            let last = index + 1 == all.len();
            if one.1 >= free && (last || one.1 + width_of(&one.2) + 2 <= end) {
                kept.push(one.clone());
            }
        }
        kept
    }
}

/// What the signs mean.
fn legend(drawing: &Drawing, scene: &Scene, glyphs: &Glyphs, several: bool) -> String {
    let mut words: Vec<String> = drawing
        .series
        .iter()
        .zip(glyphs.markers)
        .map(|(series, marker)| {
            let name = if series.name.is_empty() { "typical" } else { &series.name };
            format!("{marker} {name}")
        })
        .collect();
    if several {
        words.push(format!("{} several", glyphs.several));
    }
    if places(scene).any(|place| place.interval.is_some()) {
        words.push(format!("{} interval", glyphs.bar));
    }
    if scene.has_predictions() {
        words.push(format!("{} predicted", glyphs.predicted));
    }
    let marks = marked(drawing.marks.iter().filter(|(at, _)| scene.along.axis.holds(*at)), drawing);
    if let (Some(by), false) = (&drawing.marked_by, marks.is_empty()) {
        words.push(format!("{} {by}: {marks}", glyphs.mark));
    }
    if drawing.left_out > 0 {
        let more = crate::wording::many(drawing.left_out, "further combination");
        words.push(format!("{more} of parameters not drawn"));
    }
    words.join(", ")
}
