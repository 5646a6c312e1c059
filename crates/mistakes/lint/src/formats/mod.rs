//! Output of programs that is not a plain table, turned into the linter's: one reader for each form, one list of them.

mod converted;
mod json;
mod tables;
mod text;

use crate::grid::Grid;
use converted::Converted;

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
