//! The table of the reports for one area: base hardware, software overhead, predicted, measured, interval, deviation.

use super::text::{code, key, plain};
use crate::groups::OperationRows;
use crate::wording::joined;
use crate::{View, cells, cores, cycles};
use analysis::{Row, Verdict};
use std::io::{self, Write};

/// The heading of a column, its width in centimetres, and what it says of a row.
type NamedField = (&'static str, f64, fn(&View<'_>, &Row) -> String);

/// The columns of numbers; that of cycles is there if they are asked for, the last if the user predicted.
const COLUMNS: [NamedField; 9] = [
    ("base hardware", 1.6, |_, row| cells::hardware(row)),
    ("software overhead", 1.6, |_, row| cells::software(row)),
    ("predicted", 1.55, |_, row| cells::total(row)),
    ("measured", 1.7, |_, row| cells::measured(row)),
    (cycles::TITLE, 1.5, cycles::measured),
    ("interval", 2.6, |_, row| cells::interval(row)),
    ("deviation", 1.55, |_, row| cells::deviation(row)),
    ("ratio", 1.2, |_, row| cells::ratio(row)),
    (BY_AUTHOR, 1.5, |_, row| cells::user(row)),
];

const BY_AUTHOR: &str = "by the author";

/// Writes the table of an area.
pub(super) fn results(
    area: &str,
    title: &str,
    operations: &[OperationRows<'_>],
    view: &View<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let user = operations.iter().any(|group| cells::has_user(group.rows()));
    let columns = COLUMNS.iter().filter(|(name, ..)| match *name {
        BY_AUTHOR => user,
        cycles::TITLE => view.has_cycles,
        _ => true,
    });
    let count = columns.clone().count();
    // A further column has room where all are a little smaller.
    let (size, scale, first) = match COLUMNS.len() - count {
        0 => ("scriptsize", 0.82, 3.1),
        1 => ("scriptsize", 0.9, 3.3),
        _ => ("footnotesize", 1.0, 3.65),
    };
    let widths: String =
        columns.clone().map(|(_, width, _)| format!("R{{{:.2}cm}}", width * scale)).collect();
    let headings = format!("point & {}\\\\\\hline", joined(columns.clone().map(|(name, ..)| name), " & "));
    writeln!(
        out,
        "\n{{\\{size}\\setlength{{\\tabcolsep}}{{2.5pt}}\n\\begin{{longtable}}{{@{{}}L{{{first}cm}}{widths}@{{}}}}"
    )?;
    let rows = || operations.iter().flat_map(|group| group.rows());
    let flawed = rows().any(|row| row.point.flaw.is_some()).then_some("; \\dag{} is a flawed method");
    let has_state = rows().any(|row| !cores::state(row).is_empty());
    let states = has_state.then_some("; a value marked shared or mixed is not of quiet cores");
    let (flawed, states) = (flawed.unwrap_or_default(), states.unwrap_or_default());
    writeln!(
        out,
        "\\caption{{{}: results. The interval is that of this run; the ratio is measured / predicted{flawed}{states}.}}\\label{{table:{}}}\\\\",
        plain(title),
        key(area)
    )?;
    writeln!(out, "\\hline {headings}\\endfirsthead\n\\hline {headings}\\endhead\n\\hline\\endfoot")?;
    for group in operations {
        if let [(row, _)] = group.points.as_slice() {
            line(&code(&group.name), (view, row), columns.clone(), out)?;
            continue;
        }
        writeln!(out, "\\multicolumn{{{}}}{{@{{}}l}}{{{}}}\\\\*", 1 + count, code(&group.name))?;
        for (row, of_point) in &group.points {
            line(&format!("\\quad {}", code(of_point)), (view, row), columns.clone(), out)?;
        }
    }
    writeln!(out, "\\end{{longtable}}}}")
}

fn line<'c>(
    name: &str,
    (view, row): (&View<'_>, &Row),
    columns: impl Iterator<Item = &'c NamedField>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let noisy = if row.verdict == Verdict::Noisy { " {\\scriptsize noisy}" } else { "" };
    let state = Some(cores::state(row)).filter(|state| !state.is_empty());
    let state = state.map_or_else(String::new, |state| format!(" {{\\scriptsize {state}}}"));
    let fields = columns.map(|(title, _, field)| match *title {
        "measured" => plain(&(field(view, row) + cores::clock_mark(view.analysis, row))) + noisy + &state,
        _ => plain(&field(view, row)),
    });
    let mark = if row.point.flaw.is_some() { " \\dag{}" } else { "" };
    writeln!(out, "{name}{mark} & {}\\\\", joined(fields, " & "))
}
