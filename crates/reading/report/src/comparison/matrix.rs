//! More than two records: a row for each point, and in it each record beside the first.

use super::view::{ComparedView, NOISY, change_cells, decision_cell, value};
use crate::document::Block;
use crate::table::{Cell, Column, Table};
use analysis::Compared;
use record::PointId;

/// Records beside the first whose changes are shown in every width.
const FEW: usize = 3;

/// The points of the headline, or all where none of them is of the headline or the user asked for others. Nothing where
/// the records have no point in common.
pub(super) fn matrix(view: &ComparedView<'_>) -> Option<Block> {
    let mut columns = vec![
        Column::name("", 0, 20, usize::MAX).whole_before(1).titled("point"),
        Column::number(view.first.name.to_owned(), 3),
    ];
    for (index, (other, _)) in view.others.iter().enumerate() {
        let (value, change) = match other.environment {
            Some(there) => (format!("in {}", there.name), there.name.clone()),
            None => {
                let change = format!("{} vs {}", other.name, view.first.name);
                (other.name.to_owned(), change)
            }
        };
        columns.extend([
            Column::number(value, 2),
            Column::number(change, u8::from(index >= FEW)),
            Column::word("interval", 4),
            Column::word("decision", u8::from(other.environment.is_some())),
        ]);
    }
    let mut table = Table::new(columns);
    rows(view).into_iter().for_each(|cells| table.row(cells));
    let caption = format!(
        "change = cost / that of {}: above 1, or +, it is slower (a bandwidth's cost is the time for a byte); 99 % intervals; {NOISY}",
        view.first.name
    );
    Some(Block::Table(table.if_any()?.captioned(caption)))
}

fn rows(view: &ComparedView<'_>) -> Vec<Vec<Cell>> {
    let ids = view.first.plan.points.iter().map(|point| &point.id);
    let headline = ids.clone().filter_map(|id| {
        let label = view.labels.iter().find(|label| label.is_of(id))?;
        row(view, id, Cell::from(label.label))
    });
    let headline: Vec<Vec<Cell>> = headline.collect();
    match headline.is_empty() {
        true => ids.filter_map(|id| row(view, id, Cell::point(id))).collect(),
        false => headline,
    }
}

/// The row of a point; nothing where no other record has it, or none has a number.
fn row(view: &ComparedView<'_>, id: &PointId, name: Cell) -> Option<Vec<Cell>> {
    let all = view.others.iter().map(|(_, comparison)| comparison.points.iter());
    let compared: Vec<Option<&Compared>> =
        all.map(|mut points| points.find(|point| point.id == *id)).collect();
    compared.iter().flatten().copied().find(|point| point.first.is_some() || point.second.is_some())?;
    let first = compared.iter().flatten().next()?;
    let typical =
        |of: Option<f64>, point: &Compared| Cell::from(value(of, point)).sorted_by(of, point.quantity);
    let mut cells = vec![name, typical(first.first, first)];
    for point in compared {
        cells.extend(match point {
            None => std::array::from_fn(|_| Cell::default()),
            Some(point) => {
                let (change, interval) = change_cells(point);
                [typical(point.second, point), change, interval, decision_cell(point)]
            }
        });
    }
    Some(cells)
}
