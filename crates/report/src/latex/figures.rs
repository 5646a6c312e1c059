//! Drawings in LaTeX's own picture environment: sweeps with their levels, predicted against measured.

use super::text::{code, plain};
use crate::plot::{self, axis::Axis};
use crate::{View, cells};
use analysis::{Drawing, DrawnPoint, Row};
use quantity::{Quantity, show};
use record::Scale;
use std::fmt::Write;

/// Width and height between the axes, in points.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 150.0;
/// Left free beside the first and the last value.
const EDGE: f64 = 6.0;
/// Least room of a name on the axis below, in points, and of one beside the axis.
const NAME: f64 = 34.0;
const LINE: f64 = 9.0;
/// The signs of series; they begin again after the fifth.
const SIGNS: [&str; 5] = ["\\signa", "\\signb", "\\signc", "\\signd", "\\signe"];
/// The areas in the order of their signs.
const AREAS: [&str; 5] = ["cpu", "os", "memory", "network", "file"];
/// The factors to which lines beside the exact one are drawn.
const FACTORS: [f64; 5] = [0.5, 1.0 / 1.5, 1.0, 1.5, 2.0];

fn sign(index: usize) -> &'static str {
    SIGNS.get(index % SIGNS.len()).copied().unwrap_or(SIGNS[0])
}

/// A picture that is being drawn.
struct Picture {
    along: Axis,
    up: Axis,
    text: String,
}

impl Picture {
    fn new(along: Axis, up: Axis) -> Self {
        Self {
            along,
            up,
            text: String::new(),
        }
    }

    fn x(&self, value: f64) -> f64 {
        EDGE + self.along.share(value) * (WIDTH - 2.0 * EDGE)
    }

    fn y(&self, value: f64) -> f64 {
        self.up.share(value) * HEIGHT
    }

    fn put(&mut self, (x, y): (f64, f64), what: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "\\put({x:.1},{y:.1}){{{what}}}");
    }

    /// A straight line between two places, from left to right.
    fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (angle, length) = (dy.atan2(dx).to_degrees(), dx.hypot(dy));
        let _ = writeln!(
            self.text,
            "\\seg{{{:.1}}}{{{:.1}}}{{{angle:.2}}}{{{length:.1}}}",
            from.0, from.1
        );
    }

    /// Both axes with their grid and their names.
    fn axes(&mut self, (along, up): (Quantity, Quantity), name: &str) {
        let mut free = f64::NEG_INFINITY;
        for (value, label) in self.along.labels(along) {
            let x = self.x(value);
            self.put((x, 0.0), &format!("\\color{{grid}}\\line(0,1){{{HEIGHT}}}"));
            let half = (label.chars().count() as f64 * 2.4).max(NAME / 2.0);
            if x - half >= free {
                free = x + half;
                self.put(
                    (x, -4.0),
                    &format!("\\makebox(0,0)[t]{{\\scriptsize {}}}", plain(&label)),
                );
            }
        }
        let mut free = f64::NEG_INFINITY;
        for (value, label) in self.up.labels(up) {
            let y = self.y(value);
            self.put((0.0, y), &format!("\\color{{grid}}\\line(1,0){{{WIDTH}}}"));
            if y >= free {
                free = y + LINE;
                self.put(
                    (-4.0, y),
                    &format!("\\makebox(0,0)[r]{{\\scriptsize {}}}", plain(&label)),
                );
            }
        }
        self.put((0.0, 0.0), &format!("\\line(1,0){{{WIDTH}}}"));
        self.put((0.0, 0.0), &format!("\\line(0,1){{{HEIGHT}}}"));
        self.put(
            (WIDTH / 2.0, -16.0),
            &format!("\\makebox(0,0)[t]{{{}}}", plain(name)),
        );
    }

    /// The whole figure with its legend and its caption, which is LaTeX already.
    fn figure(self, legend: &str, caption: &str) -> String {
        format!(
            "\\begin{{drawn}}{{{caption}}}\n\\begin{{picture}}({},{})(-44,-28)\n{}\\end{{picture}}\n{legend}\\end{{drawn}}\n",
            WIDTH + 56.0,
            HEIGHT + 34.0,
            self.text
        )
    }
}

/// The signs with what they stand for.
fn legend<'n>(names: impl Iterator<Item = (usize, &'n str)>) -> String {
    let named: Vec<String> = names
        .filter(|(_, name)| !name.is_empty())
        .map(|(index, name)| format!("\\key{{{}}} {}", sign(index), plain(name)))
        .collect();
    if named.is_empty() {
        return String::new();
    }
    format!("\\par {}\n", named.join("\\quad "))
}

