//! A summary table like those of the reports: some thirty rows with base hardware, software overhead, predicted, measured,
//! deviation, on one screen or page.

use super::missing;
use super::row::TableRow;
use super::statistics::Statistic;
use crate::document::Block;
use crate::run_summary::run_line;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns, ShownIn, Table};
use crate::wording::cut_end;
use crate::{View, brief_machine, cells, cycles};
use quantity::show_ratio;

/// What the columns mean.
const CAPTION: &str = "± of the next run; deviation: over trials; ratio = measured / predicted; ~ noisy; caches by reported and found sizes";

/// The machine, the run, the table, and what is not in it. On a terminal of this width descriptions and reasons have one line
/// each, so that all of it is one screen.
pub(super) fn blocks(view: &View<'_>, statistics: &[Statistic], width: Option<usize>) -> Vec<Block> {
    let rows = TableRow::all(view);
    let line =
        |text: String| width.map_or_else(|| text.clone(), |width| cut_end(&text, width.saturating_sub(2)));
    let machine = brief_machine::in_three_lines(view).into_iter();
    let reasons = missing::reasons(view, &rows).into_iter();
    let mut blocks = vec![Block::Title("the reports' table".to_owned())];
    blocks.extend(machine.map(|text| Block::text(line(text))));
    blocks.push(Block::Text(line(run_line(view)), Paint::Faint));
    blocks.push(Block::Table(table(view, &rows, statistics)));
    blocks.extend(in_round_trips(view, &rows).map(Block::text));
    blocks.extend(missing::unmeasured(&rows).map(Block::text));
    blocks.extend(reasons.map(|text| Block::text(line(text))));
    blocks
}

/// The table, and what is said below it; nothing where the run has none of its rows.
pub(crate) fn summary(view: &View<'_>) -> Vec<Block> {
    let mut rows = TableRow::all(view);
    rows.retain(|row| row.row.is_some());
    if rows.is_empty() {
        return Vec::new();
    }
    let table = Block::Table(table(view, &rows, &[]));
    [table].into_iter().chain(in_round_trips(view, &rows).map(Block::text)).collect()
}

/// Setup and teardown of connections as multiples of the round trip, as R0, 5.3.4, gives them.
fn in_round_trips(view: &View<'_>, rows: &[TableRow<'_>]) -> Option<String> {
    let multiples =
        rows.iter().filter_map(|of| Some((of.summary.label, show_ratio(of.in_round_trips(view)?))));
    let multiples: Vec<String> = multiples.map(|(label, ratio)| format!("{label} {ratio}")).collect();
    (!multiples.is_empty()).then(|| format!("in round trips of 64 B: {}", multiples.join("; ")))
}

/// The longest label has as many characters.
const LABEL: usize = 26;

fn table(view: &View<'_>, rows: &[TableRow<'_>], statistics: &[Statistic]) -> Table {
    let columns = columns(view, statistics, cells::has_user(rows.iter().filter_map(|row| row.row)));
    let mut table = Table { is_headed_on_pages: true, ..columns.table().captioned(CAPTION) };
    let mut area = "";
    for row in rows {
        if row.summary.area != area {
            area = row.summary.area;
            table.head(Cell::new(area, Paint::Faint));
        }
        table.row(columns.cells(row));
    }
    table
}

/// The measured value, by which the table is sorted.
fn measured(of: &TableRow<'_>) -> Cell {
    let sorted = of.row.and_then(|row| Some((row.estimate.as_ref()?.typical, row.quantity())));
    sorted.map_or_else(
        || of.measured_cell(),
        |(typical, quantity)| of.measured_cell().sorted_by(Some(typical), quantity),
    )
}

fn columns<'v>(view: &'v View<'_>, statistics: &'v [Statistic], has_user: bool) -> Columns<'v, TableRow<'v>> {
    let documents = ShownIn::Documents;
    let mut columns =
        Columns::new(Column::word("area", 0).only_in(documents).not_below_headings(), |of: &TableRow<'_>| {
            of.summary.area
        })
        .with(Column::name("", 0, LABEL, usize::MAX).whole_before(5).titled("operation"), |of| {
            format!("  {}", of.label(view))
        })
        .with(Column::number("hardware", 3).titled("base hardware"), |of| of.text(cells::hardware))
        .with(Column::number("software", 3).titled("software overhead"), |of| of.text(cells::software))
        .with(Column::number("predicted", 0), |of| of.text(cells::total))
        .with(Column::word("", 5).titled("tier"), |of| of.row.map(cells::tier_cell).unwrap_or_default())
        .with(Column::number("measured", 0), |of| measured(of))
        .with(Column::word("", 0).only_in(ShownIn::Terminals), |of| of.mark_cell())
        .with(Column::number("±", 6), |of| of.text(cells::half_width))
        .when(view.has_cycles, |columns| {
            columns.with(Column::number(cycles::TITLE, 0), |of| of.text(|row| cycles::measured(view, row)))
        })
        .with(Column::number("deviation", 2), |of| of.text(cells::deviation))
        .with(Column::number("ratio", 4).titled("measured / predicted"), |of| of.text(cells::ratio))
        .when(has_user, |columns| {
            let (user, ratio) = (Column::number("user's", 1), Column::number("its ratio", 4));
            columns
                .with(user.titled("predicted by the user"), |of| of.text(cells::user))
                .with(ratio.titled("measured / the user's"), |of| of.text(cells::user_ratio))
        });
    for one in statistics {
        columns = columns.with(Column::number(one.title(), 1), |of| of.text(|row| one.text(row)));
    }
    columns
        .with(Column::word("point", 0).only_in(documents).not_below_headings(), |of| of.id().to_string())
        .with(Column::word("verdict", 0).only_in(documents), |of| {
            let verdict =
                of.row.map_or_else(|| of.verdict().to_owned(), |row| cells::signed_verdict(row.verdict));
            Cell { word: of.verdict(), ..Cell::from(verdict) }
        })
}
