//! Output of programs that is not a plain table, turned into the linter's: one reader for each form, one list of them.

mod json;
mod tables;
mod text;

use crate::grid::Grid;
use csv::StringRecord;

/// A form in which a program writes its results.
struct Format {
    /// The program, and the form.
    name: &'static str,
    /// Reads it; `None` where the text is of another form.
    read: fn(&str) -> Option<Converted>,
}

/// Every form, in the order in which they are tried.
const FORMATS: &[Format] = &[
    Format { name: "hyperfine JSON", read: json::hyperfine },
    Format { name: "fio JSON", read: json::fio },
    Format { name: "iperf3 JSON", read: json::iperf3 },
    Format { name: "Google Benchmark JSON", read: json::google_benchmark },
    Format { name: "criterion raw.csv", read: tables::criterion },
    Format { name: "netperf omni CSV", read: tables::netperf },
    Format { name: "benchstat CSV", read: tables::benchstat },
    Format { name: "sysbench", read: text::sysbench },
    Format { name: "iperf3", read: text::iperf3 },
    Format { name: "stress-ng", read: text::stress_ng },
    Format { name: "fio", read: text::fio },
    Format { name: "hyperfine", read: text::hyperfine },
    Format { name: "ping", read: text::ping },
];

/// The names of all forms.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|format| format.name)
}

/// A text in one of the forms as the linter's table, its heading first, and the name of the form.
pub(crate) fn converted(text: &str) -> Option<(&'static str, Grid)> {
    let found = FORMATS.iter().find_map(|format| Some((format.name, (format.read)(text)?)));
    found.filter(|(_, table)| !table.rows.is_empty()).map(|(name, table)| (name, table.into_grid()))
}

/// A table that a reader makes.
#[derive(Debug, Default)]
struct Converted {
    /// The names of its columns, separated by spaces.
    heading: &'static str,
    /// Lines of the file, and cells.
    rows: Vec<(u64, Vec<String>)>,
}

impl Converted {
    fn new(heading: &'static str) -> Self {
        Self { heading, rows: Vec::new() }
    }

    fn push<const N: usize>(&mut self, line: u64, cells: [String; N]) {
        self.rows.push((line, cells.into()));
    }

    fn into_grid(self) -> Grid {
        let heading: StringRecord = self.heading.split(' ').collect();
        let rows = self.rows.into_iter().map(|(line, cells)| (line, cells.into_iter().collect()));
        Grid { rows: std::iter::once((1, heading)).chain(rows).collect(), decimal_comma: false }
    }
}

/// The lines of a text and their numbers.
fn numbered(text: &str) -> impl Iterator<Item = (u64, &str)> {
    (1..).zip(text.lines())
}

/// What stands between two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after).map_or(rest, |(inside, _)| inside).trim())
}
