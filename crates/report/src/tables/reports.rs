//! The reports' summary table: some thirty rows with base hardware, software overhead, predicted, measured, deviation, on
//! one screen or page.

use super::form::run_line;
use super::missing;
use super::row::TableRow;
use super::statistics::Statistic;
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, ShownIn, Table};
use crate::wording::cut_end;
use crate::{View, cells, facts};
use analysis::Row;

/// What the columns mean.
const CAPTION: &str =
    "deviation: over trials; ratio = measured / predicted; ~ noisy; caches by reported and found sizes";

/// The machine, the run, the table, and what is not in it. On a terminal of this width descriptions and reasons have one line
/// each, so that all of it is one screen.
pub(super) fn blocks(view: &View<'_>, statistics: &[Statistic], width: Option<usize>) -> Vec<Block> {
    let rows = TableRow::all(view);
    let line =
        |text: String| width.map_or_else(|| text.clone(), |width| cut_end(&text, width.saturating_sub(2)));
    let machine = facts::in_three_lines(view.machine).into_iter();
    let reasons = missing::reasons(view, &rows).into_iter();
    let mut blocks = vec![Block::Title("the reports' table".to_owned())];
    blocks.extend(machine.map(|text| Block::text(line(text))));
    blocks.push(Block::Text(line(run_line(view)), Paint::Faint));
    blocks.push(Block::Table(table(view, &rows, statistics)));
    blocks.extend(missing::unmeasured(&rows).map(Block::text));
    blocks.extend(reasons.map(|text| Block::text(line(text))));
    blocks
}

/// The longest label has as many characters.
const LABEL: usize = 26;

fn table(view: &View<'_>, rows: &[TableRow<'_>], statistics: &[Statistic]) -> Table {
    let has_user = cells::has_user(rows.iter().filter_map(|row| row.row));
    let mut columns = vec![
        Column::word("area", 0).only_in(ShownIn::Documents),
        Column::name("", 0, LABEL, usize::MAX).titled("operation"),
        Column::number("hardware", 3).titled("base hardware"),
        Column::number("software", 3).titled("software overhead"),
        Column::number("predicted", 0),
        Column::word("", 5).titled("tier"),
        Column::number("measured", 0),
        Column::word("", 0).only_in(ShownIn::Terminals),
        Column::number("deviation", 2),
        Column::number("ratio", 4).titled("measured / predicted"),
    ];
    if has_user {
        columns.extend([
            Column::number("user's", 1).titled("predicted by the user"),
            Column::number("its ratio", 4).titled("measured / the user's"),
        ]);
    }
    columns.extend(statistics.iter().map(|one| Column::number(one.title(), 1)));
    columns.push(Column::word("point", 0).only_in(ShownIn::Documents));
    columns.push(Column::word("verdict", 0).only_in(ShownIn::Documents));
    let mut table = Table::new(columns);
    table.caption = Some(CAPTION.to_owned());
    let mut area = "";
    for row in rows {
        if row.summary.area != area {
            area = row.summary.area;
            table.head(Cell::new(area, Paint::Faint));
        }
        table.row(row_cells(view, row, statistics, has_user));
    }
    table
}

fn row_cells(view: &View<'_>, of: &TableRow<'_>, statistics: &[Statistic], has_user: bool) -> Vec<Cell> {
    let name = Cell::from(format!("  {}", of.label(view)));
    let text = |text: fn(&Row) -> String| Cell::from(of.row.map(text).unwrap_or_default());
    let (measured, mark, paint) = of.value();
    let typical = of.row.and_then(|row| Some((row.estimate.as_ref()?.typical, row.quantity())));
    let measured = Cell::new(measured, paint);
    let measured = match typical {
        Some((value, quantity)) => measured.sorted_by(Some(value), quantity),
        None => measured,
    };
    let mut all = vec![
        of.summary.area.into(),
        name,
        text(|row| cells::predicted(row, |predicted| predicted.hardware)),
        text(|row| cells::predicted(row, |predicted| predicted.software)),
        text(|row| cells::predicted(row, |predicted| predicted.total)),
        Cell::new(of.row.map_or("", cells::tier), Paint::Faint),
        measured,
        Cell::new(mark, paint),
        text(cells::deviation),
        text(cells::ratio),
    ];
    if has_user {
        all.extend([text(cells::user), text(cells::user_ratio)]);
    }
    all.extend(statistics.iter().map(|one| Cell::from(of.row.map_or_else(String::new, |row| one.text(row)))));
    all.push(of.id().to_string().into());
    all.push(Cell { word: of.verdict(), ..Cell::from(of.verdict()) });
    all
}
