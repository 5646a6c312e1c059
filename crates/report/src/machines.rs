//! Where this machine stands beside the machines of the corpus: every point with what it came to on each.

use crate::View;
use crate::cells;
use crate::page::Page;
use crate::results::least_name;
use crate::style::Paint;
use crate::table::{Cell, Column, Table};
use analysis::Row;
use quantity::show;
use reference::{CORPUS, MeasuredPoint};
use std::collections::HashMap;
use std::io;

/// What a reader must know of the columns.
const MEANING: &str = "The corpus: machines that oscope was run on (docs/PREDICTIONS.md). Typical values; ~ noisy, ✗ contradicted, \
    – skipped; nothing where the point was not measured there";

/// The points of one machine of the corpus.
type Points = HashMap<(String, String), MeasuredPoint>;

/// Writes the table of all points with a number.
pub(crate) fn machines(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    // A test of theirs shows that the points can be read.
    let by_point = |point: MeasuredPoint| ((point.operation.clone(), point.point.clone()), point);
    let corpus: Vec<Points> = CORPUS
        .iter()
        .map(|machine| {
            machine
                .points()
                .unwrap_or_default()
                .into_iter()
                .map(by_point)
                .collect()
        })
        .collect();
    let mut columns = vec![
        Column::name("", 0, least_name(page.width), usize::MAX),
        Column::number("here", 0),
        Column::word("", 0),
    ];
    for machine in CORPUS {
        columns.extend([Column::number(machine.name, 1), Column::word("", 1)]);
    }
    let mut table = Table::new(columns);
    for row in view.analysis.rows.iter().filter(|row| row.estimate.is_some()) {
        let mut line = vec![
            cells::marked(&row.point.id.to_string(), row).into(),
            Cell::new(cells::measured(row), cells::paint(row.verdict)),
            Cell::new(cells::mark(row.verdict), cells::paint(row.verdict)),
        ];
        line.extend(corpus.iter().flat_map(|points| elsewhere(row, points)));
        table.row(line);
    }
    page.lines(&table.heading(page.width, page.style))?;
    page.lines(&table.body(page.width, page.style))?;
    page.blank()?;
    page.text("", "", MEANING, Paint::Faint)
}

/// What the point of a row came to on another machine, and the mark of its verdict there.
fn elsewhere(row: &Row, points: &Points) -> [Cell; 2] {
    let id = &row.point.id;
    let Some(point) = points.get(&(id.operation.clone(), id.point.clone())) else {
        return [Cell::from(String::new()), Cell::from(String::new())];
    };
    let half = cells::half(point.low.zip(point.high));
    let value = point.typical.map(|typical| show(typical, half, row.quantity()));
    let mark = match point.verdict.as_str() {
        "noisy" => "~",
        "contradicted" => "✗",
        "skipped" => "–",
        "failed" => "!",
        _ => "",
    };
    [value.unwrap_or_default().into(), Cell::new(mark, Paint::Warning)]
}
