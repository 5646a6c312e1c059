//! The table of results, for terminals and documents.

use crate::groups::OperationRows;
use crate::style::Paint;
use crate::table::{Cell, Column, ShownIn, Table};
use crate::{cells, cores};
use analysis::Row;

/// The wider the terminal, the more of a name is kept before a column of numbers is.
pub(crate) fn least_name(width: usize) -> usize {
    (width * 3 / 10).clamp(24, 44)
}

/// Which columns are shown that not every run has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    /// Those of the user's own predictions.
    pub(crate) user: bool,
    /// Those of the state of the core.
    pub(crate) state: bool,
}

impl Shown {
    /// What a run with these rows has.
    pub(crate) fn of(rows: &[Row]) -> Self {
        Self { user: cells::has_user(rows), state: cores::has_state(rows) }
    }
}

/// A table without rows. `width` is that of the terminal.
pub(crate) fn results(width: usize, shown: Shown) -> Table {
    let terminals = ShownIn::Terminals;
    let mut columns = vec![
        Column::name("", 0, least_name(width), usize::MAX).whole_before(6).titled("operation"),
        Column::number("hardware", 5).titled("base hardware"),
        Column::number("software", 5).titled("software overhead"),
        Column::number("predicted", 3),
        Column::word("", 3).titled("tier"),
        Column::number("measured", 0),
        Column::word("", 0).only_in(terminals),
    ];
    if shown.state {
        columns.extend([
            Column::word("", 0).titled("state"),
            Column::number("slowdown", 4),
            Column::number("untriggered", 6),
        ]);
    }
    columns.extend([Column::number("±", 1), Column::number("ratio", 2).titled("measured / predicted")]);
    if shown.user {
        columns.extend([
            Column::number("user's", 1).titled("predicted by the user"),
            Column::number("its ratio", 2).titled("measured / the user's"),
            Column::word("closer", 4),
        ]);
    }
    columns.extend([
        Column::number("residual", 8).only_in(terminals),
        Column::number("deviation", 6),
        Column::number("best", 7),
        Column::number("interval", 10).only_in(terminals),
        Column::number("trials", 9).only_in(terminals),
        Column::prose("one iteration", 12, 40, 60).only_in(terminals),
        Column::word("verdict", 0).only_in(ShownIn::Documents),
    ]);
    Table::new(columns)
}

fn row_cells(name: String, row: &Row, shown: Shown) -> Vec<Cell> {
    let paint = cells::paint(row.verdict);
    let name_paint = match row.point.reference {
        Some(_) => Paint::Faint,
        None => Paint::Plain,
    };
    let verdict = format!("{} {}", cells::mark(row.verdict), row.verdict.word());
    let mut all = vec![
        Cell { point: Some(row.point.id.clone()), ..Cell::new(cells::marked(&name, row), name_paint) },
        cells::predicted(row, |predicted| predicted.hardware).into(),
        cells::predicted(row, |predicted| predicted.software).into(),
        cells::predicted(row, |predicted| predicted.total).into(),
        Cell::new(cells::tier(row), Paint::Faint),
        Cell::new(cells::measured(row), paint),
        Cell::new(cells::mark(row.verdict), paint),
    ];
    if shown.state {
        all.extend([
            Cell::new(cores::state(row), Paint::Warning),
            cores::slowdown(row).into(),
            cores::untriggered(row).into(),
        ]);
    }
    all.extend([cells::half_width(row).into(), cells::ratio(row).into()]);
    if shown.user {
        all.extend([
            cells::user(row).into(),
            cells::user_ratio(row).into(),
            Cell::new(cells::closer(row), Paint::Faint),
        ]);
    }
    all.extend([
        cells::residual(row).into(),
        cells::deviation(row).into(),
        cells::best(row).into(),
        cells::interval(row).into(),
        cells::trials(row).into(),
        Cell::new(&row.point.one_iteration, Paint::Faint),
        verdict.trim_start().into(),
    ]);
    all
}

/// The rows of one operation: on one line when there is one, else a heading and the points below it.
pub(crate) fn operation(group: &OperationRows<'_>, shown: Shown, table: &mut Table) {
    if let [(row, _)] = group.points.as_slice() {
        let id = &row.point.id;
        let cells = row_cells(format!("  {}", group.name), row, shown);
        return if id.point.is_empty() {
            table.row(cells)
        } else {
            let own = cells::marked(&format!("    {}", id.point), row);
            table.parted_row(cells, [format!("  {}", id.operation), own])
        };
    }
    table.head(format!("  {}", group.name).into());
    for (row, own) in &group.points {
        table.row(row_cells(format!("    {own}"), row, shown));
    }
}
