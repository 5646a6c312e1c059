//! One estimate from the trials of a point: nothing is assumed of their distribution.

use crate::estimates::carry::Carried;
use crate::estimates::selection::Selection;
use crate::rows::row::Estimate;
use crate::thresholds::COVERAGE;
use stats::order::{Sorted, median};
use stats::spread;

/// The estimate over the trials that count; `None` without any.
pub(crate) fn estimate(selection: &Selection<'_>, reference_hz: Option<f64>) -> Option<Estimate> {
    let summaries = &selection.summaries;
    let medians: Vec<f64> = summaries.iter().map(|summary| summary.value.typical).collect();
    let sorted = Sorted::from_values(&medians);
    let typical = sorted.median()?;
    let interval = sorted.median_interval(COVERAGE);
    let interval = match selection.carried {
        Some(carried) => interval.map(|interval| carried.widen(typical, interval)),
        None => interval,
    };
    Some(Estimate {
        typical,
        interval: match selection.change {
            Some(change) => interval.map(|interval| change.widen(interval)),
            None => interval,
        },
        best: median(summaries.iter().map(|summary| summary.value.best))?,
        deviation: spread::deviation(&medians),
        trials: summaries.len(),
        batches: summaries.iter().map(|summary| summary.batches).sum(),
        core_hz: match (selection.carried, reference_hz) {
            (Some(_), Some(reference_hz)) => Some(reference_hz),
            _ => median(summaries.iter().filter_map(|summary| summary.core_hz)),
        },
        clock_error: selection.carried.map_or(0.0, |carried| carried.largest()),
        clock_share: selection.carried.map(|Carried { share, .. }| share),
        line_ns: selection.placements.first().map(|placement| placement.line_ns),
    })
}
