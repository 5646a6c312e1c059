//! Where the level of a series in time changes: the steps of thirty nights, or of a thousand.
//!
//! The levels minimise the sum of squared distances, none counted above 3.5 deviations, plus a penalty for each
//! change: Fearnhead and Rigaill, "Changepoint detection in the presence of outliers", 2019. The minimum is exact, by
//! functional pruning (Maidstone et al., "On optimal multiple changepoint algorithms for large data", 2017), so that a
//! thousand values cost milliseconds, and there is no random number in it. A lone outlier is not a step, whatever its
//! size; the penalty grows with the correlation of neighbours (Lavielle and Moulines, 2000).

mod noise;
mod segments;

use crate::shift::{Shift, shift};
use crate::slope::{Knot, least_squares};
use noise::MOST_DEVIATIONS;
pub use noise::{Noise, noise};
use std::ops::Range;

/// Penalty of a change for each unit of the logarithm of the length, in variances of a value. The paper has 2, for
/// noise of known variance; measured in the tests `change_points` of this crate.
const PENALTY: f64 = 3.0;

/// Penalty of a change for each unit of the logarithm of the number of series: the tail of the likelihood falls as
/// exp(−x / 2), so that all series together have as many false alarms as one (Bonferroni).
const OF_SERIES: f64 = 2.0;

/// Least length that the penalty counts: the deviation of fewer values is itself uncertain.
const LEAST_LENGTH: f64 = 60.0;

/// Fewest values: of fewer, the noise is not known.
pub const MIN_VALUES: usize = 8;

/// Loss of likelihood up to which a position belongs to the interval of 95 %: Hansen, "Sample splitting and threshold
/// estimation", 2000, table I.
const POSITION_LOSS: f64 = 7.35;

/// Coverage of the interval of a size.
const LEVEL: f64 = 0.95;

/// How a level changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// From one value to the next.
    Step,
    /// Gradually: a line through both levels fits as well as the levels do.
    Drift,
}

/// A change of the level.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangePoint {
    /// The first value of the new level.
    pub at: usize,
    /// The first and the last place where the new level may begin, at 95 %.
    pub earliest: usize,
    /// See `earliest`.
    pub latest: usize,
    /// The values of the old level, from the change before.
    pub before: Range<usize>,
    /// The values of the new level, until the next change.
    pub after: Range<usize>,
    /// By how much the level changes, at 95 %: Hodges and Lehmann; `None` with too few values.
    pub size: Option<Shift>,
    /// Step or drift.
    pub shape: Shape,
}

/// The changes of the level of `values`, in order of time. Values that are no number are missing: they keep their
/// place. `least_deviation` is a lower limit of the noise, such as half a resolution or what each value's own interval
/// says. `series` is the number of series that are searched alike: with it, all together have the false alarms of one.
/// Empty with fewer than [`MIN_VALUES`] numbers.
///
/// Pass logarithms where steps are shares of a level.
pub fn change_points(values: &[f64], least_deviation: f64, series: usize) -> Vec<ChangePoint> {
    let count = values.iter().filter(|value| value.is_finite()).count();
    let Some(noise) = noise(values, least_deviation).filter(|_| count >= MIN_VALUES) else {
        return Vec::new();
    };
    let scaled: Vec<f64> = values.iter().map(|value| value / noise.deviation).collect();
    let of_series = OF_SERIES * (series.max(1) as f64).ln();
    let penalty = (PENALTY * (count as f64).max(LEAST_LENGTH).ln() + of_series) * noise.inflation();
    let starts = segments::starts(&scaled, penalty, MOST_DEVIATIONS);
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(values.len()));
    let segments: Vec<Range<usize>> = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
    let pairs = segments.iter().zip(segments.iter().skip(1));
    pairs.map(|(before, after)| change(values, &scaled, before, after, noise)).collect()
}

fn change(
    values: &[f64],
    scaled: &[f64],
    before: &Range<usize>,
    after: &Range<usize>,
    noise: Noise,
) -> ChangePoint {
    let numbers = |range: &Range<usize>| -> Vec<f64> {
        let part = values.get(range.clone()).unwrap_or_default();
        part.iter().copied().filter(|value| value.is_finite()).collect()
    };
    let levels = [before, after].map(|range| level(scaled, range));
    let (earliest, latest) = positions(scaled, before.start..after.end, after.start, levels, noise);
    ChangePoint {
        at: after.start,
        earliest,
        latest,
        before: before.clone(),
        after: after.clone(),
        size: shift(&numbers(before), &numbers(after), LEVEL),
        shape: shape(scaled, before, after, levels),
    }
}

/// The loss of a value at this distance.
fn loss(distance: f64) -> f64 {
    if distance.is_finite() { (distance * distance).min(MOST_DEVIATIONS * MOST_DEVIATIONS) } else { 0.0 }
}

fn level(scaled: &[f64], range: &Range<usize>) -> f64 {
    let part = scaled.get(range.clone()).unwrap_or_default();
    crate::order::median(part.iter().filter(|value| value.is_finite())).unwrap_or(0.0)
}

/// The places around `at` where the second level may begin as well.
fn positions(
    scaled: &[f64],
    all: Range<usize>,
    at: usize,
    [before, after]: [f64; 2],
    noise: Noise,
) -> (usize, usize) {
    // What it costs to move the place over this value, from the new level to the old one.
    let moved = |place: usize| {
        let value = scaled.get(place).copied().unwrap_or(f64::NAN);
        loss(value - before) - loss(value - after)
    };
    let allowed = POSITION_LOSS * noise.inflation();
    let mut sum = 0.0;
    let mut latest = at;
    for place in at..all.end.saturating_sub(1) {
        sum += moved(place);
        if sum <= allowed {
            latest = place + 1;
        }
    }
    sum = 0.0;
    let mut earliest = at;
    for place in (all.start + 1..at).rev() {
        sum -= moved(place);
        if sum <= allowed {
            earliest = place;
        }
    }
    (earliest, latest)
}

/// Whether a line fits better than two levels.
fn shape(scaled: &[f64], before: &Range<usize>, after: &Range<usize>, levels: [f64; 2]) -> Shape {
    let part = |range: &Range<usize>| scaled.get(range.clone()).unwrap_or_default().iter();
    let of_levels: f64 = [before, after]
        .iter()
        .zip(levels)
        .map(|(range, level)| part(range).map(|value| loss(value - level)).sum::<f64>())
        .sum();
    let mut knots: Vec<Knot> = part(&(before.start..after.end))
        .enumerate()
        .filter(|(_, value)| value.is_finite())
        .map(|(x, value)| Knot { x: x as f64, y: *value, weight: 1.0 })
        .collect();
    let mut of_line = f64::INFINITY;
    // Values that the line passes at a distance lose their weight; a few rounds settle that.
    for _ in 0..4 {
        let Some(line) = least_squares(&knots) else { break };
        let distances = knots.iter().map(|knot| knot.y - line.value_at(knot.x));
        of_line = of_line.min(distances.clone().map(loss).sum());
        let weights: Vec<f64> =
            distances.map(|distance| f64::from(distance.abs() < MOST_DEVIATIONS)).collect();
        knots.iter_mut().zip(weights).for_each(|(knot, weight)| knot.weight = weight);
    }
    // The place of a step was chosen among all, which a line was not.
    if of_line < of_levels + POSITION_LOSS { Shape::Drift } else { Shape::Step }
}
