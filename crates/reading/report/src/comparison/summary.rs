//! What a comparison comes to: one sentence, what it could have found, and what would decide the rest.

use super::view::change;
use crate::groups::grouped;
use crate::wording::{joined, many, some_joined};
use analysis::{Change, Compared, Comparison, Decision, Limits, NoDecision};
use quantity::{show_change, show_half_width, show_percent, show_ratio};
use record::Range;

/// Changes that the first sentence names.
const MOST_NAMED: usize = 3;

/// How many points came out how, and the largest changes: `3 slower, 1 faster, 120 same within 5 %, 7 undecided`.
pub fn answer(comparison: &Comparison) -> String {
    let order = ["slower", "faster", "larger", "smaller", "same", "undecided", "not comparable"];
    let counted = order.into_iter().map(|word| {
        let here = comparison.points.iter().filter(|point| point.decision.word() == word);
        (here.count(), word)
    });
    let counted = counted.filter(|(count, _)| *count > 0);
    let words = joined(counted.map(|(count, word)| format!("{count} {word}")), ", ");
    let points = many(comparison.points.len(), "point");
    let changed: Vec<&Compared> =
        comparison.points.iter().filter(|point| point.decision.is_change()).collect();
    let named = changed.iter().take(MOST_NAMED).map(|point| format!("{} {}", point.id, change(point)[0]));
    let named = joined(named, ", ");
    let count = |decision| comparison.points.iter().filter(|point| point.decision == decision).count();
    let (undecided, others) = (count(Decision::Unclear), count(Decision::Incomparable));
    let same = comparison.points.len() - undecided - others;
    match (words.is_empty(), named.is_empty()) {
        (true, _) => format!("nothing to compare: {points} in both records"),
        (false, true) => match (undecided, same, others) {
            (0, 0, _) => format!("none of {points} is comparable"),
            (0, _, 0) => format!("no change found in {points}: {words}"),
            (0, ..) => format!("no change found in {same} of {points}: {words}"),
            (_, 0, 0) => format!("{points} undecided"),
            (_, 0, _) => format!("{undecided} of {points} undecided, and the others not comparable"),
            _ => format!("{undecided} of {points} undecided, and no change found in {same} others: {words}"),
        },
        (false, false) => format!("{words} of {points}; largest: {named}"),
    }
}

/// The logarithm of half of the interval of a change, where it is a factor.
fn half(compared: &Compared) -> Option<f64> {
    match compared.change? {
        Change::Factor(Range { low, high, .. }) if low > 0.0 => Some((high / low).ln() / 2.0),
        _ => None,
    }
}

/// What would make the interval of an undecided change so narrow that it lies within what counts as the same, or beyond what
/// counts as a change, if the change stays what it is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deciding {
    /// This number of times the rounds.
    Rounds(f64),
    /// Several runs on each side: by what runs differ is already too much.
    SeveralRuns,
    /// More of them.
    MoreRuns,
}

