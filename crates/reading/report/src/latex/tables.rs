//! The table of the reports for one area: base hardware, software overhead, predicted, measured, interval, deviation.

use super::text::{code, key, plain};
use crate::groups::OperationRows;
use crate::table::Table;
use crate::wording::joined;
use crate::{View, cells, cores};
use analysis::{Row, Verdict};
use std::io::{self, Write};

/// The heading of a column, its width in centimetres, and what it says of a row.
type NamedField = (&'static str, f64, fn(&Row) -> String);

/// The columns of numbers; the last is that of the user's own predictions, where there are any.
const COLUMNS: [NamedField; 8] = [
    ("base hardware", 1.6, cells::hardware),
    ("software overhead", 1.6, cells::software),
    ("predicted", 1.55, cells::total),
    ("measured", 1.7, cells::measured),
    ("interval", 2.6, cells::interval),
    ("deviation", 1.55, cells::deviation),
    ("ratio", 1.2, cells::ratio),
    ("by the author", 1.5, cells::user),
];

/// The reports' summary table without what a page is too narrow for; `None` where the run has none of its rows.
pub(super) fn reports_summary(view: &View<'_>) -> Option<Table> {
    crate::tables::summary(view)
}

/// Writes the table of an area.
pub(super) fn results(
    area: &str,
    title: &str,
    operations: &[OperationRows<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let user = operations.iter().any(|group| cells::has_user(group.rows()));
    // A further column has room where all are a little smaller.
    let (size, scale, first) = if user { ("scriptsize", 0.9, 3.3) } else { ("footnotesize", 1.0, 3.65) };
    let count = COLUMNS.len() - usize::from(!user);
    let columns = COLUMNS.iter().take(count);
    let widths: String =
        columns.clone().map(|(_, width, _)| format!("R{{{:.2}cm}}", width * scale)).collect();
    let headings = format!("point & {}\\\\\\hline", joined(columns.clone().map(|(name, ..)| name), " & "));
    writeln!(
        out,
        "\n{{\\{size}\\setlength{{\\tabcolsep}}{{2.5pt}}\n\\begin{{longtable}}{{@{{}}L{{{first}cm}}{widths}@{{}}}}"
    )?;
    writeln!(
        out,
        "\\caption{{{}: results. The ratio is measured / predicted; \\dag{{}} is a flawed method; a value marked shared or mixed is not of quiet cores.}}\\label{{table:{}}}\\\\",
        plain(title),
        key(area)
    )?;
    writeln!(out, "\\hline {headings}\\endfirsthead\n\\hline {headings}\\endhead\n\\hline\\endfoot")?;
    for group in operations {
        if let [(row, _)] = group.points.as_slice() {
            line(&code(&group.name), row, columns.clone(), out)?;
            continue;
        }
        writeln!(out, "\\multicolumn{{{}}}{{@{{}}l}}{{{}}}\\\\*", 1 + count, code(&group.name))?;
        for (row, of_point) in &group.points {
            line(&format!("\\quad {}", code(of_point)), row, columns.clone(), out)?;
        }
    }
    writeln!(out, "\\end{{longtable}}}}")
}

fn line<'c>(
    name: &str,
    row: &Row,
    columns: impl Iterator<Item = &'c NamedField>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let noisy = if row.verdict == Verdict::Noisy { " {\\scriptsize noisy}" } else { "" };
    let state = Some(cores::state(row)).filter(|state| !state.is_empty());
    let state = state.map_or_else(String::new, |state| format!(" {{\\scriptsize {state}}}"));
    let fields = columns.map(|(title, _, field)| match *title {
        "measured" => plain(&field(row)) + noisy + &state,
        _ => plain(&field(row)),
    });
    let mark = if row.point.flaw.is_some() { " \\dag{}" } else { "" };
    writeln!(out, "{name}{mark} & {}\\\\", joined(fields, " & "))
}
