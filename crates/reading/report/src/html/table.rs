//! Rows and cells of the page's tables. What all cells of a column have in common is set by the page's style, by the
//! class of the table: hundreds of rows need not repeat it.

use super::number::Number;
use super::parts::{anchor, name, scrolled};
use super::writer::Html;
use crate::cells;
use analysis::{Row, Verdict};
use quantity::Quantity;
use record::PointId;

/// What writes the heading of a column, or the cell of a row.
type HeadingWriter<'a> = Box<dyn Fn(&mut Html) + 'a>;
type CellWriter<'a, R> = Box<dyn Fn(&mut Html, &R) + 'a>;

/// What the script is to know of a row.
pub(crate) type RowFacts<'a> = [(&'static str, &'a str); 3];

/// The columns of a table of a page.
pub(crate) struct PageColumns<'a, R> {
    columns: Vec<(HeadingWriter<'a>, CellWriter<'a, R>)>,
    facts: Box<dyn Fn(&R) -> RowFacts<'a> + 'a>,
}

/// What a table is called, by which the page's style knows its columns, and what is said of all of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Frame<'t> {
    /// What is heard of what scrolls by itself; empty where the table is as wide as the page.
    pub(crate) says: &'t str,
    pub(crate) class: &'t str,
    /// `points`: the script sorts and filters its rows.
    pub(crate) id: &'t str,
    pub(crate) caption: &'t str,
    /// Whether the caption is heard only.
    pub(crate) is_unseen: bool,
}

impl<'a, R> PageColumns<'a, R> {
    /// No columns yet; the first one's cells are the headings of their rows.
    pub(crate) fn new() -> Self {
        Self { columns: Vec::new(), facts: Box::new(|_| [("data-area", ""); 3]) }
    }

    /// These columns and one behind them.
    pub(crate) fn with(self, heading: &'static str, cell: impl Fn(&mut Html, &R) + 'a) -> Self {
        self.under(move |html| html.leaf("th", &[], heading), cell)
    }

    /// These columns and one behind them, whose heading is more than a text.
    pub(crate) fn under(
        mut self,
        heading: impl Fn(&mut Html) + 'a,
        cell: impl Fn(&mut Html, &R) + 'a,
    ) -> Self {
        self.columns.push((Box::new(heading), Box::new(cell)));
        self
    }

    /// These columns and, where it is so, those that `more` puts behind them.
    pub(crate) fn when(self, is_so: bool, more: impl FnOnce(Self) -> Self) -> Self {
        if is_so { more(self) } else { self }
    }

    /// These columns of rows of which the script knows this.
    pub(crate) fn known_by(self, facts: impl Fn(&R) -> RowFacts<'a> + 'a) -> Self {
        Self { facts: Box::new(facts), ..self }
    }

    /// A table of these rows. The headings are its only row without data cells, and so HTML takes each for the heading of a
    /// column (HTML Living Standard, 4.9.12.2). Rows say so by themselves: browsers guess by the next cell, which may be
    /// empty.
    pub(crate) fn write(&self, frame: Frame<'_>, rows: impl IntoIterator<Item = R>, html: &mut Html) {
        if !frame.says.is_empty() {
            return scrolled(html, frame.says, |html| self.write(Frame { says: "", ..frame }, rows, html));
        }
        html.tag("table", &[("class", frame.class), ("id", frame.id)], |html| {
            if !frame.caption.is_empty() {
                let class = if frame.is_unseen { "unseen" } else { "soft" };
                html.leaf("caption", &[("class", class)], frame.caption);
            }
            html.tag("thead", &[], |html| {
                html.tag("tr", &[], |html| self.columns.iter().for_each(|(heading, _)| heading(html)));
            });
            html.tag("tbody", &[], |html| {
                for row in rows {
                    html.tag("tr", &(self.facts)(&row), |html| {
                        self.columns.iter().for_each(|(_, cell)| cell(html, &row));
                    });
                }
            });
        });
    }
}

/// What filters the table of points, hidden until there is a script: one value of each of these, by name and label, or all;
/// a part of a name; and the number of rows that are shown.
pub(crate) fn filters(choices: &[(&str, &str, Vec<&str>)], example: &str, html: &mut Html) {
    html.tag("form", &[("class", "filters"), ("hidden", "")], |html| {
        for (name, label, values) in choices {
            html.tag("label", &[], |html| {
                html.say(&format!("{label} "));
                html.tag("select", &[("id", &format!("filter-{name}"))], |html| {
                    html.leaf("option", &[("value", "")], "all");
                    values.iter().for_each(|value| html.leaf("option", &[], value));
                });
            });
        }
        html.tag("label", &[], |html| {
            html.say("name ");
            html.void("input", &[("type", "search"), ("id", "filter-text"), ("placeholder", example)]);
        });
        html.leaf("output", &[("id", "filter-count"), ("aria-live", "polite")], "");
    });
}

/// By what values of different kinds are sorted apart; most are times, of which nothing is said.
pub(crate) fn kind(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Latency => "",
        Quantity::Bandwidth => "1",
        Quantity::Frequency => "2",
        Quantity::Size => "3",
        Quantity::Count => "4",
        Quantity::Ratio => "5",
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
    // No place is that of two states.
    let ratio = ratio.filter(|_| row.undecided_states().is_empty());
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
