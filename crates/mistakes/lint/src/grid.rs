//! The cells of a file: their separator, the heading, the decimal mark, and what a column holds.

use crate::error::LintError;
use csv::{ReaderBuilder, StringRecord, Trim};
use quantity::{is_decimal_comma, parse_figure};

/// Characters that may stand between cells.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines by which the separator is judged, and among which the heading must be.
const FIRST: usize = 20;
/// More rows than this are not a table of results.
const MOST_ROWS: usize = 200_000;
/// What an escaped bar in a Markdown cell is until the cells are split.
const ESCAPED_BAR: &str = "\u{1}";
/// The share of a column's cells that must be figures.
const MOSTLY: f64 = 0.6;

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
    /// When it is not text, or has too many rows.
    pub fn parse(text: &str) -> Result<Self, LintError> {
        let text = text.trim_start_matches('\u{feff}');
        if text.contains('\0') {
            let why = "it holds zero bytes; if it is a spreadsheet, save it as CSV in UTF-8";
            return Err(LintError::Csv(why.to_owned()));
        }
        let separator = separator(text);
        let is_markdown = separator == b'|';
        let text = &if is_markdown { text.replace("\\|", ESCAPED_BAR) } else { text.to_owned() };
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
            let line = record.position().map_or(0, csv::Position::line);
            // A rule of dashes below a heading and empty lines are not rows.
            if !record.iter().all(|cell| cell.trim_matches(['-', ':', '=', ' ']).is_empty()) {
                rows.push((line, if is_markdown { without_markup(&record) } else { record }));
            }
            if rows.len() > MOST_ROWS {
                return Err(LintError::Csv(format!("it has more than {MOST_ROWS} rows")));
            }
        }
        let mut cells = rows.iter().skip(1).flat_map(|(_, record)| record.iter());
        let decimal_comma = separator != b',' && cells.any(is_decimal_comma);
        Ok(Self { decimal_comma, rows })
    }

    /// The tables of a file that stand one below the other, each with its heading as the first row: an empty line or a
    /// rule of dashes is above or below every heading but the first.
    pub fn tables(self, is_heading: impl Fn(&StringRecord) -> bool) -> Vec<Self> {
        let decimal_comma = self.decimal_comma;
        let lines: Vec<u64> = self.rows.iter().map(|(line, _)| *line).collect();
        let gaps: Vec<bool> =
            lines.iter().zip(lines.iter().skip(1)).map(|(from, to)| to - from > 1).collect();
        let mut tables = vec![Self { rows: Vec::new(), decimal_comma }];
        for (at, (line, record)) in self.rows.into_iter().enumerate() {
            let is_apart = at > 0 && [at - 1, at].into_iter().any(|gap| gaps.get(gap) == Some(&true));
            let words = record.iter().all(|cell| parse_figure(cell, decimal_comma).is_none());
            if is_apart && words && is_heading(&record) {
                tables.push(Self { rows: Vec::new(), decimal_comma });
            }
            if let Some(table) = tables.last_mut() {
                table.rows.push((line, record));
            }
        }
        tables
    }

    /// Whether its first row holds numbers only, as that of a matrix does.
    pub fn begins_with_numbers(&self) -> bool {
        let Some((_, first)) = self.rows.first() else { return false };
        let filled: Vec<&str> = first.iter().filter(|cell| !cell.is_empty()).collect();
        !filled.is_empty() && filled.iter().all(|cell| parse_figure(cell, self.decimal_comma).is_some())
    }

    /// Takes the heading off: the first of the first rows for which this holds, or the very first.
    pub fn heading(&mut self, is_heading: impl Fn(&StringRecord) -> bool) -> Option<StringRecord> {
        let found = self.rows.iter().take(FIRST).position(|(_, record)| is_heading(record));
        let last = self.rows.len().checked_sub(1)?;
        let mut above = self.rows.drain(..=found.unwrap_or(0).min(last));
        above.next_back().map(|(_, heading)| heading)
    }

    /// The cells of a column; empty where a row is short.
    fn column(&self, at: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |(_, record)| record.get(at).unwrap_or_default())
    }

    /// The cells of a column as whole numbers.
    fn whole_numbers(&self, at: usize) -> Vec<Option<u64>> {
        self.column(at).map(|cell| cell.parse().ok()).collect()
    }

    /// Whether most cells of a column that hold anything hold figures.
    pub fn has_figures(&self, at: usize) -> bool {
        self.is_mostly(at, |cell| parse_figure(cell, self.decimal_comma).is_some())
    }

    fn is_mostly(&self, at: usize, holds: impl Fn(&str) -> bool) -> bool {
        let cells: Vec<&str> = self.column(at).filter(|cell| !cell.is_empty()).collect();
        let found = cells.iter().filter(|cell| holds(cell)).count();
        found > 0 && found as f64 >= MOSTLY * cells.len() as f64
    }

    /// Whether most cells of a column hold figures, some with a letter for thousands or millions behind them.
    pub fn has_multiples(&self, at: usize) -> bool {
        self.is_mostly(at, |cell| {
            parse_figure(cell.trim_end_matches(['K', 'k', 'M', 'G', 'T']), self.decimal_comma).is_some()
        })
    }

    /// The first column that holds words.
    pub fn first_words(&self) -> Option<usize> {
        let widest = self.rows.iter().map(|(_, record)| record.len()).max()?;
        (0..widest)
            .filter(|at| self.column(*at).any(|cell| !cell.is_empty()))
            .find(|at| !self.has_figures(*at))
    }

    /// Whether every cell of a column is one of these words.
    pub fn has_only(&self, at: usize, words: &[&str]) -> bool {
        self.column(at).all(|cell| words.contains(&cell))
    }

    /// Whether a column holds figures, some of them with decimals.
    pub fn has_decimals(&self, at: usize) -> bool {
        let mark = if self.decimal_comma { ',' } else { '.' };
        self.has_figures(at) && self.column(at).any(|cell| cell.contains(mark))
    }

    /// Whether a column holds nothing but whole numbers.
    pub fn has_whole_numbers(&self, at: usize) -> bool {
        let numbers = self.whole_numbers(at);
        !numbers.is_empty() && numbers.iter().all(Option::is_some)
    }

    /// Whether more than half of a column of whole numbers are the same.
    pub fn has_mostly_one_number(&self, at: usize) -> bool {
        let mut numbers = self.whole_numbers(at);
        numbers.sort_unstable();
        let most = numbers.chunk_by(|a, b| a == b).map(<[_]>::len).max();
        self.has_whole_numbers(at) && most.is_some_and(|most| 2 * most > numbers.len())
    }

    /// Whether a column names something: it holds words, or whole numbers that do not only count the rows.
    pub fn has_names(&self, at: usize) -> bool {
        let numbers = self.whole_numbers(at);
        let are_consecutive =
            numbers.windows(2).all(|pair| matches!(pair, [Some(a), Some(b)] if a.checked_add(1) == Some(*b)));
        !self.has_figures(at) || (self.has_whole_numbers(at) && !are_consecutive)
    }
}

