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
use stats::interval::Interval;

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
    let most = question.derivations.iter().map(|(way, _)| planned(way, rows)).max()?;
    let mut allowed = question.derivations.iter().filter(|(way, _)| planned(way, rows) == most);
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

/// How many of the points that a way rests on were planned.
fn planned(way: &Derivation, rows: &[Row]) -> usize {
    points(way, rows).iter().filter(|id| find(rows, id).is_some()).count()
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
        to = Measured::from_row(page, &to.name).unwrap_or(to);
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
    let mut row = rate.clone();
    row.point.quantity = Quantity::Latency;
    if let Some(estimate) = &mut row.estimate {
        estimate.typical = ns_per_page(estimate.typical);
        estimate.interval = estimate.interval.map(|interval| Interval {
            low: ns_per_page(interval.high),
            high: ns_per_page(interval.low),
            ..interval
        });
    }
    for trial in &mut row.trials {
        trial.typical = ns_per_page(trial.typical);
    }
    for state in &mut row.modes {
        state.at = ns_per_page(state.at);
    }
    row
}

fn ns_per_page(bytes_per_second: f64) -> f64 {
    PAGE * 1e9 / bytes_per_second
}

fn slope(sweep: &PointId, name: &'static str, rows: &[Row], lines: &[SweepLine]) -> Outcome {
    let planned = self::sweep(&sweep.operation, &sweep.point, rows);
    let line = line(sweep, !planned.is_empty(), lines)?;
    let Interval { low, high, .. } =
        line.slope_interval.ok_or_else(|| Untested::NoInterval(sweep.clone()))?;
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
        for (planned, way, points, to_run, asked, value) in [
            (&["a", "b", "c"][..], "first", "ab", "", true, Some(1.0)),
            (&["c", "b"], "last", "cb", "", true, Some(1.0)),
            (&["b"], "last", "cb", "cb", true, None),
            (&["a"], "first", "ab", "ab", true, None),
            (&[], "last", "cb", "cb", false, None),
        ] {
            let rows: Vec<Row> = planned.iter().map(|name| latency(name, (2.0, 2.0, 2.0))).collect();
            let answer = answer(&QUESTION, &rows, &[], &Machine::default()).unwrap();
            assert_eq!((answer.leaves_open, answer.asked), (way, asked), "{planned:?}");
            assert_eq!(answer.finding.range().map(|range| range.value), value, "{planned:?}");
            let operations = [answer.points, answer.to_run]
                .map(|ids| ids.into_iter().map(|id| id.operation).collect::<String>());
            assert_eq!(operations, [points, to_run], "{planned:?}");
            assert_eq!(answer.quantity, None);
        }
    }

    #[test]
    fn ratio_is_decided_where_its_interval_excludes_one() {
        for (value, is_decided, expected) in [
            ((9.0, 12.0, 16.0), true, (1.125, 1.5, 2.0)),
            ((8.0, 12.0, 16.0), false, (1.0, 1.5, 2.0)),
            ((4.0, 12.0, 16.0), false, (0.5, 1.5, 2.0)),
            ((2.0, 4.0, 8.0), false, (0.25, 0.5, 1.0)),
            ((2.0, 4.0, 7.0), true, (0.25, 0.5, 0.875)),
        ] {
            let rows = [latency("a", value), latency("b", (8.0, 8.0, 8.0))];
            let found = ratio(&side("a"), &side("b"), &rows);
            let found = found.map(|found| (matches!(found, Finding::Decided(_)), found.range()));
            assert_eq!(found, Ok((is_decided, Some(range(expected)))), "{value:?}");
        }
        let both = ["a", "b"].map(|name| PointId::new(name, ""));
        let rows = [latency("a", (1.0, 2.0, 3.0)), latency("b", (0.0, 0.0, 0.0))];
        assert_eq!(ratio(&side("a"), &side("b"), &rows), Err(Untested::NotAboveZero(Box::new(both))));
    }

    #[test]
    fn noisy_sides_decide_only_where_all_trials_agree() {
        // One side is 4 exactly, the other 16 with trials from this value to 32.
        for (noisy_side, quiet_side, lowest, is_decided, expected) in [
            ("a", "b", 8.0, true, (2.0, 4.0, 8.0)),
            ("b", "a", 8.0, true, (0.125, 0.25, 0.5)),
            ("a", "b", 2.0, false, (0.5, 4.0, 8.0)),
            ("b", "a", 2.0, false, (0.125, 0.25, 2.0)),
        ] {
            let rows = [
                noisy(latency(noisy_side, (16.0, 16.0, 16.0)), &[lowest, 32.0]),
                latency(quiet_side, (4.0, 4.0, 4.0)),
            ];
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

    /// The ratio of a to b, decided or not, and what b was taken as.
    fn ratio_and_divisor(rows: &[Row]) -> (Range, Measured) {
        let Answered { range, numbers } = match ratio(&side("a"), &side("b"), rows) {
            Ok(Finding::Decided(answered) | Finding::Undecided(answered)) => answered,
            Err(Untested::Noisy(answered)) => *answered,
            other => unreachable!("{other:?}"),
        };
        let Numbers::Ratio { to, .. } = numbers else { unreachable!() };
        (range, to)
    }

    #[test]
    fn latency_beside_a_rate_is_compared_with_the_time_of_a_page() {
        let call = latency("a", (1_000.0, 2_000.0, 4_000.0));
        let [rate_a, rate_b] =
            ["a", "b"].map(|name| row(name, "", Quantity::Bandwidth, (2.048e9, 4.096e9, 8.192e9)));
        let page = Measured {
            name: "b".to_owned(),
            typical: 1_000.0,
            states: Vec::new(),
            interval: Some(Interval::at_level(500.0, 2_000.0, 0.95)),
            quantity: Quantity::Latency,
            is_noisy: false,
        };
        let beside_rate = ratio_and_divisor(&[call.clone(), rate_b.clone()]);
        assert_eq!(beside_rate, (range((0.5, 2.0, 8.0)), page.clone()));
        let beside_noisy = ratio_and_divisor(&[call.clone(), noisy(rate_b.clone(), &[1.024e9, 4.096e9])]);
        assert_eq!(beside_noisy, (range((0.25, 2.0, 4.0)), Measured { is_noisy: true, ..page }));
        // Of one kind, both are as they are.
        let same = ratio_and_divisor(&[rate_a, rate_b]);
        assert_eq!((same.0, same.1.quantity), (range((0.25, 1.0, 4.0)), Quantity::Bandwidth));
        let same = ratio_and_divisor(&[call, latency("b", (500.0, 1_000.0, 2_000.0))]);
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
            slope_interval: slope_interval.map(|(low, high)| Interval::at_level(low, high, 0.95)),
            intercept_name: String::new(),
            intercept: 8.0,
            intercept_interval: Some(Interval::at_level(4.0, 16.0, 0.95)),
            worst: 0.0,
        }
    }

    #[test]
    fn slope_is_decided_where_its_interval_excludes_zero() {
        let sweep = PointId::new("sweep", "cpu=same");
        let name = "one more byte";
        for (interval, is_decided) in [
            ((1.0, 3.0), true),
            ((0.0, 3.0), false),
            ((-1.0, 3.0), false),
            ((-1.0, 0.0), false),
            ((-2.0, -1.0), true),
        ] {
            let numbers = Numbers::Slope { name, quantity: Quantity::Bandwidth, through: 1, planned: 2 };
            let expected = Finding::new(is_decided, range((interval.0, 2.0, interval.1)), numbers);
            assert_eq!(slope(&sweep, name, &swept(), &[line(Some(interval))]), Ok(expected));
        }
        for (rows, lines, untested) in [
            (swept(), vec![line(None)], Untested::NoInterval(sweep.clone())),
            (swept(), vec![], Untested::NoLine(sweep.clone())),
            (vec![], vec![line(None)], Untested::NotMeasured(sweep.clone())),
        ] {
            assert_eq!(slope(&sweep, name, &rows, &lines), Err(untested));
        }
    }

    #[test]
    fn cost_is_split_where_points_of_its_sweep_were_planned() {
        let lines = [line(Some((1.0, 3.0)))];
        let [split, absent] =
            [swept(), Vec::new()].map(|rows| answer(&SWEPT, &rows, &lines, &Machine::default()).unwrap());
        let numbers =
            Numbers::CostSplit { request: "one", per_byte: range((1.0, 2.0, 3.0)), bytes: 4.0, share: 0.5 };
        assert_eq!(split.finding, Finding::new(true, range((4.0, 8.0, 16.0)), numbers));
        assert_eq!(split.quantity, Some(Quantity::Bandwidth));
        assert_eq!(
            split.points,
            ["cpu=same bytes=1", "cpu=same bytes=2"].map(|at| PointId::new("sweep", at))
        );
        assert_eq!((split.to_run, split.asked), (Vec::new(), true));
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
        let answered = all.iter().map(|answer| answer.question.id);
        assert!(answered.eq(questions().map(|question| question.id)));
        assert!(all.iter().all(|answer| !answer.asked));
    }
}
