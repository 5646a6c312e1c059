//! The cells of a file: what separates them, where the heading is, and how its numbers have their decimals.

use crate::error::LintError;
use csv::{ReaderBuilder, StringRecord, Trim};
use quantity::is_decimal_comma;

/// Characters that may stand between cells.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines by which the separator is judged, and among which the heading must be.
const FIRST: usize = 20;
/// More rows than this are no table of results.
const MOST_ROWS: usize = 200_000;

/// Everything in a file, cell by cell.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    /// Rows with the line at which each begins.
    pub rows: Vec<(u64, StringRecord)>,
    /// Whether a comma begins the decimals.
    pub decimal_comma: bool,
}

impl Grid {
    /// Splits a file into cells.
    ///
    /// # Errors
    /// When it is no text, or more than a table.
    pub fn of(text: &str) -> Result<Self, LintError> {
        let text = text.trim_start_matches('\u{feff}');
        if text.contains('\0') {
            let why = "it holds zero bytes; if it is a spreadsheet, save it as CSV in UTF-8";
            return Err(LintError::Csv(why.to_owned()));
        }
        let separator = separator(text);
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| LintError::Csv(error.to_string()))?;
            // A rule of dashes below a heading, and lines of nothing, are no rows.
            let empty = record
                .iter()
                .all(|cell| cell.trim_matches(['-', ':', '=', ' ']).is_empty());
            let line = record.position().map_or(0, csv::Position::line);
            if !empty {
                rows.push((line, record));
            }
            if rows.len() > MOST_ROWS {
                return Err(LintError::Csv(format!("it has more than {MOST_ROWS} rows")));
            }
        }
        let cells = || rows.iter().skip(1).flat_map(|(_, record)| record.iter());
        Ok(Self {
            decimal_comma: separator != b',' && cells().any(is_decimal_comma),
            rows,
        })
    }

    /// Takes the heading off: the first of the first rows for which this holds, or the very first.
    pub fn heading(&mut self, is_heading: impl Fn(&StringRecord) -> bool) -> Option<StringRecord> {
        let found = self
            .rows
            .iter()
            .take(FIRST)
            .position(|(_, record)| is_heading(record));
        let mut above = self
            .rows
            .drain(..=found.unwrap_or(0).min(self.rows.len().checked_sub(1)?));
        let (_, heading) = above.next_back()?;
        Some(heading)
    }
}

/// What stands equally often in most of the first lines; a title above the heading does not count.
fn separator(text: &str) -> u8 {
    let lines = || {
        let meant = |line: &&str| !line.starts_with('#') && !line.trim().is_empty();
        text.lines().filter(meant).take(FIRST)
    };
    let in_line = |line: &str, separator: u8| {
        let outside = line.split('"').step_by(2).flat_map(str::bytes);
        outside.filter(|byte| *byte == separator).count()
    };
    let score = |separator: u8| {
        let counts: Vec<usize> = lines()
            .map(|line| in_line(line, separator))
            .filter(|count| *count > 0)
            .collect();
        let alike = |usual: usize| counts.iter().filter(|count| **count == usual).count();
        counts.iter().map(|&usual| (alike(usual), usual)).max()
    };
    let best = SEPARATORS
        .into_iter()
        .rev()
        .max_by_key(|separator| score(*separator));
    best.unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn separators_and_decimals_are_told_by_the_cells() {
        for (text, separator_is, comma) in [
            ("a,b\n1.5,2\n", b',', false),
            ("a;b\n1,5;2\n", b';', true),
            ("a\tb\n1,500\t2\n", b'\t', false),
            ("| a | b |\n|---|---|\n| 1 | 2 |\n", b'|', false),
            ("a,b\n\"1;2;3\",4\n", b',', false),
        ] {
            assert_eq!(separator(text), separator_is, "{text}");
            let grid = Grid::of(text).unwrap();
            assert_eq!((grid.rows.len(), grid.decimal_comma), (2, comma), "{text}");
        }
    }

    #[test]
    fn the_heading_may_come_after_a_title() {
        let mut grid = Grid::of("# made by hand\nResults of today\noperation,ns\nx,1\n").unwrap();
        let heading = grid
            .heading(|record| record.iter().any(|cell| cell == "operation"))
            .unwrap();
        assert_eq!((heading.len(), grid.rows.len()), (2, 1));
        assert!(Grid::of("").unwrap().heading(|_| true).is_none());
        assert!(Grid::of("a\0b").is_err());
    }
}
