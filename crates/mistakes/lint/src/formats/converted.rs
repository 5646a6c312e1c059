//! The table that readers of forms make, and what they cut texts by.

use crate::grid::Grid;
use csv::StringRecord;

/// A table that a reader makes.
#[derive(Debug, Default)]
pub(super) struct Converted {
    /// The names of its columns, separated by spaces.
    heading: &'static str,
    /// Lines of the file, and cells.
    pub(super) rows: Vec<(u64, Vec<String>)>,
}

impl Converted {
    pub(super) fn new(heading: &'static str) -> Self {
        Self { heading, rows: Vec::new() }
    }

    pub(super) fn push<const N: usize>(&mut self, line: u64, cells: [String; N]) {
        self.rows.push((line, cells.into()));
    }

    pub(super) fn into_grid(self) -> Grid {
        let heading: StringRecord = self.heading.split(' ').collect();
        let rows = self.rows.into_iter().map(|(line, cells)| (line, cells.into_iter().collect()));
        Grid { rows: std::iter::once((1, heading)).chain(rows).collect(), decimal_comma: false }
    }
}

/// The lines of a text and their numbers.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines())
}

/// What stands between two texts.
pub(super) fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after).map_or(rest, |(inside, _)| inside).trim())
}
