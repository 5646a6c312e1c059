//! Every trial that counts, one by one.

use super::form::run_line;
use crate::View;
use crate::cells;
use crate::document::Block;
use crate::style::Paint;
use crate::table::{Cell, Column, Table};
use analysis::Row;
use quantity::show;

/// A part for each point that has a number, with a row for each of its trials.
pub(super) fn blocks(view: &View<'_>) -> Vec<Block> {
    let mut table = Table::new(vec![
        Column::name("", 0, 30, usize::MAX).titled("point"),
        Column::number("round", 0),
        Column::number("typical", 0),
        Column::number("best", 1),
    ]);
    table.caption = Some(CAPTION.to_owned());
    let rows = view.analysis.rows.iter();
    rows.filter(|row| row.estimate.is_some()).for_each(|row| trials(row, &mut table));
    vec![Block::Title("trials".to_owned()), Block::Text(run_line(view), Paint::Faint), Block::Table(table)]
}

/// The trials of a point, in the order of the rounds. As many digits as the spread between them allows.
fn trials(row: &Row, table: &mut Table) {
    let half = row.estimate.as_ref().and_then(|estimate| estimate.deviation);
    let name = cells::marked(&row.point.id.to_string(), row);
    let mut trials: Vec<_> = row.trials.iter().collect();
    trials.sort_by_key(|trial| trial.round);
    for trial in trials {
        let text = |value: f64| Cell::from(show(value, half, row.quantity()));
        table.row(vec![
            name.as_str().into(),
            trial.round.to_string().into(),
            text(trial.typical),
            text(trial.best),
        ]);
    }
}

/// What the columns mean.
const CAPTION: &str = "a trial is a fresh process; typical: its median sample, at the clock of the run; best: its 5th percentile \
    (95th of a bandwidth)";
