//! Every trial that counts, one by one.

use crate::document::Block;
use crate::run_summary::run_line;
use crate::style::Paint;
use crate::table::{Column, Columns};
use crate::{View, cells, cycles};
use analysis::{Row, TrialValue};
use quantity::show;

/// A row for each trial of each point that has a number.
pub(super) fn blocks(view: &View<'_>) -> Vec<Block> {
    let name = Column::name("", 0, 30, usize::MAX).titled("point");
    let columns =
        Columns::new(name, |(row, _): &(&Row, &TrialValue)| cells::marked(&row.point.id.to_string(), row))
            .with(Column::number("round", 0), |(_, trial)| trial.round.to_string())
            .with(Column::number("typical", 0), |(row, trial)| value(row, trial.typical))
            .when(view.has_cycles, |columns| {
                columns.with(Column::number(cycles::TITLE, 0), |(row, trial)| {
                    cycles::value(view, row, trial.typical, deviation(row))
                })
            })
            .with(Column::number("best", 1), |(row, trial)| value(row, trial.best));
    let rows = view.analysis.rows.iter().filter(|row| row.estimate.is_some());
    let table = columns.table_of(rows.flat_map(in_rounds));
    vec![
        Block::Title("trials".to_owned()),
        Block::Text(run_line(view), Paint::Faint),
        Block::Table(table.captioned(CAPTION)),
    ]
}

/// A value in as many digits as the spread between the trials of a point allows.
fn value(row: &Row, value: f64) -> String {
    show(value, deviation(row), row.quantity())
}

fn deviation(row: &Row) -> Option<f64> {
    row.estimate.as_ref()?.deviation
}

/// The trials of a point, in the order of the rounds.
pub(crate) fn in_rounds(row: &Row) -> impl Iterator<Item = (&Row, &TrialValue)> {
    let mut trials: Vec<&TrialValue> = row.trials.iter().collect();
    trials.sort_by_key(|trial| trial.round);
    trials.into_iter().map(move |trial| (row, trial))
}

/// What the columns mean.
const CAPTION: &str = "a trial is a fresh process; typical: its median sample, at the clock of the run; best: its 5th percentile \
    (95th of a bandwidth)";