/// A sweep with intervals and marked levels; `None` where its values have no place on its axes.
pub(super) fn sweep(drawing: &Drawing) -> Option<String> {
    let points = || drawing.series.iter().flat_map(|series| &series.points);
    let along = Axis::over(points().map(|point| point.at), drawing.along_scale)?;
    let up = Axis::over(points().map(|point| point.value), drawing.scale)?.with_room();
    let mut picture = Picture::new(along, up);
    picture.axes((drawing.along, drawing.quantity), &drawing.axis);
    for (at, name) in drawing.marks.iter().filter(|(at, _)| along.holds(*at)) {
        let x = picture.x(*at);
        let dots = format!(
            "\\multiput(0,0)(0,4){{{}}}{{\\line(0,1){{2}}}}",
            (HEIGHT / 4.0) as u32
        );
        picture.put((x, 0.0), &dots);
        picture.put(
            (x - 2.0, HEIGHT - 1.0),
            &format!("\\makebox(0,0)[tr]{{\\scriptsize {}}}", plain(name)),
        );
    }
    for (index, series) in drawing.series.iter().enumerate() {
        let place = |picture: &Picture, point: &DrawnPoint| (picture.x(point.at), picture.y(point.value));
        for (one, next) in series.points.iter().zip(series.points.iter().skip(1)) {
            let (from, to) = (place(&picture, one), place(&picture, next));
            picture.line(from, to);
        }
        for point in &series.points {
            let (low, high) = point.ends();
            let (low, high) = (picture.y(low), picture.y(high));
            let x = picture.x(point.at);
            if high - low > 1.0 {
                picture.put((x, low), &format!("\\line(0,1){{{:.1}}}", high - low));
            }
            picture.put(place(&picture, point), sign(index));
        }
    }
    let names = drawing
        .series
        .iter()
        .map(|series| series.name.as_str())
        .enumerate();
    Some(picture.figure(&legend(names), &caption(drawing)))
}

fn caption(drawing: &Drawing) -> String {
    let title = plot::title(drawing);
    let rest = title.strip_prefix(&drawing.of.to_string()).unwrap_or_default();
    let mut caption = format!("{}{}.", code(&drawing.of.to_string()), plain(rest));
    if drawing
        .series
        .iter()
        .any(|series| series.points.iter().any(|point| point.interval.is_some()))
    {
        caption.push_str(" Bars are intervals of at least 95~\\%.");
    }
    if let Some(by) = &drawing.marked_by {
        let mark = |(at, name): &(f64, String)| {
            format!(
                "{name} {}",
                show(*at, Some(at * cells::TWO_DIGITS), drawing.along)
            )
        };
        let marks: Vec<String> = drawing.marks.iter().map(mark).collect();
        caption.push_str(&format!(" Marked by {}: {}.", code(by), plain(&marks.join(", "))));
    }
    caption
}

/// Whose predictions a figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Predictor {
    /// oscope.
    Program,
    /// The author of the paper, by a file of predictions.
    User,
}

impl Predictor {
    pub(super) const ALL: [Self; 2] = [Self::Program, Self::User];

    /// What was predicted for a row.
    fn of(self, row: &Row) -> Option<f64> {
        match self {
            Self::Program => Some(row.predicted()?.total.value),
            Self::User => Some(row.point.user.as_ref()?.typical),
        }
    }

    /// What the axis of predictions shows: `predicted time`.
    fn axis(self, word: &str) -> String {
        match self {
            Self::Program => format!("predicted {word}"),
            Self::User => format!("{word} predicted by the author"),
        }
    }
}

/// Predicted against measured of all rows of this kind; `None` where there are too few.
pub(super) fn accuracy(view: &View<'_>, quantity: Quantity, predictor: Predictor) -> Option<String> {
    /// Fewer points are read more easily from a table.
    const LEAST: usize = 3;
    let place = |row: &Row| {
        let (predicted, measured) = (predictor.of(row)?, row.estimate.as_ref()?.typical);
        let drawn = row.quantity() == quantity && row.point.reference.is_none();
        let area = AREAS.iter().position(|area| *area == row.point.area).unwrap_or(0);
        let placed = drawn
            && [predicted, measured]
                .iter()
                .all(|one| *one > 0.0 && one.is_finite());
        placed.then_some((area, predicted, measured))
    };
    let placed: Vec<(usize, f64, f64)> = view.analysis.rows.iter().filter_map(place).collect();
    if placed.len() < LEAST {
        return None;
    }
    let both = placed
        .iter()
        .flat_map(|(_, predicted, measured)| [*predicted, *measured]);
    let axis = Axis::over(both, Scale::Logarithmic)?.with_room();
    let mut picture = Picture::new(axis, axis);
    let word = plot::value_word(quantity);
    let predicted = predictor.axis(word);
    picture.axes((quantity, quantity), &predicted);
    let (low, high) = axis.ends();
    for factor in FACTORS {
        let (from, to) = (low.max(low / factor), high.min(high / factor));
        let ends = [from, to].map(|at| (picture.x(at), picture.y(at * factor)));
        let grey = if factor == 1.0 { "" } else { "\\color{soft}" };
        picture.text.push_str(&format!("{{{grey}"));
        picture.line(ends[0], ends[1]);
        picture.text.push_str("}\n");
    }
    for (area, predicted, measured) in &placed {
        let at = (picture.x(*predicted), picture.y(*measured));
        picture.put(at, sign(*area));
    }
    let has = |index: &usize| placed.iter().any(|(area, _, _)| area == index);
    let names = AREAS.iter().copied().enumerate().filter(|(index, _)| has(index));
    let caption = format!(
        "Measured {word} by {predicted}, both axes logarithmic. What is exact lies on the middle line; the \
         others are a factor of 1.5 and of 2 off."
    );
    Some(picture.figure(&legend(names), &caption))
}
