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
    let (Some(range), Some(first)) = (ranges.first(), rankings.first()) else {
        return Err(Untested::NoMethod { by: of.by, group: PointId::new(of.operation, "") });
    };
    let is_decided = matches!(first.second, Some((_, Some(_))));
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
        fastest: Measured::from_row(&first, name)?,
        bus: bus(of, name, *rate),
        second,
        slowest: slowest.map(|(name, _, least)| ((*name).to_owned(), rate / least)),
    };
    Some((first.range()?, ranking))
}

/// What the bus to memory carries at this rate, and why, where that is another number.
fn bus(of: &Fastest, name: &str, rate: f64) -> Option<(f64, &'static str)> {
    let (_, times, why) = of.traffic.iter().find(|(method, ..)| *method == name || method.is_empty())?;
    (*times > 1.0).then_some((rate * times, *why))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::finding::Answered;
    use crate::answers::fixtures::{noisy, range, row, without_interval};
    use crate::rows::row::Verdict;
    use quantity::Quantity;

    const OF: Fastest = Fastest {
        operation: "fill",
        by: "method",
        holds: &["cpus=1", "cpus=all"],
        among: &["on one CPU", "on all CPUs"],
        traffic: &[("straight", 1.0, ""), ("twice", 2.0, "read and written"), ("", 3.0, "all others")],
    };

    fn method(name: &str, cpus: &str, rate: (f64, f64, f64)) -> Row {
        row("fill", &format!("method={name} cpus={cpus}"), Quantity::Bandwidth, rate)
    }

    fn first(rows: &[Row]) -> (Finding, Ranking) {
        let finding = outcome(&OF, rows).unwrap();
        let (Finding::Decided(answered) | Finding::Undecided(answered)) = &finding else { unreachable!() };
        let Numbers::Fastest(rankings) = &answered.numbers else { unreachable!() };
        let first = rankings[0].clone();
        (finding, first)
    }

    #[test]
    fn methods_are_ranked_by_their_rates() {
        let rows = [
            method("slow", "1", (4.0, 4.0, 4.0)),
            method("twice", "1", (12.0, 16.0, 20.0)),
            row("copy", "method=other cpus=1", Quantity::Bandwidth, (99.0, 99.0, 99.0)),
            Row { verdict: Verdict::Contradicted, ..method("broken", "1", (99.0, 99.0, 99.0)) },
            method("straight", "1", (8.0, 8.0, 8.0)),
        ];
        let (finding, first) = first(&rows);
        let ranking = Ranking {
            group: "on one CPU",
            fastest: Measured::from_row(&rows[1], "twice").unwrap(),
            bus: Some((32.0, "read and written")),
            second: Some(("straight".to_owned(), Some(2.0))),
            slowest: Some(("slow".to_owned(), 4.0)),
        };
        assert_eq!(first, ranking);
        let numbers = Numbers::Fastest(vec![ranking]);
        assert_eq!(finding, Finding::new(true, range((12.0, 16.0, 20.0)), numbers));
        let ids = [0, 1, 3, 4].map(|at: usize| rows[at].point.id.clone());
        assert_eq!(points(&OF, &rows), ids);
    }

    #[test]
    fn lead_is_decided_where_its_interval_is_above_one() {
        let second = method("other", "1", (8.0, 8.0, 8.0));
        for (fastest, factor) in [
            (method("a", "1", (8.0, 16.0, 16.0)), None),
            (method("a", "1", (10.0, 16.0, 16.0)), Some(2.0)),
            (method("a", "1", (4.0, 16.0, 16.0)), None),
            (noisy(method("a", "1", (10.0, 16.0, 16.0)), &[4.0, 16.0]), None),
        ] {
            let (finding, first) = first(&[second.clone(), fastest]);
            assert_eq!(first.second, Some(("other".to_owned(), factor)));
            assert_eq!(matches!(finding, Finding::Decided(_)), factor.is_some());
            assert_eq!(first.slowest, None);
        }
        let (finding, alone) = first(&[without_interval(method("a", "1", (1.0, 2.0, 3.0)))]);
        assert_eq!((alone.second, alone.slowest), (None, None));
        assert!(
            matches!(finding, Finding::Undecided(Answered { range, .. }) if range == Range::exactly(2.0))
        );
    }

    #[test]
    fn first_group_must_have_a_method_and_the_others_may() {
        let (one, all) = (method("a", "1", (1.0, 2.0, 3.0)), method("a", "all", (4.0, 5.0, 6.0)));
        for (rows, expected) in [
            (vec![all.clone(), one.clone()], &["on one CPU", "on all CPUs"][..]),
            (vec![one], &["on one CPU"]),
        ] {
            match outcome(&OF, &rows).unwrap() {
                Finding::Undecided(Answered { numbers: Numbers::Fastest(rankings), range }) => {
                    assert!(rankings.iter().map(|ranking| ranking.group).eq(expected.iter().copied()));
                    assert_eq!(range.value, 2.0);
                }
                other => unreachable!("{other:?}"),
            }
        }
        let group = PointId::new("fill", "cpus=1");
        assert_eq!(outcome(&OF, &[all]), Err(Untested::NoMethod { by: "method", group }));
    }

    #[test]
    fn bus_carries_what_its_method_or_all_others_say() {
        assert_eq!(bus(&OF, "straight", 8.0), None);
        assert_eq!(bus(&OF, "twice", 8.0), Some((16.0, "read and written")));
        assert_eq!(bus(&OF, "other", 8.0), Some((24.0, "all others")));
        let named = Fastest { traffic: &[("twice", 2.0, "read and written")], ..OF };
        assert_eq!(bus(&named, "other", 8.0), None);
        assert_eq!(bus(&named, "twice", 8.0), Some((16.0, "read and written")));
    }
}
