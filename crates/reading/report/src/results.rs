//! The table of results, for terminals and documents.

use crate::groups::{OperationRows, areas};
use crate::style::Paint;
use crate::table::{Cell, Column, Columns, ShownIn, Table};
use crate::{View, cells, cores, cycles};
use analysis::Row;

/// The wider the terminal, the more of a name is kept before a column of numbers is.
pub(crate) fn least_name(width: usize) -> usize {
    (width * 3 / 10).clamp(24, 44)
}

/// A row and what it is called.
pub(crate) type Named<'r> = (String, &'r Row);

/// The column of names.
pub(crate) fn name_column(width: usize) -> Column {
    Column::name("", 0, least_name(width), usize::MAX).titled("operation")
}

/// Adds the rows of one operation: on one line when there is one, else a heading and the points below it.
pub(crate) fn add<'r>(columns: &Columns<'_, Named<'r>>, group: &OperationRows<'r>, table: &mut Table) {
    if let [(row, _)] = group.points.as_slice() {
        let id = &row.point.id;
        let cells = columns.cells(&(format!("  {}", group.name), *row));
        return if id.point.is_empty() {
            table.row(cells)
        } else {
            let own = cells::marked(&format!("    {}", id.point), row);
            table.parted_row(cells, [format!("  {}", id.operation), own])
        };
    }
    table.head(format!("  {}", group.name).into());
    for (row, own) in &group.points {
        table.row(columns.cells(&(format!("    {own}"), *row)));
    }
}

/// The table of all rows below the names of their operations.
pub(crate) fn table_of<'r>(columns: &Columns<'_, Named<'r>>, rows: &'r [Row]) -> Table {
    let mut table = columns.table();
    let groups = areas(rows).into_iter().flat_map(|(_, groups)| groups);
    groups.for_each(|group| add(columns, &group, &mut table));
    table
}

/// The table of results, before it has lines: those columns that this run has.
pub(crate) struct Results<'r> {
    columns: Columns<'r, Named<'r>>,
    /// Whether it has the state of the cores.
    pub(crate) has_state: bool,
}

impl<'r> Results<'r> {
    /// The columns that a run with these rows has. `width` is that of the terminal.
    pub(crate) fn new(view: &'r View<'r>, width: usize) -> Self {
        let has_state = cores::has_state(&view.analysis.rows);
        Self { columns: columns(view, width, has_state), has_state }
    }

    /// A table without lines.
    pub(crate) fn table(&self) -> Table {
        self.columns.table()
    }

    /// Adds the rows of one operation.
    pub(crate) fn add(&self, group: &OperationRows<'r>, table: &mut Table) {
        add(&self.columns, group, table);
    }
}

fn columns<'r>(view: &'r View<'r>, width: usize, has_state: bool) -> Columns<'r, Named<'r>> {
    let (terminals, has_user) = (ShownIn::Terminals, cells::has_user(&view.analysis.rows));
    Columns::new(name_column(width).whole_before(6), name_cell)
        .with(Column::number("hardware", 5).titled("base hardware"), |(_, row)| cells::hardware(row))
        .with(Column::number("software", 5).titled("software overhead"), |(_, row)| cells::software(row))
        .with(Column::number("predicted", 3), |(_, row)| cells::total(row))
        .when(view.has_cycles, |columns| {
            let column = Column::number("its cycles", 3).titled("predicted, cycles");
            columns.with(column, |(_, row)| cycles::predicted(view, row))
        })
        .with(Column::word("", 3).titled("tier"), |(_, row)| cells::tier_cell(row))
        .with(Column::number("measured", 0).only_in(terminals), |(_, row)| cells::measured_cell(row))
        .with(Column::number("measured", 0).only_in(ShownIn::Documents), |(_, row)| {
            Cell::from(cells::measured(row) + cores::clock_mark(view.analysis, row))
        })
        .with(Column::word("", 0).only_in(terminals), |(_, row)| mark_cell(view, row))
        .when(view.has_cycles, |columns| {
            columns.with(Column::number(cycles::TITLE, 0), |(_, row)| cycles::measured(view, row))
        })
        .when(has_state, |columns| {
            columns
                .with(Column::word("", 0).titled("state"), |(_, row)| cores::state_cell(row))
                .with(Column::number("slowdown", 4), |(_, row)| cores::slowdown(row))
                .with(Column::number("untriggered", 6), |(_, row)| cores::untriggered(row))
        })
        .with(Column::number("±", 1), |(_, row)| cells::half_width(row))
        .with(Column::number("ratio", 2).titled("measured / predicted"), |(_, row)| cells::ratio(row))
        .when(has_user, |columns| {
            let (user, ratio) = (Column::number("user's", 1), Column::number("its ratio", 2));
            columns
                .with(user.titled("predicted by the user"), |(_, row)| cells::user(row))
                .with(ratio.titled("measured / the user's"), |(_, row)| cells::user_ratio(row))
                .with(Column::word("closer", 4), |(_, row)| Cell::new(cells::closer(row), Paint::Faint))
        })
        .with(Column::number("residual", 8).only_in(terminals), |(_, row)| cells::residual(row))
        .with(Column::number("deviation", 6), |(_, row)| cells::deviation(row))
        .with(Column::number("best", 7), |(_, row)| cells::best(row))
        .with(Column::number("± in this run", 8), |(_, row)| cells::half_width_of_run(row))
        .with(Column::number("interval", 10).only_in(terminals), |(_, row)| cells::interval(row))
        .with(Column::number("trials", 9).only_in(terminals), |(_, row)| cells::trials(row))
        .with(Column::prose("one iteration", 12, 40, 60).only_in(terminals), |(_, row)| {
            Cell::new(&row.point.one_iteration, Paint::Faint)
        })
        .with(Column::word("verdict", 0).only_in(ShownIn::Documents), |(_, row)| {
            cells::signed_verdict(row.verdict)
        })
}

/// The sign of a value at another clock, and that of the verdict.
fn mark_cell(view: &View<'_>, row: &Row) -> Cell {
    let mark = format!("{}{}", cores::clock_mark(view.analysis, row), cells::mark(row.verdict));
    Cell::new(mark, cells::paint(row.verdict))
}

pub(crate) fn name_cell((name, row): &Named<'_>) -> Cell {
    let paint = if row.point.flaw.is_some() { Paint::Faint } else { Paint::Plain };
    Cell { point: Some(row.point.id.clone()), ..Cell::new(cells::marked(name, row), paint) }
}
