//! Where the level of a point changed over the runs of a machine.

use crate::compare::decision::decide;
use crate::compare::shapes::{Change, Compared, Decision, Limits};
use crate::rows::earlier_runs::COVERED;
use crate::run::past_value::PastValue;
use crate::thresholds::{LEAST_STEP, RUNS_OF_A_DAY};
use record::{PlannedPoint, Range};
use stats::change_points::{ChangePoint, Shape, change_points};
use stats::cycle::without_cycle;
use stats::order::median;
use std::collections::BTreeMap;

/// Parts of ten minutes in a day.
const TENS_OF_A_DAY: usize = 144;

/// A change of the level.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The first value of the new level, by its place among the values of the point.
    pub at: usize,
    /// The first and the last value with which the new level may begin, at 95 %.
    pub earliest: usize,
    /// See `earliest`.
    pub latest: usize,
    /// The old level, the new one, and the change with its interval at 95 %.
    pub change: Compared,
    /// Whether it is gradual.
    pub is_drift: bool,
    /// Whether the newest level is at least half as far from the old one, on the same side.
    pub lasts: bool,
}

/// The steps of a point with these values, one of `points`, in runs that began then. Values of other revisions of the
/// operation measure something else, and costs below zero have no share of themselves.
pub(super) fn steps(
    point: &PlannedPoint,
    values: &[PastValue],
    started: &[&str],
    points: usize,
) -> Vec<Step> {
    let known: Vec<(usize, &PastValue)> = values
        .iter()
        .enumerate()
        .filter(|(_, value)| value.revision == point.revision && value.typical.is_some())
        .collect();
    let typical = |value: &PastValue| value.typical.unwrap_or(f64::NAN);
    let logarithms: Vec<f64> = known.iter().map(|(_, value)| typical(value).ln()).collect();
    if !logarithms.iter().all(|value| value.is_finite()) {
        return Vec::new();
    }
    let starts: Vec<&str> =
        known.iter().map(|(_, value)| started.get(value.run).copied().unwrap_or("")).collect();
    let flat = without_daily_pattern(&logarithms, &starts);
    // What a run cannot tell from noise is noise between runs as well.
    let within = median(known.iter().filter_map(|(_, value)| value.half_width())).unwrap_or(0.0) / COVERED;
    let found = change_points(&flat, within, points);
    let newest = found.last().map(|last| level(&flat, last.after.clone()));
    let steps = found.iter().filter_map(|change| {
        let place = |at: usize| known.get(at).map(|(place, _)| *place);
        let compared = compared(point, &flat, change)?;
        let [before, after] = [&change.before, &change.after].map(|range| level(&flat, range.clone()));
        let share = (newest? - before) / (after - before);
        Some(Step {
            at: place(change.at)?,
            earliest: place(change.earliest)?,
            latest: place(change.latest)?,
            change: compared,
            is_drift: change.shape == Shape::Drift,
            lasts: share >= 0.5,
        })
    });
    steps.collect()
}

fn level(values: &[f64], range: std::ops::Range<usize>) -> f64 {
    median(values.get(range).unwrap_or_default()).unwrap_or(f64::NAN)
}

/// The change of a level; `None` where it is too small, or not decided.
fn compared(point: &PlannedPoint, values: &[f64], change: &ChangePoint) -> Option<Compared> {
    let size = change.size.filter(|size| size.typical.abs() >= LEAST_STEP.ln_1p())?;
    let factor = Range { low: size.low, value: size.typical, high: size.high }.map(f64::exp);
    let (decision, reason) =
        decide(factor, point.quantity, &Limits { least: 0.0, same: 0.0, ..Limits::default() });
    let [first, second] =
        [&change.before, &change.after].map(|range| Some(level(values, range.clone()).exp()));
    (decision != Decision::Unclear).then(|| Compared {
        id: point.id.clone(),
        area: point.area.clone(),
        quantity: point.quantity,
        first,
        second,
        change: Some(Change::Factor(factor)),
        decision,
        reason,
        noisy: false,
        between: f64::INFINITY,
    })
}

/// The values less the pattern of the day, where there are several runs a day: of hours, or of ten minutes where there are
/// several in each. `starts` are dates as in RFC 3339.
fn without_daily_pattern(values: &[f64], starts: &[&str]) -> Vec<f64> {
    let mut days: BTreeMap<&str, usize> = BTreeMap::new();
    let day: Vec<usize> = starts
        .iter()
        .map(|start| {
            let next = days.len();
            *days.entry(start.get(..10).unwrap_or_default()).or_insert(next)
        })
        .collect();
    let of_a_day = values.len() / days.len().max(1);
    if of_a_day < RUNS_OF_A_DAY {
        return values.to_vec();
    }
    let minutes = if of_a_day < RUNS_OF_A_DAY * TENS_OF_A_DAY { 60 } else { 10 };
    let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).unwrap_or(0);
    let phase = |start: &&str| (60 * number(start.get(11..13)) + number(start.get(14..16))) / minutes;
    without_cycle(values, &day, &starts.iter().map(phase).collect::<Vec<usize>>())
}
