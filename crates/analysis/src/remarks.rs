//! Remarks on a row that do not change its verdict: the shape of its samples and of its trials.

use crate::history::History;
use crate::summary::Summary;
use crate::wording::count;
use crate::{Mode, Note, Row, steady};
use quantity::show_percent;
use record::Settings;
use stats::order::median;
use stats::{modes, spread};

/// Samples from which modes are read, over all trials.
const MOST_SAMPLES: usize = 4096;
/// Steps of a clock above this share of a batch are worth a remark: calibration aims below 0.2 %.
const COARSE_STEP: f64 = 0.005;
/// Mean and median that differ by more than this are worth a remark: an outlier moves the mean.
const SKEW: f64 = 0.10;
/// Trials differ more than their batches explain when their spread is this many times as large.
const BETWEEN: f64 = 3.0;
/// Ratio of the standard error of a median to that of a mean, normal distribution: √(π/2).
const MEDIAN_ERROR: f64 = 1.253;

/// Gives a row that has an estimate its modes and remarks; of others the verdict says enough.
pub(crate) fn fill(row: &mut Row, history: &History, settings: &Settings) {
    if let Some(estimate) = &row.estimate {
        row.modes = several(&history.summaries);
        let typical = estimate.typical;
        let found = [
            coarse_clock(&history.summaries),
            drift_over_run(&history.summaries, settings.precision),
            between_processes(&history.summaries, typical, settings.precision),
            skewed(&history.summaries),
            unpinned(&history.summaries),
            gave_nothing(history),
        ];
        row.notes.extend(found.into_iter().flatten().map(Note));
    }
}

/// The modes of the samples of all trials, if there is more than one.
fn several(summaries: &[Summary]) -> Vec<Mode> {
    let total: usize = summaries.iter().map(|summary| summary.some.len()).sum();
    let every = total.div_ceil(MOST_SAMPLES).max(1);
    let samples = summaries
        .iter()
        .flat_map(|summary| summary.some.iter().step_by(every));
    let samples: Vec<f64> = samples.map(|&sample| f64::from(sample)).collect();
    let resolution = summaries
        .iter()
        .map(|summary| summary.resolution)
        .fold(0.0, f64::max);
    let found = modes::modes(&samples, resolution);
    if found.len() < 2 {
        return Vec::new();
    }
    found
        .into_iter()
        .map(|mode| Mode {
            at: mode.at,
            share: mode.share,
        })
        .collect()
}

fn coarse_clock(summaries: &[Summary]) -> Option<String> {
    let steps: Vec<f64> = summaries
        .iter()
        .filter_map(|summary| summary.clock_step)
        .collect();
    let step = median(&steps).filter(|step| 2 * steps.len() > summaries.len() && *step > COARSE_STEP)?;
    Some(format!(
        "quantised clock: it advances in steps of {} of a batch",
        show_percent(step)
    ))
}

fn drift_over_run(summaries: &[Summary], precision: f64) -> Option<String> {
    let mut values: Vec<_> = summaries.iter().map(|summary| summary.value).collect();
    values.sort_by_key(|value| value.round);
    let course: Vec<f64> = values.iter().map(|value| value.typical).collect();
    let share = steady::risen(&course)? / median(&course)?.abs();
    let sign = if share > 0.0 { "+" } else { "" };
    (share.abs() > precision).then(|| format!("drifts by {sign}{} over the run", show_percent(share)))
}

/// Whether the luck of a process matters more than what happens inside it.
fn between_processes(summaries: &[Summary], typical: f64, precision: f64) -> Option<String> {
    let normal = spread::NORMAL_FROM_MEDIAN_DEVIATION;
    let typicals: Vec<f64> = summaries.iter().map(|summary| summary.value.typical).collect();
    let between = normal * spread::median_deviation(&typicals).filter(|_| summaries.len() >= 6)?;
    let within: Vec<f64> = summaries
        .iter()
        .map(|summary| normal * summary.deviation)
        .collect();
    let errors = summaries.iter().zip(&within);
    let errors: Vec<f64> = errors
        .map(|(summary, within)| MEDIAN_ERROR * within / (summary.samples as f64).sqrt())
        .collect();
    (between > BETWEEN * median(&errors)? && between > typical.abs() * precision).then(|| {
        format!(
            "fresh processes differ by {}, samples within one by {}",
            show_percent(between / typical.abs()),
            show_percent(median(&within).unwrap_or_default() / typical.abs())
        )
    })
}

fn skewed(summaries: &[Summary]) -> Option<String> {
    let skews: Vec<f64> = summaries
        .iter()
        .map(|summary| summary.mean / summary.value.typical - 1.0)
        .collect();
    let skew = median(&skews).filter(|skew| skew.is_finite() && skew.abs() > SKEW)?;
    let side = if skew > 0.0 { "above" } else { "below" };
    Some(format!(
        "the mean is {} {side} the median: few samples make up much of it",
        show_percent(skew.abs())
    ))
}

fn unpinned(summaries: &[Summary]) -> Option<String> {
    let free = summaries.iter().filter(|summary| !summary.pinned).count();
    let all = count(summaries.len(), "trial", "trials");
    (free > 0).then(|| format!("{free} of {all} ran without being bound to a CPU"))
}

fn gave_nothing(history: &History) -> Option<String> {
    let all = count(history.attempts(), "trial", "trials");
    let of = |what: &str, (reason, times): (&str, usize)| format!("{times} of {all} {what}: {reason}");
    let failed = history.failures.most().map(|most| of("failed", most));
    let skipped = history.skips.most().map(|most| of("were skipped", most));
    let starved = (2 * history.starved > history.attempts())
        .then(|| format!("{} of {all} kept too few batches to count", history.starved));
    let found: Vec<String> = [failed, skipped, starved].into_iter().flatten().collect();
    (!found.is_empty()).then(|| found.join("; "))
}
