//! Rows as signs between two axes: the area by the sign, what is noisy open, each with its values on hover.

use super::Sign;
use super::frame::Frame;
use crate::html::writer::Html;
use analysis::{Row, Verdict};

/// The areas in the order of their signs.
pub(crate) const AREAS: [&str; 5] = ["cpu", "os", "memory", "network", "file"];

/// A row with its values on both axes.
pub(super) struct Placed<'a> {
    pub(super) row: &'a Row,
    pub(super) along: f64,
    pub(super) up: f64,
}

impl Placed<'_> {
    /// Which area's sign it has.
    fn sign(&self) -> usize {
        let area = &self.row.point.area;
        AREAS.iter().position(|known| known == area).unwrap_or(0)
    }
}

/// Draws the rows area by area, so that there are few groups of many signs.
pub(super) fn signs(
    html: &mut Html,
    frame: &Frame,
    placed: &[Placed<'_>],
    says: impl Fn(&Placed<'_>) -> String,
) {
    for index in 0..AREAS.len() {
        let mut here = placed.iter().filter(|one| one.sign() == index).peekable();
        if here.peek().is_none() {
            continue;
        }
        let sign = Sign::of(index);
        html.tag("g", &[("class", sign.class())], |html| {
            for one in here {
                let (class, noisy) = match one.row.verdict {
                    Verdict::Noisy => ("hollow", ", noisy"),
                    _ => ("", ""),
                };
                let place = (frame.x(one.along), frame.y(one.up));
                sign.draw(html, class, place, &format!("{}{noisy}", says(one)));
            }
        });
    }
}
