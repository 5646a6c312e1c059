//! Places in drawings, and the signs of series there.

use crate::html::writer::Html;

/// A length or a place in a drawing, to a tenth.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    let short = text.strip_suffix(".0").map(str::to_owned);
    short.unwrap_or(text)
}

/// A drawing that says this on hover.
pub(super) fn titled(html: &mut Html, says: &str, inside: impl FnOnce(&mut Html)) {
    html.tag("svg", &[("role", "img")], |html| {
        html.leaf("title", &[], says);
        inside(html);
    });
}

/// How series are distinguished: by their sign, by their line, and by colour where there is colour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sign(usize);

impl Sign {
    /// The sign of the series with this index; they begin again after the fifth.
    pub(super) fn of_series(index: usize) -> Self {
        Self(index % 5)
    }

    /// The class from which the page's style takes colour and line.
    pub(super) fn class(self) -> &'static str {
        ["s1", "s2", "s3", "s4", "s5"].get(self.0).copied().unwrap_or("s1")
    }

    /// The sign around this place (the page's style has the radius of circles), with what it says on hover; without a word where that is empty.
    pub(super) fn draw(self, html: &mut Html, class: &str, (x, y): (f64, f64), says: &str) {
        let (cx, cy, path) = (px(x), px(y), self.path(x, y));
        let (name, mut attributes) = match &path {
            None => ("circle", vec![("cx", cx.as_str()), ("cy", &cy)]),
            Some(path) => ("path", vec![("d", path.as_str())]),
        };
        attributes.insert(0, ("class", class));
        if says.is_empty() {
            return html.shape(name, &attributes);
        }
        html.tag(name, &attributes, |html| html.leaf("title", &[], says));
    }

    /// The sign around all these places, as one shape: a closed line of no length whose ends are round is a dot (SVG 2, 9.6.2).
    pub(super) fn draw_all(self, html: &mut Html, places: impl Iterator<Item = (f64, f64)>) {
        let signs = places.map(|(x, y)| self.path(x, y).unwrap_or_else(|| format!("M{} {}z", px(x), px(y))));
        let path: String = signs.collect();
        let class = if self.0 == 0 { "dots" } else { "" };
        if !path.is_empty() {
            html.shape("path", &[("class", class), ("d", &path)]);
        }
    }

    /// Its outline; the first sign is a circle.
    fn path(self, x: f64, y: f64) -> Option<String> {
        let (dx, dy, steps) = match self.0 {
            0 => return None,
            1 => (-3.0, -3.0, "h6v6h-6z"),
            2 => (0.0, -4.2, "l4 7.2h-8z"),
            3 => (0.0, -4.5, "l4.5 4.5-4.5 4.5-4.5-4.5z"),
            _ => (-3.5, -3.5, "l7 7m0-7-7 7"),
        };
        Some(format!("M{} {}{steps}", px(x + dx), px(y + dy)))
    }

    /// The sign with its line, for a legend.
    pub(super) fn legend(self, html: &mut Html) {
        let class = format!("key {}", self.class());
        let attributes = [("class", class.as_str()), ("viewBox", "0 0 28 12"), ("aria-hidden", "true")];
        html.tag("svg", &attributes, |html| {
            html.shape("path", &[("class", "line"), ("d", "M1 6H27")]);
            self.draw(html, "", (14.0, 6.0), "");
        });
    }
}
