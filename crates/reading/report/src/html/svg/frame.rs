//! What is around a drawing: axes with their names, a grid, and places between them.

use super::sign::px;
use crate::html::writer::Html;
use crate::scene::SceneAxis;
use crate::wording::width_of;
use quantity::{Quantity, show_cycles};

/// Width and height of a drawing, in its own units: what a narrow page shows at its own size.
const WIDTH: f64 = 420.0;
pub(super) const HEIGHT: f64 = 262.0;
/// What is left for names beside and below, and free at the other sides.
const LEFT: f64 = 62.0;
const BELOW: f64 = 38.0;
const RIGHT: f64 = 12.0;
const ABOVE: f64 = 10.0;
/// Width of a letter of a name, about.
const LETTER: f64 = 6.9;
/// Height of a line of names.
const LINE: f64 = 14.0;
/// Free between two names of an axis.
const BETWEEN: f64 = 8.0;
/// Free inside the frame beside the first and the last value.
const EDGE: f64 = 6.0;

/// Round numbers of cycles on an axis of times, in the axis' own unit; none of others, or where the clock is unknown.
fn cycles(axis: &SceneAxis, core_hz: Option<f64>) -> Vec<(f64, String)> {
    let Some(hz) = core_hz.filter(|_| axis.quantity == Quantity::Latency) else {
        return Vec::new();
    };
    let one = 1e9 / hz;
    let labels = axis.axis.times(one.recip()).labels_by(10.0, show_cycles);
    labels.into_iter().map(|(cycles, name)| (cycles * one, name)).collect()
}

/// The places between two axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'s> {
    /// Height of the drawing.
    pub(super) height: f64,
    /// From left to right.
    pub(super) along: &'s SceneAxis,
    /// From below to above.
    pub(super) up: &'s SceneAxis,
    /// The clock by which axes of times are named in cycles, too.
    pub(super) core_hz: Option<f64>,
}

impl Frame<'_> {
    /// The drawing with its axes; `inside` draws what is between them.
    pub(super) fn draw(&self, html: &mut Html, says: &str, inside: impl FnOnce(&mut Html)) {
        let size = format!("0 0 {WIDTH} {}", self.height);
        let attributes =
            [("class", "plot"), ("viewBox", size.as_str()), ("role", "img"), ("aria-label", says)];
        html.tag("svg", &attributes, |html| {
            let [along, up] = [self.along, self.up].map(|axis| cycles(axis, self.core_hz));
            self.names_along(html, &self.along.labels, kind(&along));
            self.names_along(html, &along, "axis cy");
            self.names_up(html, &self.up.labels, kind(&up));
            self.names_up(html, &up, "axis cy");
            let (left, right) = (px(LEFT), px(WIDTH - RIGHT));
            let bottom = px(self.height - BELOW);
            html.shape(
                "path",
                &[("class", "base"), ("d", &format!("M{left} {}V{bottom}H{right}", px(ABOVE)))],
            );
            let middle = px((LEFT + WIDTH - RIGHT) / 2.0);
            let place = [("class", "name"), ("x", middle.as_str()), ("y", &px(self.height - 4.0))];
            html.leaf("text", &place, &self.along.name);
            inside(html);
        });
    }

    /// Where a value of the first axis stands, from the left.
    pub(super) fn x(&self, value: f64) -> f64 {
        LEFT + EDGE + self.along.axis.share(value) * (WIDTH - LEFT - RIGHT - 2.0 * EDGE)
    }

    /// Where a value of the second axis stands, from above.
    pub(super) fn y(&self, value: f64) -> f64 {
        self.height - BELOW - self.up.axis.share(value) * (self.height - BELOW - ABOVE)
    }

    /// The upper and the lower end of what is inside.
    pub(super) fn ends(&self) -> (f64, f64) {
        (ABOVE, self.height - BELOW)
    }

    /// Both ends from left to right.
    pub(super) fn sides(&self) -> (f64, f64) {
        (LEFT, WIDTH - RIGHT)
    }

    fn names_along(&self, html: &mut Html, labels: &[(f64, String)], class: &str) {
        if labels.is_empty() {
            return;
        }
        let every = (1..=labels.len()).find(|every| self.fits(labels, *every)).unwrap_or(1);
        let (top, bottom) = self.ends();
        html.tag("g", &[("class", class)], |html| {
            for (index, (value, name)) in labels.iter().enumerate() {
                let x = px(self.x(*value));
                html.shape("path", &[("d", &format!("M{x} {}V{}", px(top), px(bottom + 4.0)))]);
                if index % every == 0 {
                    html.leaf("text", &[("x", &x), ("y", &px(bottom + 17.0))], name);
                }
            }
        });
    }

    /// Whether every nth name has room beside the next.
    fn fits(&self, labels: &[(f64, String)], every: usize) -> bool {
        let mut free = f64::NEG_INFINITY;
        labels.iter().step_by(every).all(|(value, name)| {
            let (x, half) = (self.x(*value), width_of(name) as f64 * LETTER / 2.0);
            let room = x - half >= free;
            free = x + half + BETWEEN;
            room
        })
    }

    fn names_up(&self, html: &mut Html, labels: &[(f64, String)], class: &str) {
        if labels.is_empty() {
            return;
        }
        let class = format!("{class} up");
        html.tag("g", &[("class", &class)], |html| {
            let mut free = f64::INFINITY;
            for (value, name) in labels {
                let y = self.y(*value);
                let (left, right) = self.sides();
                html.shape("path", &[("d", &format!("M{} {}H{}", px(left - 4.0), px(y), px(right)))]);
                if y > free {
                    continue;
                }
                free = y - LINE;
                html.leaf("text", &[("x", &px(left - 7.0)), ("y", &px(y + 4.0))], name);
            }
        });
    }
}

/// Names of times give way to names in cycles, where there are any; others stay.
fn kind(cycles: &[(f64, String)]) -> &'static str {
    if cycles.is_empty() { "axis" } else { "axis ns" }
}
