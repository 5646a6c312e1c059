//! What a comparison comes to: one sentence, what it could have found, and what would decide the rest.

use super::{change, changes};
use crate::wording::{few, many};
use analysis::{Change, Compared, Comparison, Decision, Limits};
use quantity::{show_change, show_percent};
use record::Range;

/// Changes that the first sentence names.
const MOST_NAMED: usize = 3;

/// How many points came out how, and the largest changes: `3 slower, 1 faster, 120 same within 5 %, 7 undecided`.
pub(crate) fn answer(comparison: &Comparison) -> String {
    let order = [
        "slower",
        "faster",
        "larger",
        "smaller",
        "same",
        "undecided",
        "not comparable",
    ];
    let count = |word: &str| {
        let all = comparison.points.iter();
        all.filter(|point| point.decision.word() == word).count()
    };
    let counted = order
        .into_iter()
        .map(|word| (count(word), word))
        .filter(|(count, _)| *count > 0);
    let words: Vec<String> = counted.map(|(count, word)| format!("{count} {word}")).collect();
    let points = many(comparison.points.len(), "point");
    let changed: Vec<&Compared> = comparison
        .points
        .iter()
        .filter(|point| point.decision.is_change())
        .collect();
    let named: Vec<String> = changed
        .iter()
        .take(MOST_NAMED)
        .map(|point| format!("{} {}", point.id, change(point)))
        .collect();
    match (words.is_empty(), named.is_empty()) {
        (true, _) => format!("nothing to compare: {points} in both records"),
        (false, true) => format!("no change found in {points}: {}", words.join(", ")),
        (false, false) => format!("{} of {points}; largest: {}", words.join(", "), few(&named)),
    }
}

/// The logarithm of half of the interval of a change, where it is a factor.
fn half(compared: &Compared) -> Option<f64> {
    match compared.change? {
        Change::Factor(Range { low, high, .. }) if low > 0.0 => Some((high / low).ln() / 2.0),
        _ => None,
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// What the comparison can find, and what it would take to decide the rest.
pub(crate) fn power(comparison: &Comparison) -> Vec<String> {
    let limits = Limits::default();
    let mut lines = Vec::new();
    if let Some(half) = median(comparison.points.iter().filter_map(half).collect()) {
        lines.push(format!(
            "{} intervals; at half of the points a change by {} or more is found",
            show_percent(limits.level),
            show_percent(half.exp() * (1.0 + limits.least) - 1.0)
        ));
    }
    let undecided = || {
        comparison
            .points
            .iter()
            .filter(|point| point.decision == Decision::Unclear)
    };
    let wide: Vec<f64> = undecided().filter_map(half).collect();
    let count = wide.len();
    if let Some(half) = median(wide) {
        let rounds = (half / (1.0 + limits.same).ln()).powi(2).max(1.0);
        lines.push(format!(
            "{} undecided for the width of the interval: {}× the rounds in both runs would decide half of them",
            many(count, "point"),
            rounds.ceil()
        ));
    }
    let others = undecided().filter(|point| point.change.is_none()).count();
    if others > 0 {
        lines.push(format!(
            "{} undecided for another state of the machine or too few trials: see --all",
            many(others, "point")
        ));
    }
    lines
}

/// The geometric mean of the changes of cost in each area: below 1 the second is faster.
pub(crate) fn means(comparison: &Comparison) -> Option<String> {
    let mut areas: Vec<(&str, Vec<f64>)> = Vec::new();
    for point in &comparison.points {
        let Some(cost) = point.cost() else {
            continue;
        };
        match areas.iter_mut().find(|(area, _)| *area == point.area) {
            Some((_, costs)) => costs.push(cost.ln()),
            None => areas.push((&point.area, vec![cost.ln()])),
        }
    }
    let mean = |logarithms: &[f64]| (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp();
    let words: Vec<String> = areas
        .iter()
        .map(|(area, costs)| format!("{area} {} ({})", show_change(mean(costs)), costs.len()))
        .collect();
    (!words.is_empty()).then(|| format!("change of cost, geometric mean (points): {}", words.join(", ")))
}

/// A drawing of one change among those that are listed: one logarithmic scale around no change.
pub(crate) struct Forest {
    /// The logarithm of the change at the ends.
    reach: f64,
    ascii: bool,
}

/// Columns of a drawing: the middle is no change.
const COLUMNS: usize = 25;
/// The scale reaches at least so far, and at most.
const REACH: (f64, f64) = (0.02, 1.4);

impl Forest {
    /// A scale that reaches to the furthest of these changes.
    pub(crate) fn of<'c>(points: impl Iterator<Item = &'c Compared>, ascii: bool) -> Self {
        let far = |point: &Compared| match point.change? {
            Change::Factor(factor) if factor.low > 0.0 => {
                Some(factor.low.ln().abs().max(factor.high.ln().abs()))
            }
            _ => None,
        };
        let furthest = points.filter_map(far).fold(0.0, f64::max);
        Self {
            reach: furthest.clamp(REACH.0, REACH.1),
            ascii,
        }
    }

    /// What the ends of the scale mean.
    pub(crate) fn heading(&self) -> String {
        let [low, high] = changes([(-self.reach).exp(), self.reach.exp()]);
        format!("scale: {low} to {high}")
    }

    fn column(&self, factor: f64) -> usize {
        let share = (factor.ln() / self.reach + 1.0) / 2.0;
        (share.clamp(0.0, 1.0) * (COLUMNS - 1) as f64).round() as usize
    }

    /// The line of a point; empty where its change is no factor.
    pub(crate) fn line(&self, compared: &Compared) -> String {
        let factor = match compared.change {
            Some(Change::Factor(factor)) if factor.low > 0.0 => factor,
            _ => return String::new(),
        };
        let [axis, interval, value] = if self.ascii {
            ['|', '-', '*']
        } else {
            ['│', '─', '●']
        };
        let mut line = vec![' '; COLUMNS];
        let mut put = |at: usize, mark: char| {
            if let Some(place) = line.get_mut(at) {
                *place = mark;
            }
        };
        put(COLUMNS / 2, axis);
        (self.column(factor.low)..=self.column(factor.high)).for_each(|at| put(at, interval));
        put(self.column(factor.value), value);
        line.into_iter().collect::<String>().trim_end().to_owned()
    }
}