/// What would decide a change; at the limit itself nothing does.
fn deciding(compared: &Compared, limits: &Limits) -> Option<Deciding> {
    let half = half(compared)?;
    let Change::Factor(Range { low, high, .. }) = compared.change? else {
        return None;
    };
    let middle = ((low.ln() + high.ln()) / 2.0).abs();
    let needed = ((1.0 + limits.same).ln() - middle).max(middle - (1.0 + limits.least).ln());
    let between = compared.between;
    // Rounds narrow the part of the interval that is due to them.
    let rounds = (half.powi(2) - between.powi(2)) / (needed.powi(2) - between.powi(2));
    match needed > 0.0 {
        false => None,
        true if between.is_infinite() => Some(Deciding::MoreRuns),
        true if between >= needed => Some(Deciding::SeveralRuns),
        true => rounds.is_finite().then(|| Deciding::Rounds(rounds.max(2.0))),
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// What the comparison can find, and what it would take to decide the rest.
pub(crate) fn power(comparison: &Comparison, all: bool) -> Vec<String> {
    let limits = Limits::default();
    let mut lines = Vec::new();
    if let Some(half) = median(comparison.points.iter().filter_map(half).collect()) {
        let (level, least) = (show_percent(limits.level), half.exp() * (1.0 + limits.least) - 1.0);
        let found = match least {
            // More than twice the cost is seen without a tool.
            least if least > 1.0 => {
                format!("nothing below a factor of {} can be found", show_ratio(1.0 + least))
            }
            least => format!("a change of {} or more can be found", show_half_width(least)),
        };
        lines.push(format!("{level} intervals; at half of the points {found}"));
    }
    let undecided = comparison.points.iter().filter(|point| point.decision == Decision::Unclear);
    let (wide, others): (Vec<&Compared>, Vec<&Compared>) =
        undecided.partition(|point| point.reason == Some(NoDecision::TooWide));
    lines.extend(what_decides(wide.into_iter().filter_map(|point| deciding(point, &limits)).collect()));
    if comparison.is_of_a_moment {
        lines.push(
            "the runs of a side lie within some seconds, and others may differ by what lasts for minutes: repeat them a minute \
             apart (--with), or let the sides alternate (oscope ab)"
                .to_owned(),
        );
    }
    if !others.is_empty() {
        let points = many(others.len(), "point");
        let reasons =
            if all { "the table has the reasons" } else { "the same command with --all has the reasons" };
        lines.push(format!(
            "{points} undecided because of the state of the machine or too few trials: {reasons}"
        ));
    }
    lines
}

/// What would decide the points whose intervals are too wide.
fn what_decides(all: Vec<Deciding>) -> Vec<String> {
    let rounds: Vec<f64> = all
        .iter()
        .filter_map(|deciding| match deciding {
            Deciding::Rounds(rounds) => Some(*rounds),
            _ => None,
        })
        .collect();
    let count = |wanted| all.iter().filter(|deciding| **deciding == wanted).count();
    let by_rounds = rounds.len();
    let by_rounds = median(rounds).map(|rounds| {
        let these = if by_rounds == 1 { "it" } else { "half of them" };
        let (points, rounds) = (many(by_rounds, "point"), rounds.ceil());
        format!(
            "{points} undecided because of the width of the interval: {rounds}× the rounds in both runs would decide {these}"
        )
    });
    let by_runs = |wanted, advice| {
        let points = Some(count(wanted)).filter(|count| *count > 0).map(|count| many(count, "point"));
        points.map(|points| format!("{points} undecided because of what runs differ by: {advice}"))
    };
    let several = "more rounds do not narrow that; compare four runs or more a side (--with), or let the sides alternate (oscope ab, \
         oscope run --versus)";
    by_rounds
        .into_iter()
        .chain(by_runs(Deciding::SeveralRuns, several))
        .chain(by_runs(Deciding::MoreRuns, "more runs on each side would narrow that"))
        .collect()
}

/// The geometric mean of the changes of cost in each area, over the points of which something was found: below 1 the second
/// is faster.
pub(crate) fn means(comparison: &Comparison) -> Option<String> {
    let points = comparison.points.iter().filter(|point| point.decision.is_decided());
    let areas = grouped(points.filter_map(|point| Some((point.area.as_str(), point.cost()?.ln()))));
    let words = areas.iter().map(|(area, logarithms)| {
        let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
        format!("{area} {} ({})", show_change(mean.exp()), logarithms.len())
    });
    Some(format!(
        "change of cost, geometric mean of the points with a decision: {}",
        some_joined(words, ", ")?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided_by(low: f64, high: f64, between: f64) -> Option<Deciding> {
        let compared = Compared {
            id: record::PointId::new("a", ""),
            area: "os".to_owned(),
            quantity: quantity::Quantity::Latency,
            first: None,
            second: None,
            change: Some(Change::Factor(Range { low, value: (low * high).sqrt(), high })),
            decision: Decision::Unclear,
            reason: None,
            noisy: false,
            between,
        };
        deciding(&compared, &Limits::default())
    }

    fn rounds(low: f64, high: f64) -> Option<f64> {
        match decided_by(low, high, 0.0)? {
            Deciding::Rounds(rounds) => Some(rounds),
            other => panic!("{other:?}"),
        }
    }

    /// Around no change, with an interval twice as wide as what counts as the same.
    #[test]
    fn rounds_do_not_narrow_what_runs_differ_by() {
        let same = (1.0 + Limits::default().same).ln();
        let by = |between: f64| decided_by((-2.0 * same).exp(), (2.0 * same).exp(), between);
        assert_eq!(by(same), Some(Deciding::SeveralRuns));
        assert_eq!(by(f64::INFINITY), Some(Deciding::MoreRuns));
        let Some(Deciding::Rounds(rounds)) = by(0.6 * same) else { panic!("{:?}", by(0.6 * same)) };
        // Of squares of 4 rounds have 3.64, and 0.64 may remain of them.
        assert!((rounds - 3.64 / 0.64).abs() < 1e-9, "{rounds}");
        let said = what_decides(vec![Deciding::SeveralRuns, Deciding::Rounds(3.2), Deciding::SeveralRuns]);
        assert!(said[0].ends_with("interval: 4× the rounds in both runs would decide it"), "{said:?}");
        assert!(
            said[1].starts_with("2 points undecided because of what runs differ by: more rounds do not"),
            "{said:?}"
        );
        assert_eq!(said.len(), 2);
    }

    #[test]
    fn rounds_are_those_that_the_place_of_the_change_asks_for() {
        let limits = Limits::default();
        let (same, least) = (1.0 + limits.same, 1.0 + limits.least);
        // Around no change an interval must become as narrow as what counts as the same.
        assert_eq!(rounds(same.powi(-2), same.powi(2)).map(f64::round), Some(4.0));
        // A change that counts is shown by an interval that ends before what does not.
        let middle = least * same;
        assert_eq!(rounds(middle / same.powi(3), middle * same.powi(3)).map(f64::round), Some(9.0));
        assert_eq!(rounds(1.0, same * 1.0001), Some(2.0), "never as many as there were");
    }
}
