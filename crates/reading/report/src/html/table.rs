//! Rows and cells of the page's tables. What all cells of a column have in common is set by the page's style, by the
//! class of the table: hundreds of rows need not repeat it.

use super::number::Number;
use super::parts::{anchor, name, scrolled};
use super::writer::{Attributes, Html};
use crate::cells;
use analysis::{Row, Verdict};
use record::PointId;

/// What writes the cell of a row.
type CellWriter<'a, R> = Box<dyn Fn(&mut Html, &R) + 'a>;

/// The columns of a table of the page, each with its heading and what writes the cell of a row.
pub(crate) struct PageColumns<'a, R>(Vec<(&'static str, CellWriter<'a, R>)>);

impl<'a, R> PageColumns<'a, R> {
    /// A first column, whose cells are the headings of their rows.
    pub(crate) fn new(heading: &'static str, cell: impl Fn(&mut Html, &R) + 'a) -> Self {
        Self(Vec::new()).with(heading, cell)
    }

    /// These columns and one behind them.
    pub(crate) fn with(mut self, heading: &'static str, cell: impl Fn(&mut Html, &R) + 'a) -> Self {
        self.0.push((heading, Box::new(cell)));
        self
    }

    /// These columns and, where it is so, those that `more` puts behind them.
    pub(crate) fn when(self, is_so: bool, more: impl FnOnce(Self) -> Self) -> Self {
        if is_so { more(self) } else { self }
    }

    /// The headings. Theirs is the only row without data cells, and so HTML takes each of its cells for the heading of a
    /// column (HTML Living Standard, 4.9.12.2). Rows say so by themselves: browsers guess by the next cell, which may be
    /// empty.
    pub(crate) fn headings(&self, html: &mut Html) {
        html.tag("thead", &[], |html| {
            html.tag("tr", &[], |html| self.0.iter().for_each(|(name, _)| html.leaf("th", &[], name)));
        });
    }

    /// A row.
    pub(crate) fn row(&self, attributes: Attributes<'_>, row: &R, html: &mut Html) {
        html.tag("tr", attributes, |html| self.0.iter().for_each(|(_, cell)| cell(html, row)));
    }

    /// A table of these rows with a class, by which the page's style knows its columns; its caption is heard, not seen.
    pub(crate) fn write(
        &self,
        (says, class, caption): (&str, &str, &str),
        rows: impl IntoIterator<Item = R>,
        html: &mut Html,
    ) {
        scrolled(html, says, |html| {
            html.tag("table", &[("class", class)], |html| {
                if !caption.is_empty() {
                    html.leaf("caption", &[("class", "unseen")], caption);
                }
                self.headings(html);
                html.tag("tbody", &[], |html| rows.into_iter().for_each(|row| self.row(&[], &row, html)));
            });
        });
    }
}

/// What says that a cell is the heading of its row.
pub(crate) const ROW: (&str, &str) = ("scope", "row");

/// The cell that begins the row of a point.
pub(crate) fn point_cell(html: &mut Html, id: &PointId, behind: &str) {
    html.tag("th", &[ROW], |html| {
        html.lead(&anchor(id), "", |html| name(html, id));
        html.say(behind);
    });
}

/// A cell with a number in it, or with nothing.
pub(crate) fn number_cell(html: &mut Html, number: Option<Number>) {
    html.tag("td", &[], |html| {
        if let Some(number) = number {
            number.write(html);
        }
    });
}

/// A cell with a verdict, in a table whose class says which column that is; most points are measured. Below it what is to
/// be said of the state of the core.
pub(crate) fn verdict_cell(html: &mut Html, verdict: Verdict, state: &str) {
    let class = if verdict == Verdict::Measured { "" } else { verdict.word() };
    let text = format!("{} {}", cells::mark(verdict), verdict.word());
    html.tag("td", &[("class", class)], |html| {
        html.say(text.trim_start());
        if !state.is_empty() {
            html.leaf("em", &[], state);
        }
    });
}

/// A cell with a ratio and the place where it stands beside 1, which the page's style draws from its number: the
/// logarithm to the base of the furthest ratio that has a place.
pub(crate) fn ratio_cell(html: &mut Html, row: &Row) {
    let ratio = row.ratio().filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    let place = ratio.map(|ratio| format!("--r:{}", place(ratio)));
    let style = place.as_deref().map(|place| ("style", place));
    html.leaf("td", style.as_slice(), &cells::ratio(row));
}

/// Ratios further from 1 than this factor either way stand at the edge.
const FURTHEST: f64 = 2.0;
/// The place of what is beyond: anything over 1.
const BEYOND: f64 = 2.0;

/// Where a ratio stands: 0 for 1, 1 and −1 for the furthest.
fn place(ratio: f64) -> String {
    let place = ratio.ln() / FURTHEST.ln();
    let place = if place.abs() > 1.0 { place.signum() * BEYOND } else { place };
    let text = format!("{place:.2}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".to_owned() } else { short.to_owned() }
}

/// A number by which values are ordered: more digits than five order noise.
pub(crate) fn short(key: f64) -> String {
    let exact = format!("{key:.4e}");
    exact.parse().map_or(exact, |rounded: f64| {
        let (plain, short) = (rounded.to_string(), format!("{rounded:e}"));
        if plain.len() <= short.len() { plain } else { short }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_stands_as_far_to_the_left_as_its_inverse_to_the_right() {
        let places = [1.0, 2.0, 0.5, 1.5, 1.0 / 1.5, 1.001, 0.999].map(place);
        assert_eq!(places, ["0", "1", "-1", "0.58", "-0.58", "0", "0"]);
        assert_eq!([2.1, 40.0, 0.4].map(place), ["2", "2", "-2"]);
    }
}
