//! Where this machine stands beside the machines of the corpus: by area, and every point with what it came to on each.

use crate::View;
use crate::cells;
use crate::document::{Block, terminal};
use crate::page::Page;
use crate::results::least_name;
use crate::style::Paint;
use crate::table::{Cell, Column, Table};
use analysis::{Beside, Row};
use quantity::{show, show_ratio};
use record::PointId;
use reference::{CORPUS, MeasuredPoint};
use std::collections::HashMap;
use std::io;

/// What a reader must know of the columns.
const MEANING: &str = "The corpus: machines that oscope was run on (docs/PREDICTIONS.md). Typical values; ~ noisy, ✗ contradicted, \
    – skipped; nothing where the point was not measured there";

/// The points of one machine of the corpus.
type Points = HashMap<(String, String), MeasuredPoint>;

/// What a reader must know of the table by area.
const BY_AREA: &str = "Machines that oscope was run on (docs/PREDICTIONS.md). Median over the points that both have of the cost \
    here divided by the cost there: below 1× this machine is faster. The cost of a bandwidth is its inverse.";

/// The points of every machine of the corpus.
fn corpus() -> Vec<Points> {
    // A test of theirs shows that the points can be read.
    let by_point = |point: MeasuredPoint| ((point.operation.clone(), point.point.clone()), point);
    CORPUS
        .iter()
        .map(|machine| machine.points().unwrap_or_default().into_iter().map(by_point).collect())
        .collect()
}

/// How this machine stands to each of the corpus: all points, then those of each area.
fn standings(rows: &[Row], corpus: &[Points]) -> Vec<Vec<Beside>> {
    let there = |points: &Points, id: &PointId| {
        let point = points.get(&(id.operation.clone(), id.point.clone()))?;
        point.typical
    };
    let of_one = |points: &Points| analysis::beside(rows, |id| there(points, id));
    corpus.iter().map(of_one).collect()
}

/// When the columns of each machine give way on a narrow page: last those of the machine that is most like this one.
fn priorities(standings: &[Vec<Beside>]) -> Vec<u8> {
    let distance = |found: &Vec<Beside>| found.first().map_or(f64::INFINITY, |all| all.ratio.ln().abs());
    let distances: Vec<f64> = standings.iter().map(distance).collect();
    let nearer = |own: &f64| distances.iter().filter(|other| *other < own).count();
    let ranks = distances.iter().map(|own| u8::try_from(1 + nearer(own)));
    ranks.map(|rank| rank.unwrap_or(u8::MAX)).collect()
}

/// Where this machine stands beside each of the corpus, by area; `None` where no point is measured on both.
pub(crate) fn beside(view: &View<'_>) -> Option<Block> {
    let all = standings(&view.analysis.rows, &corpus());
    let areas = all.iter().max_by_key(|found| found.len())?;
    if areas.is_empty() {
        return None;
    }
    let heading = |one: &Beside| one.area.clone().unwrap_or_else(|| "all".to_owned());
    let mut columns = vec![Column::name("machine", 0, 8, usize::MAX), Column::number("points", 0)];
    columns.extend(areas.iter().map(|one| Column::number(heading(one), 1)));
    let mut table = Table::new(columns);
    for (machine, found) in CORPUS.iter().zip(&all) {
        let points = found.first().map_or(0, |all| all.points);
        let mut line: Vec<Cell> = vec![machine.name.into(), points.to_string().into()];
        line.extend(areas.iter().map(|area| {
            let here = found.iter().find(|one| one.area == area.area);
            Cell::from(here.map_or_else(String::new, |one| show_ratio(one.ratio)))
        }));
        table.row(line);
    }
    Block::part("beside other machines", vec![Block::text(BY_AREA), Block::Table(table)])
}

/// Writes where this machine stands by area, and the table of all points with a number.
pub(crate) fn machines(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    terminal::write(&beside(view).into_iter().collect::<Vec<_>>(), page)?;
    let corpus = corpus();
    let mut columns = vec![
        Column::name("", 0, least_name(page.width), usize::MAX),
        Column::number("here", 0),
        Column::word("", 0),
    ];
    let priorities = priorities(&standings(&view.analysis.rows, &corpus));
    for (machine, priority) in CORPUS.iter().zip(priorities) {
        columns.extend([Column::number(machine.name, priority), Column::word("", priority)]);
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
