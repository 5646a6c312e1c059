//! Scenes in LaTeX's own picture environment: sweeps with their levels, predicted against measured.

use super::text::{code, plain};
use crate::View;
use crate::scene::{Drawn, Guide, Predictor, Scene, ScenePoint, Series, marked, title, value_word};
use crate::wording::some_joined;
use analysis::Drawing;
use quantity::Quantity;
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

fn sign(index: usize) -> &'static str {
    SIGNS.get(index % SIGNS.len()).copied().unwrap_or(SIGNS[0])
}

/// A picture that is being drawn.
struct Picture<'s> {
    scene: &'s Scene,
    text: String,
}

impl Picture<'_> {
    fn x(&self, value: f64) -> f64 {
        EDGE + self.scene.along.axis.share(value) * (WIDTH - 2.0 * EDGE)
    }

    fn y(&self, value: f64) -> f64 {
        self.scene.up.axis.share(value) * HEIGHT
    }

    fn place(&self, place: &ScenePoint) -> (f64, f64) {
        (self.x(place.along), self.y(place.up))
    }

    fn put(&mut self, (x, y): (f64, f64), what: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "\\put({x:.1},{y:.1}){{{what}}}");
    }

    /// A straight line between two places, from left to right.
    fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (angle, length) = (dy.atan2(dx).to_degrees(), dx.hypot(dy));
        let _ = writeln!(self.text, "\\seg{{{:.1}}}{{{:.1}}}{{{angle:.2}}}{{{length:.1}}}", from.0, from.1);
    }

    /// Both axes with their grid and their names.
    fn axes(&mut self) {
        let mut free = f64::NEG_INFINITY;
        for (value, label) in &self.scene.along.labels {
            let x = self.x(*value);
            self.put((x, 0.0), &format!("\\color{{grid}}\\line(0,1){{{HEIGHT}}}"));
            let half = (label.chars().count() as f64 * 2.4).max(NAME / 2.0);
            if x - half >= free {
                free = x + half;
                self.put((x, -4.0), &format!("\\makebox(0,0)[t]{{\\scriptsize {}}}", plain(label)));
            }
        }
        let mut free = f64::NEG_INFINITY;
        for (value, label) in &self.scene.up.labels {
            let y = self.y(*value);
            self.put((0.0, y), &format!("\\color{{grid}}\\line(1,0){{{WIDTH}}}"));
            if y >= free {
                free = y + LINE;
                self.put((-4.0, y), &format!("\\makebox(0,0)[r]{{\\scriptsize {}}}", plain(label)));
            }
        }
        self.put((0.0, 0.0), &format!("\\line(1,0){{{WIDTH}}}"));
        self.put((0.0, 0.0), &format!("\\line(0,1){{{HEIGHT}}}"));
        self.put((WIDTH / 2.0, -16.0), &format!("\\makebox(0,0)[t]{{{}}}", plain(&self.scene.along.name)));
    }

    /// Lines behind the values: what is exact, in grey what is not.
    fn guides(&mut self) {
        for (guide, is_exact) in &self.scene.guides {
            let ends = match guide {
                Guide::Between(ends) => ends.map(|(along, up)| (self.x(along), self.y(up))),
                Guide::Level(at) => [(0.0, self.y(*at)), (WIDTH, self.y(*at))],
            };
            self.text.push_str(if *is_exact { "{" } else { "{\\color{soft}" });
            self.line(ends[0], ends[1]);
            // A line that ends here would be a space, which moves all that follows.
            self.text.push_str("}%\n");
        }
    }

    fn marks(&mut self) {
        for (at, name, _) in &self.scene.marks {
            let x = self.x(*at);
            let dots = format!("\\multiput(0,0)(0,4){{{}}}{{\\line(0,1){{2}}}}", (HEIGHT / 4.0) as u32);
            self.put((x, 0.0), &dots);
            self.put((x - 2.0, HEIGHT - 1.0), &format!("\\makebox(0,0)[tr]{{\\scriptsize {}}}", plain(name)));
        }
    }

    fn series(&mut self, series: &Series) {
        if series.drawn == Drawn::Line {
            for places in series.stretches() {
                for (one, next) in places.iter().zip(places.iter().skip(1)) {
                    self.line(self.place(one), self.place(next));
                }
            }
        }
        for (along, up) in &series.predicted {
            let grey = format!("\\color{{soft}}{}", sign(series.sign));
            self.put((self.x(*along), self.y(*up)), &grey);
        }
        for place in &series.places {
            let (low, high) = place.interval.unwrap_or((place.up, place.up));
            let (low, high) = (self.y(low), self.y(high));
            if high - low > 1.0 {
                let bar = format!("\\line(0,1){{{:.1}}}", high - low);
                self.put((self.x(place.along), low), &bar);
            }
            self.put(self.place(place), sign(series.sign));
        }
    }
}

/// The signs with what they stand for.
fn legend(series: &[Series]) -> String {
    let named = series.iter().filter(|series| !series.name.is_empty());
    let named = named.map(|series| format!("\\key{{{}}} {}", sign(series.sign), plain(&series.name)));
    some_joined(named, "\\quad ").map_or_else(String::new, |named| format!("\\par {named}\n"))
}

/// The scene as a figure; its caption is LaTeX already.
fn figure(scene: &Scene, caption: &str) -> String {
    let text = String::new();
    let mut picture = Picture { scene, text };
    picture.axes();
    picture.guides();
    picture.marks();
    scene.series.iter().for_each(|series| picture.series(series));
    let (width, height, drawn) = (WIDTH + 56.0, HEIGHT + 34.0, picture.text);
    let picture = format!("\\begin{{picture}}({width},{height})(-44,-28)\n{drawn}\\end{{picture}}");
    format!("\\begin{{drawn}}{{{caption}}}\n{picture}\n{}\\end{{drawn}}\n", legend(&scene.series))
}

/// A sweep with intervals and marked levels; `None` where its values have no place on its axes.
pub(super) fn sweep(drawing: &Drawing) -> Option<String> {
    let scene = Scene::sweep(drawing, None)?;
    let title = title(drawing);
    let rest = title.strip_prefix(&drawing.of.to_string()).unwrap_or_default();
    let mut caption = format!("{}{}.", code(&drawing.of.to_string()), plain(rest));
    let mut places = scene.series.iter().flat_map(|series| &series.places);
    if places.any(|place| place.interval.is_some()) {
        caption.push_str(" Bars are intervals of at least 95~\\%.");
    }
    if scene.has_predictions() {
        caption.push_str(" Grey signs are predicted.");
    }
    if let Some(by) = &drawing.marked_by {
        let marks = marked(drawing.marks.iter(), drawing);
        caption.push_str(&format!(" Marked by {}: {}.", code(by), plain(&marks)));
    }
    Some(figure(&scene, &caption))
}

/// Predicted against measured of all rows of this kind; `None` where there are too few.
pub(super) fn accuracy(view: &View<'_>, quantity: Quantity, predictor: Predictor) -> Option<String> {
    let mut scene = Scene::accuracy(&view.analysis.rows, quantity, predictor, None, false)?;
    // Who predicted is who hands the paper in.
    scene.along.name = scene.along.name.replace("the user", "the author");
    let caption = format!(
        "Measured {} by {}, both axes logarithmic. Exact predictions lie on the middle line; the others are a factor of \
         1.5 and of 2 off.",
        value_word(quantity),
        scene.along.name
    );
    Some(figure(&scene, &caption))
}
