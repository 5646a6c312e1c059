//! The fastest of several methods to do one thing, by how much, and the bandwidth of the bus meanwhile.

use crate::answers::contrast::quotient;
use crate::answers::finding::{Finding, Measured, Numbers, Outcome, Ranking, Untested, cautious};
use crate::answers::questions::question::Fastest;
use crate::rows::row::Row;
use record::{PointId, Range};

/// The points between which it is decided: all that differ in the parameter alone.
pub(crate) fn points(of: &Fastest, rows: &[Row]) -> Vec<PointId> {
    let all = of.holds.iter().flat_map(|holds| candidates(of, holds, rows));
    all.map(|(_, row)| row.point.id.clone()).collect()
}

/// The rows with these parameters and one more, and its value in each.
fn candidates<'r>(of: &Fastest, holds: &str, rows: &'r [Row]) -> Vec<(&'r str, &'r Row)> {
    let group = PointId::new(of.operation, holds);
    let rows = rows.iter().filter(|row| row.point.id.without(of.by) == group);
    rows.filter_map(|row| Some((row.point.id.parameter(of.by)?, row))).collect()
}

/// The same from the fastest to the slowest, those with a number.
fn ranked<'r>(of: &Fastest, holds: &str, rows: &'r [Row]) -> Vec<(&'r str, &'r Row, f64)> {
    let candidates = candidates(of, holds, rows).into_iter();
    let mut all: Vec<_> = candidates
        .filter(|(_, row)| row.verdict.has_number())
        .filter_map(|(name, row)| Some((name, row, row.typical()?)))
        .collect();
    all.sort_by(|one, other| other.2.total_cmp(&one.2));
    all
}

/// The fastest of each group; the first group decides.
pub(crate) fn outcome(of: &Fastest, rows: &[Row]) -> Outcome {
    let groups = of.holds.iter().zip(of.among);
    let mut rankings = Vec::new();
    let mut ranges = Vec::new();
    for (holds, among) in groups {
        match ranking(of, holds, among, rows) {
            Some((range, ranking)) => {
                ranges.push(range);
                rankings.push(ranking);
            }
            // What was not measured on all CPUs leaves the answer for one as it is.
            None if !rankings.is_empty() => {}
            None => {
                return Err(Untested::NoMethod { by: of.by, group: PointId::new(of.operation, holds) });
            }
        }
    }
    let (range, first) = (ranges.first(), rankings.first());
    let leads = |ranking: &Ranking| matches!(ranking.second, Some((_, Some(_))));
    let (range, is_decided) = range
        .zip(first.map(leads))
        .ok_or(Untested::NoMethod { by: of.by, group: PointId::new(of.operation, "") })?;
    Ok(Finding::new(is_decided, *range, Numbers::Fastest(rankings)))
}

/// The fastest method of a group and its rate; `None` where none has a number.
fn ranking(of: &Fastest, holds: &str, group: &'static str, rows: &[Row]) -> Option<(Range, Ranking)> {
    let ranked = ranked(of, holds, rows);
    let (name, first, rate) = ranked.first()?;
    let first = cautious(first);
    let second = ranked.get(1).map(|(name, second, _)| {
        let factor = quotient(&first, &cautious(second)).filter(|factor| factor.low > 1.0);
        ((*name).to_owned(), factor.map(|factor| factor.value))
    });
    let slowest = ranked.last().filter(|_| ranked.len() > 2);
    let ranking = Ranking {
        group,
        fastest: Measured::of(&first, name)?,
        bus: bus(of, name, *rate),
        second,
        slowest: slowest.map(|(name, _, least)| ((*name).to_owned(), rate / least)),
    };
    Some((first.range()?, ranking))
}

/// What the bus to memory carries at this rate, and why, where that is another number.
fn bus(of: &Fastest, name: &str, rate: f64) -> Option<(f64, &'static str)> {
    let is_of = |(method, ..): &&(&str, f64, &str)| *method == name || method.is_empty();
    let (_, times, why) = of.traffic.iter().find(is_of)?;
    (*times > 1.0).then_some((rate * times, *why))
}
