//! Answers to the questions, from the rows of one record: a number with its interval, or why the question stays
//! untested.

use crate::answers::contrast::quotient;
use crate::answers::finding::{
    Answered, Finding, Measured, Numbers, Outcome, Untested, cautious, id_of, line, usable,
};
use crate::answers::questions::question::{CostSplit, Derivation, Operand, Question, ReportedSize};
use crate::answers::questions::questions;
use crate::answers::{cache_capacity, cost_split, huge_page_backing, ranking, reported_size};
use crate::rows::row::{Row, SweepLine, find};
use quantity::Quantity;
use record::{Machine, PointId, Range};

/// A question and what the record says to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The question.
    pub question: &'static Question,
    /// What became of it.
    pub finding: Finding,
    /// Points, or a whole operation, to run so that it can be answered; empty where all were planned.
    pub to_run: Vec<PointId>,
    /// What the way of answering leaves open.
    pub leaves_open: &'static str,
    /// The points that it rests on, or would.
    pub points: Vec<PointId>,
    /// The base unit's kind for a slope or a rate; a ratio has none.
    pub quantity: Option<Quantity>,
    /// Whether any of the points were planned, so that the question belongs to this run.
    pub asked: bool,
}

/// The answers to all questions.
pub(crate) fn answers(rows: &[Row], lines: &[SweepLine], machine: &Machine) -> Vec<Answer> {
    questions().filter_map(|question| answer(question, rows, lines, machine)).collect()
}

/// The answer by the first way that the plan allows, or else by that of which it allows the most.
fn answer(
    question: &'static Question,
    rows: &[Row],
    lines: &[SweepLine],
    machine: &Machine,
) -> Option<Answer> {
    let is_planned = |id: &&PointId| find(rows, id).is_some();
    let planned = |way: &Derivation| points(way, rows).iter().filter(is_planned).count();
    let most = question.derivations.iter().map(|(way, _)| planned(way)).max()?;
    let mut allowed = question.derivations.iter().filter(|(way, _)| planned(way) == most);
    // The first is the best; of those that lack something, the last asks for the least.
    let (way, leaves_open) = match most {
        0 | 1 => allowed.next_back()?,
        _ => allowed.next()?,
    };
    let outcome = match way {
        Derivation::Ratio { of, to } => ratio(of, to, rows),
        Derivation::Slope { operation, fixed, words } => {
            slope(&PointId::new(operation, fixed), words, rows, lines)
        }
        Derivation::CostSplit(of) => {
            let is_planned = !sweep(of.operation, of.fixed, rows).is_empty();
            cost_split::outcome(of, is_planned, lines)
        }
        Derivation::Fastest(of) => ranking::outcome(of, rows),
        Derivation::ReportedSize(of) => reported_size::outcome(of, rows, machine),
        Derivation::CacheCapacity { held } => cache_capacity::outcome(held, rows, machine),
        Derivation::HugePageBacking { huge, base } => huge_page_backing::outcome(huge, base, rows, machine),
    };
    let points = points(way, rows);
    let has_unit =
        matches!(way, Derivation::Slope { .. } | Derivation::CostSplit(_) | Derivation::Fastest(_));
    let first = points.first().filter(|_| has_unit).and_then(|id| find(rows, id));
    Some(Answer {
        question,
        finding: outcome.unwrap_or_else(Finding::Untested),
        to_run: to_run(way, &points, rows),
        leaves_open,
        quantity: first.map(Row::quantity),
        points,
        asked: most > 0,
    })
}

/// What measures what the plan lacks of these points.
fn to_run(way: &Derivation, points: &[PointId], rows: &[Row]) -> Vec<PointId> {
    if !points.is_empty() && points.iter().all(|id| find(rows, id).is_some()) {
        return Vec::new();
    }
    let operation = match way {
        Derivation::Ratio { .. } | Derivation::HugePageBacking { .. } => return points.to_vec(),
        Derivation::Slope { operation, .. } | Derivation::CostSplit(CostSplit { operation, .. }) => operation,
        Derivation::Fastest(of) => of.operation,
        Derivation::ReportedSize(ReportedSize { found: of, .. }) | Derivation::CacheCapacity { held: of } => {
            of.operation
        }
    };
    vec![PointId::new(operation, "")]
}

