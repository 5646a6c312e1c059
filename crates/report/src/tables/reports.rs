//! The reports' summary table: some thirty rows with base hardware, software overhead, predicted, measured, deviation, on
//! one screen or page.

use super::statistics::Statistic;
use super::{level, missing};
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, ShownIn, Table};
use crate::wording::{cut_end, many};
use crate::{View, cells, closing, facts};
use analysis::Row;
use record::PointId;
use reference::{SUMMARY_ROWS, SummaryRow};

/// A row of the table, with what the run says of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableRow<'a> {
    /// What it is.
    pub(super) summary: &'static SummaryRow,
    /// What was found; `None` where the run does not have its point.
    pub(super) row: Option<&'a Row>,
}

impl<'a> TableRow<'a> {
    /// All rows, in their order.
    pub(super) fn all(view: &View<'a>) -> Vec<Self> {
        let rows = &view.analysis.rows;
        let of = |summary: &'static SummaryRow| Self {
            summary,
            row: rows.iter().find(|row| {
                row.point.id.operation == summary.operation && row.point.id.point == summary.point
            }),
        };
        SUMMARY_ROWS.iter().map(of).collect()
    }

    /// Its point.
    pub(super) fn id(&self) -> PointId {
        PointId::new(self.summary.operation, self.summary.point)
    }

    /// What it is called on this machine: loads and streams with the cache that holds their working set.
    pub(super) fn label(&self, view: &View<'_>) -> String {
        let level = self.summary.working_set;
        match level.and_then(|bytes| {
            level::level(
                view.machine,
                level::largest_found(&view.analysis.rows),
                bytes as f64,
            )
        }) {
            Some(level) => format!("{} ({level})", self.summary.label),
            None => self.summary.label.to_owned(),
        }
    }

    /// The measured value, or why there is none, with the sign and the dress of its verdict.
    pub(super) fn value(&self) -> (String, &'static str, Paint) {
        match self.row {
            Some(row) => (
                cells::measured(row),
                cells::mark(row.verdict),
                cells::paint(row.verdict),
            ),
            None => (NOT_MEASURED.to_owned(), "", Paint::Faint),
        }
    }

    /// The verdict's word, where the run has the point.
    pub(super) fn verdict(&self) -> &'static str {
        self.row.map_or(NOT_MEASURED, |row| row.verdict.word())
    }
}

/// Stands in place of a value that the run does not have.
const NOT_MEASURED: &str = "not measured";

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

/// When it was measured, for how long, and whose predictions stand beside oscope's.
pub(super) fn run_line(view: &View<'_>) -> String {
    let user = view.plan.user_predictions.as_ref();
    let user = user.map_or_else(String::new, |file| {
        format!("; predictions by the user: {}", file.name)
    });
    let trials = view.analysis.rows.iter().map(|row| row.trials.len()).sum();
    format!(
        "measured {}, {}, {}{user}",
        view.header.started,
        closing::lasted(view),
        many(trials, "trial")
    )
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
    let typical = of
        .row
        .and_then(|row| Some((row.estimate.as_ref()?.typical, row.quantity())));
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
    all.extend(
        statistics
            .iter()
            .map(|one| Cell::from(of.row.map_or_else(String::new, |row| one.text(row)))),
    );
    all.push(of.id().to_string().into());
    all.push(Cell {
        word: of.verdict(),
        ..Cell::from(of.verdict())
    });
    all
}
