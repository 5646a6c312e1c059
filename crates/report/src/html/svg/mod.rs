//! Drawings of the page: SVG written by shapes, each value on hover, told apart without colour.

mod course;
mod frame;
mod noise;
mod scatter;
mod small;
mod sweep;

pub(crate) use course::course;
pub(crate) use noise::noise;
pub(crate) use scatter::{AREAS, predicted_against_measured};
pub(crate) use small::{distribution, ratio, trials};
pub(crate) use sweep::{legend, sweep};

use super::writer::Html;

/// A length or a place in a drawing, to a tenth.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").map(str::to_owned);
    short.unwrap_or(text)
}

/// How series are told apart: by their sign, by their line, and by colour where there is colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sign(usize);

impl Sign {
    /// The sign of the series with this index; they begin again after the fifth.
    pub(crate) fn of(index: usize) -> Self {
        Self(index % 5)
    }

    /// The class from which the page's style takes colour and line.
    pub(crate) fn class(self) -> &'static str {
        ["s1", "s2", "s3", "s4", "s5"]
            .get(self.0)
            .copied()
            .unwrap_or("s1")
    }

    /// The sign around this place.
    pub(crate) fn draw(self, html: &mut Html, x: f64, y: f64) {
        let at = |dx: f64, dy: f64| format!("{} {}", px(x + dx), px(y + dy));
        let path = match self.0 {
            0 => return html.shape("circle", &[("cx", &px(x)), ("cy", &px(y)), ("r", "3.4")]),
            1 => format!("M{}h6v6h-6z", at(-3.0, -3.0)),
            2 => format!("M{}L{}H{}z", at(0.0, -4.2), at(4.0, 3.0), px(x - 4.0)),
            3 => format!(
                "M{}L{}L{}L{}z",
                at(0.0, -4.5),
                at(4.5, 0.0),
                at(0.0, 4.5),
                at(-4.5, 0.0)
            ),
            _ => format!("M{}l7 7m0 -7l-7 7", at(-3.5, -3.5)),
        };
        html.shape("path", &[("d", &path)]);
    }

    /// The sign with its line, for a legend.
    pub(crate) fn legend(self, html: &mut Html) {
        let class = format!("key {}", self.class());
        let attributes = [
            ("class", class.as_str()),
            ("viewBox", "0 0 28 12"),
            ("aria-hidden", "true"),
        ];
        html.tag("svg", &attributes, |html| {
            html.shape("path", &[("class", "line"), ("d", "M1 6H27")]);
            self.draw(html, 14.0, 6.0);
        });
    }
}

/// A sign with a text on hover.
fn marked(html: &mut Html, sign: Sign, class: &str, place: (f64, f64), text: &str) {
    html.tag("g", &[("class", class)], |html| {
        html.leaf("title", &[], text);
        sign.draw(html, place.0, place.1);
    });
}