/// The points that a way rests on; of a sweep those that were planned.
fn points(way: &Derivation, rows: &[Row]) -> Vec<PointId> {
    match way {
        Derivation::Ratio { of, to } | Derivation::HugePageBacking { huge: of, base: to } => {
            vec![id_of(of), id_of(to)]
        }
        Derivation::Fastest(of) => ranking::points(of, rows),
        Derivation::ReportedSize(ReportedSize { found: of, .. }) | Derivation::CacheCapacity { held: of } => {
            vec![id_of(of)]
        }
        Derivation::Slope { operation, fixed, .. }
        | Derivation::CostSplit(CostSplit { operation, fixed, .. }) => {
            let all = sweep(operation, fixed, rows);
            all.iter().map(|row| row.point.id.clone()).collect()
        }
    }
}

/// The rows of a sweep.
fn sweep<'r>(operation: &str, fixed: &str, rows: &'r [Row]) -> Vec<&'r Row> {
    rows.iter().filter(|row| is_of(row, operation, fixed)).collect()
}

/// Whether a row is a point of a sweep along a line, with these parameters fixed.
fn is_of(row: &Row, operation: &str, fixed: &str) -> bool {
    let id = &row.point.id;
    id.operation == operation && row.point.fit.is_some() && fixed.split_whitespace().all(|pair| id.has(pair))
}

fn ratio(of: &Operand, to: &Operand, rows: &[Row]) -> Outcome {
    let ((of_row, of), (mut to_row, mut to)) = (usable(of, rows)?, usable(to, rows)?);
    let page = (of_row.quantity() == Quantity::Latency && to_row.quantity() == Quantity::Bandwidth)
        .then(|| time_of_page(to_row));
    if let Some(page) = &page {
        to = Measured::of(page, &to.name).unwrap_or(to);
        to_row = page;
    }
    // What a noisy point's interval says is not enough; what all its trials agree in is.
    let range = quotient(&cautious(of_row), &cautious(to_row))
        .ok_or_else(|| Untested::NotAboveZero(Box::new([of_row, to_row].map(|row| row.point.id.clone()))))?;
    let is_decided = range.low > 1.0 || range.high < 1.0;
    let is_noisy = of.is_noisy || to.is_noisy;
    let numbers = Numbers::Ratio { of, to };
    if !is_decided && is_noisy {
        return Err(Untested::Noisy(Box::new(Answered { range, numbers })));
    }
    Ok(Finding::new(is_decided, range, numbers))
}

/// Bytes of a page, which a fault brings.
const PAGE: f64 = 4096.0;

/// A rate as the time of a page.
fn time_of_page(rate: &Row) -> Row {
    let time = |rate: f64| PAGE * 1e9 / rate;
    let mut row = rate.clone();
    row.point.quantity = Quantity::Latency;
    if let Some(estimate) = &mut row.estimate {
        estimate.typical = time(estimate.typical);
        estimate.interval = estimate.interval.map(|(low, high)| (time(high), time(low)));
    }
    for trial in &mut row.trials {
        trial.typical = time(trial.typical);
    }
    row
}

fn slope(sweep: &PointId, name: &'static str, rows: &[Row], lines: &[SweepLine]) -> Outcome {
    let planned = self::sweep(&sweep.operation, &sweep.point, rows);
    let line = line(sweep, !planned.is_empty(), lines)?;
    let (low, high) = line.slope_interval.ok_or_else(|| Untested::NoInterval(sweep.clone()))?;
    let value = line.slope;
    let numbers = Numbers::Slope {
        name,
        quantity: planned.first().map_or(Quantity::Latency, |row| row.quantity()),
        through: planned.iter().filter(|row| row.estimate.is_some()).count(),
        planned: planned.len(),
    };
    Ok(Finding::new(low > 0.0 || high < 0.0, Range { low, value, high }, numbers))
}