/// The cells of a Markdown table without the signs for code and bold text.
fn without_markup(record: &StringRecord) -> StringRecord {
    record.iter().map(|cell| cell.trim_matches(['`', '*']).replace(ESCAPED_BAR, "|")).collect()
}

/// The separator that is equally frequent in most of the first lines; a title above the heading does not count.
fn separator(text: &str) -> u8 {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let lines: Vec<&str> = lines.take(FIRST).collect();
    let all = SEPARATORS.into_iter().rev();
    all.max_by_key(|separator| usual_count(&lines, *separator)).unwrap_or(b',')
}

/// How many lines have the usual number of this separator, and this number; quoted text does not count.
fn usual_count(lines: &[&str], separator: u8) -> Option<(usize, usize)> {
    let counts = lines.iter().map(|line| {
        let outside = line.split('"').step_by(2).flat_map(str::bytes);
        outside.filter(|byte| *byte == separator).count()
    });
    let counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
    counts.iter().map(|&usual| (counts.iter().filter(|count| **count == usual).count(), usual)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separator_and_decimal_mark_are_detected() {
        for (text, separator_is, comma) in [
            ("a,b\n1.5,2\n", b',', false),
            ("a;b\n1,5;2\n", b';', true),
            ("a\tb\n1,500\t2\n", b'\t', false),
            ("| a | b |\n|---|---|\n| 1 | 2 |\n", b'|', false),
            ("a,b\n\"1;2;3\",4\n", b',', false),
        ] {
            assert_eq!(separator(text), separator_is, "{text}");
            let grid = Grid::parse(text).unwrap();
            assert_eq!((grid.rows.len(), grid.decimal_comma), (2, comma), "{text}");
        }
    }

    #[test]
    fn escaped_bar_does_not_separate_cells() {
        let grid = Grid::parse("| a | b |\n|---|---|\n| `x \\| y` | **1** |\n").unwrap();
        assert_eq!(grid.rows[1].1.iter().collect::<Vec<_>>(), ["", "x | y", "1", ""]);
    }

    #[test]
    fn tables_are_divided_at_headings_with_a_gap_beside_them() {
        for (text, count) in
            [("a,ns\nx,1\n\nb,ns\ny,2\n", 2), ("a,ns\nx,1\nb,ns\ny,2\n", 1), ("a,ns\nx,1\n\ny,2\n", 1)]
        {
            let grid = Grid::parse(text).unwrap();
            let tables = grid.tables(|record| record.iter().any(|cell| cell == "ns"));
            assert_eq!(tables.len(), count, "{text}");
        }
        assert!(Grid::parse("1.5,,\n2,3,\n").unwrap().begins_with_numbers());
    }

    #[test]
    fn heading_may_follow_a_title() {
        let mut grid = Grid::parse("# made by hand\nResults of today\noperation,ns\nx,1\n").unwrap();
        let heading = grid.heading(|record| record.iter().any(|cell| cell == "operation")).unwrap();
        assert_eq!((heading.len(), grid.rows.len()), (2, 1));
        assert!(Grid::parse("").unwrap().heading(|_| true).is_none());
        assert!(Grid::parse("a\0b").is_err());
    }
}
