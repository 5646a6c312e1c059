//! Where this machine stands beside the machines of the corpus: by area, and every point with what it came to on each.

use crate::View;
use crate::cells;
use crate::document::{Block, terminal};
use crate::page::Page;
use crate::results::{name_cell, name_column, table_of};
use crate::style::Paint;
use crate::table::{Cell, Column, Columns};
use analysis::{Beside, Row, Verdict};
use quantity::{show, show_ratio};
use record::PointId;
use reference::{CORPUS, MeasuredMachine, MeasuredPoint};
use std::collections::HashMap;
use std::io;

/// What a reader must know of the columns.
const MEANING: &str = "The corpus: machines that oscope was run on (docs/PREDICTIONS.md). Typical values; ~ noisy, ✗ contradicted, \
    – skipped; nothing where the point was not measured there. A narrow screen has the machines that are most like this one";

/// The points of one machine of the corpus.
pub(crate) type Points = HashMap<(String, String), MeasuredPoint>;

/// What a reader must know of the table by area.
const BY_AREA: &str = "Machines that oscope was run on. Median over the points that both have of the cost \
    here divided by the cost there: below 1× this machine is faster. The cost of a bandwidth is its inverse.";

/// The typical values of a point on the machines of the corpus that have one.
pub(crate) fn values(id: &PointId, corpus: &[Points]) -> Vec<f64> {
    corpus.iter().filter_map(|points| there(id, points)?.typical).collect()
}

/// The points of every machine of the corpus.
pub(crate) fn corpus() -> Vec<Points> {
    // A test of theirs shows that the points can be read.
    let machines = CORPUS.iter().map(|machine| {
        let points = machine.points().unwrap_or_default().into_iter();
        points.map(|point| ((point.operation.clone(), point.point.clone()), point)).collect()
    });
    machines.collect()
}

/// How this machine stands to each of the corpus: all points, then those of each area.
fn standings(rows: &[Row], corpus: &[Points]) -> Vec<Vec<Beside>> {
    corpus.iter().map(|points| analysis::beside(rows, |id| there(id, points)?.typical)).collect()
}

/// When the columns of each machine give way on a narrow page: last those of the machine that is most like this one.
fn priorities(standings: &[Vec<Beside>]) -> Vec<u8> {
    let all = standings.iter().map(|found| found.first());
    let distances: Vec<f64> = all.map(|all| all.map_or(f64::INFINITY, |all| all.ratio.ln().abs())).collect();
    let nearer = distances.iter().map(|own| distances.iter().filter(|other| *other < own).count());
    nearer.map(|nearer| u8::try_from(1 + nearer).unwrap_or(u8::MAX)).collect()
}

/// Where this machine stands beside each of the corpus, by area; `None` where no point is measured on both.
pub(crate) fn beside(view: &View<'_>) -> Option<Block> {
    let all = standings(&view.analysis.rows, &corpus());
    let areas = all.iter().max_by_key(|found| found.len())?;
    if areas.is_empty() {
        return None;
    }
    let mut columns = Columns::new(
        Column::name("machine", 0, 8, usize::MAX),
        |(machine, _): &(&MeasuredMachine, &Vec<Beside>)| machine.name,
    )
    .with(Column::number("points", 0), |(_, found)| found.first().map_or(0, |all| all.points).to_string());
    for (priority, area) in (0..).zip(areas) {
        let heading = area.area.clone().unwrap_or_else(|| "all".to_owned());
        columns = columns.with(Column::number(heading, priority), |(_, found)| {
            let here = found.iter().find(|one| one.area == area.area);
            here.map_or_else(String::new, |one| show_ratio(one.ratio))
        });
    }
    let table = columns.table_of(CORPUS.iter().zip(&all));
    let who = Block::Facts(CORPUS.iter().map(|machine| (machine.name, machine.about.into())).collect());
    Block::part("other machines", vec![who, Block::text(BY_AREA), Block::Table(table)])
}

/// Writes where this machine stands by area, and the table of all points with a number.
pub(crate) fn machines(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    terminal::write(&beside(view).into_iter().collect::<Vec<_>>(), page)?;
    let corpus = corpus();
    let mut columns = Columns::new(name_column(page.width), name_cell)
        .with(Column::number("here", 0), |(_, row)| cells::measured_cell(row))
        .with(Column::word("", 0), |(_, row)| cells::mark_cell(row));
    let priorities = priorities(&standings(&view.analysis.rows, &corpus));
    for ((machine, priority), points) in CORPUS.iter().zip(priorities).zip(&corpus) {
        columns = columns.with(Column::number(machine.name, priority), |(_, row)| value(row, points));
    }
    page.table(&table_of(&columns, &view.analysis.rows))?;
    page.blank()?;
    page.text("", "", MEANING, Paint::Faint)
}

/// The point of a row on another machine.
fn there<'p>(id: &PointId, points: &'p Points) -> Option<&'p MeasuredPoint> {
    points.get(&(id.operation.clone(), id.point.clone()))
}

/// What the point of a row came to there, behind the mark of its verdict.
fn value(row: &Row, points: &Points) -> Cell {
    let Some(point) = there(&row.point.id, points) else { return Cell::default() };
    let known = Verdict::from_word(&point.verdict);
    let half = point.low.zip(point.high).map(|(low, high)| (high - low) / 2.0);
    let typical = point.typical.map_or_else(String::new, |typical| show(typical, half, row.quantity()));
    known.map_or_else(Cell::default, |known| {
        Cell::new(format!("{}{typical}", cells::mark(known)), cells::paint(known))
    })
}
