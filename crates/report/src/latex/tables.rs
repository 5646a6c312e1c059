//! The table of the reports for one area: base hardware, software overhead, predicted, measured, interval, deviation.

use super::text::{code, key, plain};
use crate::groups::OperationRows;
use crate::wording::joined;
use crate::{cells, cores};
use analysis::{Row, Verdict};
use std::io::{self, Write};

/// Headings of the columns of numbers and their widths in centimetres.
const COLUMNS: [(&str, f64); 7] = [
    ("base hardware", 1.6),
    ("software overhead", 1.6),
    ("predicted", 1.55),
    ("measured", 1.7),
    ("interval", 2.6),
    ("deviation", 1.55),
    ("ratio", 1.2),
];

/// The column of the user's own predictions, where there are any.
const USER: [(&str, f64); 1] = [("by the author", 1.5)];

/// Writes the table of an area.
pub(super) fn results(
    area: &str,
    title: &str,
    operations: &[OperationRows<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let user = operations.iter().any(|group| cells::has_user(group.rows()));
    let own: &[_] = if user { &USER } else { &[] };
    // A further column has room where all are a little smaller.
    let (size, scale, first) = if user { ("scriptsize", 0.9, 3.3) } else { ("footnotesize", 1.0, 3.65) };
    let columns = || COLUMNS.iter().chain(own);
    let widths: String = columns().map(|(_, width)| format!("R{{{:.2}cm}}", width * scale)).collect();
    let headings = format!("point & {}\\\\\\hline", joined(columns().map(|(name, _)| name), " & "));
    writeln!(
        out,
        "\n{{\\{size}\\setlength{{\\tabcolsep}}{{2.5pt}}\n\\begin{{longtable}}{{@{{}}L{{{first}cm}}{widths}@{{}}}}"
    )?;
    writeln!(
        out,
        "\\caption{{{}: results. The ratio is measured / predicted; \\textasciitilde{{}} is noisy, \\dag{{}} a \
         reference method; a value marked shared or mixed is not of quiet cores.}}\\label{{table:{}}}\\\\",
        plain(title),
        key(area)
    )?;
    writeln!(out, "\\hline {headings}\\endfirsthead\n\\hline {headings}\\endhead\n\\hline\\endfoot")?;
    for group in operations {
        if let [(row, _)] = group.points.as_slice() {
            line(&code(&group.name), row, user, out)?;
            continue;
        }
        writeln!(out, "\\multicolumn{{{}}}{{@{{}}l}}{{{}}}\\\\*", 8 + own.len(), code(&group.name))?;
        for (row, of_point) in &group.points {
            line(&format!("\\quad {}", code(of_point)), row, user, out)?;
        }
    }
    writeln!(out, "\\end{{longtable}}}}")
}

fn line(name: &str, row: &Row, user: bool, out: &mut dyn Write) -> io::Result<()> {
    let noisy = if row.verdict == Verdict::Noisy { " \\textasciitilde{}" } else { "" };
    let state = match cores::state(row) {
        "" => String::new(),
        state => format!(" {{\\scriptsize {state}}}"),
    };
    let fields = [
        plain(&cells::hardware(row)),
        plain(&cells::software(row)),
        plain(&cells::total(row)),
        plain(&cells::measured(row)) + noisy + &state,
        plain(&cells::interval(row)),
        plain(&cells::deviation(row)),
        plain(&cells::ratio(row)),
    ];
    let mark = if row.point.reference.is_some() { " \\dag{}" } else { "" };
    write!(out, "{name}{mark} & {}", fields.join(" & "))?;
    if user {
        write!(out, " & {}", plain(&cells::user(row)))?;
    }
    writeln!(out, "\\\\")
}
