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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::fixtures::{noisy, range, row};
    use crate::answers::questions::question::Fastest;
    use record::Fit;

    const fn side(operation: &'static str) -> Operand {
        Operand { words: operation, operation, point: "" }
    }

    static QUESTION: Question = Question {
        id: "x",
        asks: "X?",
        derivations: &[
            (Derivation::Ratio { of: side("a"), to: side("b") }, "first"),
            (Derivation::Ratio { of: side("c"), to: side("b") }, "last"),
        ],
    };
    const SPLIT: CostSplit = CostSplit { operation: "sweep", fixed: "cpu=same", once: "one", bytes: 4.0 };
    static SWEPT: Question =
        Question { id: "x", asks: "X?", derivations: &[(Derivation::CostSplit(SPLIT), "open")] };

    fn latency(name: &str, of: (f64, f64, f64)) -> Row {
        row(name, "", Quantity::Latency, of)
    }

    #[test]
    fn first_way_that_is_planned_answers_or_else_the_last() {
        let of = |planned: &[&str]| {
            let rows: Vec<Row> = planned.iter().map(|name| latency(name, (2.0, 2.0, 2.0))).collect();
            let answer = answer(&QUESTION, &rows, &[], &Machine::default()).unwrap();
            let value = answer.finding.range().map(|range| range.value);
            assert_eq!(answer.quantity, None);
            let operations =
                |ids: Vec<PointId>| -> String { ids.into_iter().map(|id| id.operation).collect() };
            (answer.leaves_open, operations(answer.points), operations(answer.to_run), answer.asked, value)
        };
        let text = str::to_owned;
        assert_eq!(of(&["a", "b", "c"]), ("first", text("ab"), text(""), true, Some(1.0)));
        assert_eq!(of(&["c", "b"]), ("last", text("cb"), text(""), true, Some(1.0)));
        assert_eq!(of(&["b"]), ("last", text("cb"), text("cb"), true, None));
        assert_eq!(of(&["a"]), ("first", text("ab"), text("ab"), true, None));
        assert_eq!(of(&[]), ("last", text("cb"), text("cb"), false, None));
    }

    #[test]
    fn ratio_is_decided_where_its_interval_excludes_one() {
        let of = |value, to| {
            let rows = [latency("a", value), latency("b", (to, to, to))];
            ratio(&side("a"), &side("b"), &rows)
                .map(|found| (matches!(found, Finding::Decided(_)), found.range()))
        };
        for (value, is_decided, expected) in [
            ((9.0, 12.0, 16.0), true, (1.125, 1.5, 2.0)),
            ((8.0, 12.0, 16.0), false, (1.0, 1.5, 2.0)),
            ((4.0, 12.0, 16.0), false, (0.5, 1.5, 2.0)),
            ((2.0, 4.0, 8.0), false, (0.25, 0.5, 1.0)),
            ((2.0, 4.0, 7.0), true, (0.25, 0.5, 0.875)),
        ] {
            assert_eq!(of(value, 8.0), Ok((is_decided, Some(range(expected)))), "{value:?}");
        }
        let both = ["a", "b"].map(|name| PointId::new(name, ""));
        assert_eq!(of((1.0, 2.0, 3.0), 0.0), Err(Untested::NotAboveZero(Box::new(both))));
    }

    #[test]
    fn noisy_sides_decide_only_where_all_trials_agree() {
        let quiet = |name| latency(name, (4.0, 4.0, 4.0));
        let far = |name| noisy(latency(name, (16.0, 16.0, 16.0)), &[8.0, 32.0]);
        let near = |name| noisy(latency(name, (16.0, 16.0, 16.0)), &[2.0, 32.0]);
        for (rows, is_decided, expected) in [
            ([far("a"), quiet("b")], true, (2.0, 4.0, 8.0)),
            ([quiet("a"), far("b")], true, (0.125, 0.25, 0.5)),
            ([near("a"), quiet("b")], false, (0.5, 4.0, 8.0)),
            ([quiet("a"), near("b")], false, (0.125, 0.25, 2.0)),
        ] {
            match ratio(&side("a"), &side("b"), &rows) {
                Ok(Finding::Decided(Answered { range: found, .. })) => {
                    assert!(is_decided);
                    assert_eq!(found, range(expected));
                }
                Err(Untested::Noisy(answered)) => {
                    assert!(!is_decided);
                    assert_eq!(answered.range, range(expected));
                }
                other => unreachable!("{other:?}"),
            }
        }
    }

    #[test]
    fn latency_beside_a_rate_is_compared_with_the_time_of_a_page() {
        let call = latency("a", (1_000.0, 2_000.0, 4_000.0));
        let rate = |name| row(name, "", Quantity::Bandwidth, (2.048e9, 4.096e9, 8.192e9));
        let ratio = |rows: &[Row]| match ratio(&side("a"), &side("b"), rows) {
            Ok(
                Finding::Decided(Answered { range, numbers })
                | Finding::Undecided(Answered { range, numbers }),
            ) => {
                let Numbers::Ratio { to, .. } = numbers else { unreachable!() };
                (range, to)
            }
            Err(Untested::Noisy(answered)) => {
                let Numbers::Ratio { to, .. } = answered.numbers else { unreachable!() };
                (answered.range, to)
            }
            other => unreachable!("{other:?}"),
        };
        let page = Measured {
            name: "b".to_owned(),
            typical: 1_000.0,
            interval: Some((500.0, 2_000.0)),
            quantity: Quantity::Latency,
            is_noisy: false,
        };
        let beside_rate = ratio(&[call.clone(), rate("b")]);
        assert_eq!(beside_rate, (range((0.5, 2.0, 8.0)), page.clone()));
        let beside_noisy = ratio(&[call.clone(), noisy(rate("b"), &[1.024e9, 4.096e9])]);
        assert_eq!(beside_noisy, (range((0.25, 2.0, 4.0)), Measured { is_noisy: true, ..page }));
        // Of one kind, both are as they are.
        let same = ratio(&[rate("a"), rate("b")]);
        assert_eq!((same.0, same.1.quantity), (range((0.25, 1.0, 4.0)), Quantity::Bandwidth));
        let same = ratio(&[call, latency("b", (500.0, 1_000.0, 2_000.0))]);
        assert_eq!((same.0, same.1.typical), (range((0.5, 2.0, 8.0)), 1_000.0));
    }

    /// A point of a sweep, whose values are bytes per second.
    fn of_sweep(operation: &str, point: &str) -> Row {
        let mut row = row(operation, point, Quantity::Bandwidth, (1.0, 2.0, 3.0));
        row.point.fit = Some(Fit {
            parameter: "bytes".to_owned(),
            unit: 1,
            per_unit: false,
            slope: String::new(),
            intercept: String::new(),
        });
        row
    }

    /// Two points of a sweep, one of them without a number, among others.
    fn swept() -> Vec<Row> {
        let not_fitted = row("sweep", "cpu=same bytes=3", Quantity::Latency, (1.0, 2.0, 3.0));
        let untried = Row { estimate: None, ..of_sweep("sweep", "cpu=same bytes=2") };
        let first = of_sweep("sweep", "cpu=same bytes=1");
        vec![not_fitted, of_sweep("sweep", "cpu=other"), of_sweep("other", "cpu=same"), first, untried]
    }

    fn line(slope_interval: Option<(f64, f64)>) -> SweepLine {
        SweepLine {
            sweep: PointId::new("sweep", "cpu=same"),
            slope_name: String::new(),
            slope: 2.0,
            slope_interval,
            intercept_name: String::new(),
            intercept: 8.0,
            intercept_interval: Some((4.0, 16.0)),
            worst: 0.0,
        }
    }

    #[test]
    fn slope_is_decided_where_its_interval_excludes_zero() {
        let sweep = PointId::new("sweep", "cpu=same");
        let of = |rows: &[Row], lines: &[SweepLine]| slope(&sweep, "one more byte", rows, lines);
        for (interval, is_decided) in [
            ((1.0, 3.0), true),
            ((0.0, 3.0), false),
            ((-1.0, 3.0), false),
            ((-1.0, 0.0), false),
            ((-2.0, -1.0), true),
        ] {
            let numbers = Numbers::Slope {
                name: "one more byte",
                quantity: Quantity::Bandwidth,
                through: 1,
                planned: 2,
            };
            let expected = Finding::new(is_decided, range((interval.0, 2.0, interval.1)), numbers);
            assert_eq!(of(&swept(), &[line(Some(interval))]), Ok(expected));
        }
        assert_eq!(of(&swept(), &[line(None)]), Err(Untested::NoInterval(sweep.clone())));
        assert_eq!(of(&swept(), &[]), Err(Untested::NoLine(sweep.clone())));
        assert_eq!(of(&[], &[line(None)]), Err(Untested::NotMeasured(sweep.clone())));
    }

    #[test]
    fn cost_is_split_where_points_of_its_sweep_were_planned() {
        let of = |rows: &[Row]| answer(&SWEPT, rows, &[line(Some((1.0, 3.0)))], &Machine::default()).unwrap();
        let split = of(&swept());
        let numbers =
            Numbers::CostSplit { request: "one", per_byte: range((1.0, 2.0, 3.0)), bytes: 4.0, share: 0.5 };
        assert_eq!(split.finding, Finding::new(true, range((4.0, 8.0, 16.0)), numbers));
        assert_eq!(split.quantity, Some(Quantity::Bandwidth));
        assert_eq!(
            split.points,
            ["cpu=same bytes=1", "cpu=same bytes=2"].map(|at| PointId::new("sweep", at))
        );
        assert_eq!((split.to_run, split.asked), (Vec::new(), true));
        let absent = of(&[]);
        let sweep = PointId::new("sweep", "cpu=same");
        assert_eq!(absent.finding, Finding::Untested(Untested::NotMeasured(sweep)));
        assert_eq!((absent.to_run, absent.asked), (vec![PointId::new("sweep", "")], false));
    }

    #[test]
    fn operation_is_run_whole_where_its_points_are_not_planned() {
        let found = side("levels");
        let fastest =
            Fastest { operation: "fill", by: "method", holds: &["a=1"], among: &["on"], traffic: &[] };
        for (way, operations) in [
            (Derivation::Slope { operation: "sweep", fixed: "", words: "" }, &["sweep"][..]),
            (Derivation::Fastest(fastest), &["fill"]),
            (Derivation::ReportedSize(ReportedSize { found, cache: "l1d", close: 0.1 }), &["levels"]),
            (Derivation::CacheCapacity { held: side("held") }, &["held"]),
            (Derivation::HugePageBacking { huge: side("huge"), base: side("base") }, &["huge", "base"]),
        ] {
            let expected: Vec<PointId> = operations.iter().map(|name| PointId::new(name, "")).collect();
            assert_eq!(to_run(&way, &points(&way, &[]), &[]), expected, "{way:?}");
        }
    }

    #[test]
    fn every_question_is_answered_in_its_order() {
        let all = answers(&[], &[], &Machine::default());
        assert!(all.len() > 20);
        let ids = |all: Vec<&'static Question>| all.iter().map(|question| question.id).collect::<Vec<_>>();
        let asked = ids(all.iter().map(|answer| answer.question).collect());
        assert_eq!(asked, ids(questions().collect()));
        assert!(all.iter().all(|answer| !answer.asked));
    }
}
