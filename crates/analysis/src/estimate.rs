//! One estimate from the trials of a point: nothing is assumed of their distribution.

use crate::Estimate;
use crate::core_clock::Carried;
use crate::selection::Selection;
use stats::order::{Sorted, median};
use stats::spread;

/// Probability with which an interval covers the typical value, at least.
pub(crate) const LEVEL: f64 = 0.95;
/// Fewest trials that have an interval at that level: 1 − 2 / 2⁶ = 96.9 %.
pub(crate) const LEAST_TRIALS: usize = 6;

/// The estimate over the trials that count; `None` without any.
pub(crate) fn estimate(selection: &Selection<'_>, reference_hz: Option<f64>) -> Option<Estimate> {
    let summaries = &selection.summaries;
    let typicals: Vec<f64> = summaries.iter().map(|summary| summary.value.typical).collect();
    let bests: Vec<f64> = summaries.iter().map(|summary| summary.value.best).collect();
    let clocks: Vec<f64> = summaries.iter().filter_map(|summary| summary.core_hz).collect();
    let sorted = Sorted::of(&typicals);
    let typical = sorted.median()?;
    let error = selection
        .carried
        .map_or(0.0, |carried| carried.error * typical.abs());
    Some(Estimate {
        typical,
        interval: sorted
            .median_interval(LEVEL)
            .map(|(low, high)| (low - error, high + error)),
        best: median(&bests)?,
        deviation: spread::deviation(&typicals),
        trials: summaries.len(),
        batches: summaries.iter().map(|summary| summary.batches).sum(),
        core_hz: reference_hz
            .filter(|_| selection.carried.is_some())
            .or_else(|| median(&clocks)),
        clock_error: selection.carried.map_or(0.0, |carried| carried.error),
        clock_share: selection.carried.map(|Carried { share, .. }| share),
    })
}
