//! The verdict on a point, from its history and its estimate; bounds come later.

use crate::estimates::selection::Selection;
use crate::evidence::history::History;
use crate::evidence::witness_counts::WitnessCounts;
use crate::rows::failure::Cause;
use crate::rows::levels::LEAST_TRIALS;
use crate::rows::reason::Reason;
use crate::rows::row::{Estimate, Row, Verdict};
use crate::samples::summary::Summary;
use record::{PlannedPoint, Settings, Witness};

/// A verdict with its reasons.
pub(crate) type Judgement = (Verdict, Vec<Reason>);

/// Judges a point.
pub(crate) fn judge(
    selection: &Selection<'_>,
    estimate: Option<&Estimate>,
    settings: &Settings,
) -> Judgement {
    let history = selection.history;
    let first = planned_skip(history).or_else(|| contradicted(history)).or_else(|| empty_handed(history));
    let Some(estimate) = estimate else {
        return first.unwrap_or_else(|| starved(history));
    };
    first.or_else(|| unproven(history)).unwrap_or_else(|| by_precision(selection, estimate, settings))
}

/// Share of the samples that a second state has at least where the median may be that of either.
const SECOND_STATE: f64 = 0.25;

/// A measured row whose median may be that of one state today and of another tomorrow: which process is in
/// which state does not average out over rounds, so the interval says too little.
pub(crate) fn between_states(row: &Row, settings: &Settings) -> Option<Judgement> {
    let mut states: Vec<f64> =
        row.modes.iter().filter(|mode| mode.share >= SECOND_STATE).map(|mode| mode.at).collect();
    states.sort_by(f64::total_cmp);
    let (low, high) = (states.first()?, states.last()?);
    let apart = (high - low).abs() > settings.precision * low.abs();
    (row.verdict == Verdict::Measured && apart).then(|| (Verdict::Noisy, vec![Reason::States]))
}

fn planned_skip(history: &History) -> Option<Judgement> {
    let skip = history.point.skip.as_ref()?;
    let unmet = Reason::Unmet(skip.reason.clone(), Some(skip.remedy.clone()));
    Some((Verdict::Skipped, vec![unmet]))
}

fn contradicted(history: &History) -> Option<Judgement> {
    let broken = history.watches.iter().filter_map(WitnessCounts::contradiction);
    let reasons: Vec<Reason> = broken.map(Reason::Witness).collect();
    (!reasons.is_empty()).then_some((Verdict::Contradicted, reasons))
}

/// No trial counts, and not because of the gate.
fn empty_handed(history: &History) -> Option<Judgement> {
    if !history.trials.is_empty() || history.starved > 0 {
        return None;
    }
    let (verdict, reason) = match (history.failures.most(), history.skips.most()) {
        (Some((failure, trials)), _) => {
            (Verdict::Failed, Reason::Failed(failure.clone(), trials, history.attempts()))
        }
        (None, Some((reason, _))) if history.doubted == 0 => {
            (Verdict::Skipped, Reason::Unmet(reason.clone(), history.remedy.clone()))
        }
        _ if history.doubted > 0 => {
            let causes = history.set_aside.iter().map(|(cause, _)| cause.clone());
            (Verdict::Contradicted, Reason::EveryTrial(causes.collect()))
        }
        _ => (Verdict::Skipped, Reason::NotTried),
    };
    Some((verdict, vec![reason]))
}

/// No positive witness could be read.
fn unproven(history: &History) -> Option<Judgement> {
    let positive = || history.watches.iter().filter(|watch| watch.witness.positive);
    if positive().any(WitnessCounts::was_read) {
        return None;
    }
    let unread = positive().filter_map(|watch| Some((watch.witness.counter.clone(), watch.unavailable()?)));
    Some((Verdict::Skipped, vec![Reason::Unproven(unread.collect())]))
}

/// The gate left no trial enough batches.
fn starved(history: &History) -> Judgement {
    let share = history.disturbed as f64 / history.batches_in_all.max(1) as f64;
    (Verdict::Noisy, vec![Reason::Starved(share, main_cause(history))])
}

/// The cause for which most batches were set aside.
fn main_cause(history: &History) -> Option<Cause> {
    history.set_aside.most().map(|(cause, _)| cause.clone())
}

fn by_precision(selection: &Selection<'_>, estimate: &Estimate, settings: &Settings) -> Judgement {
    let found = [
        too_few(estimate),
        too_wide(estimate, settings.precision),
        unsteady(&selection.summaries, settings.precision),
        disturbed(selection.history),
        contended(selection),
    ];
    let watches = selection.history.watches.iter();
    let noise = watches.filter_map(WitnessCounts::noise).map(Reason::Noise);
    let reasons: Vec<Reason> = found.into_iter().flatten().chain(noise).collect();
    let verdict = if reasons.is_empty() { Verdict::Measured } else { Verdict::Noisy };
    (verdict, reasons)
}

fn too_few(estimate: &Estimate) -> Option<Reason> {
    let none = estimate.interval.is_none();
    none.then_some(Reason::TooFew(estimate.trials, LEAST_TRIALS))
}

fn too_wide(estimate: &Estimate, precision: f64) -> Option<Reason> {
    let half = estimate.half_width()?;
    // A width that is not a number is too wide.
    (half.is_nan() || half > precision).then_some(Reason::TooWide { half, precision })
}

/// Share of the trials that must drift the same way: a warm-up that is not over, a queue that fills. What
/// flips between two states goes up as often as down, and its modes are shown instead.
const SAME_WAY: f64 = 0.5;

/// More than half of the trials rise or jump, or more than half fall, by more than the precision asked for.
fn unsteady(summaries: &[Summary<'_>], precision: f64) -> Option<Reason> {
    let all = summaries.len();
    [1.0, -1.0].into_iter().find_map(|sign| {
        let drifts = summaries.iter().filter_map(|summary| Some(sign * summary.drift?));
        let large: Vec<f64> = drifts.filter(|drift| *drift > precision).collect();
        let by = sign * stats::order::median(&large)?;
        let is_most = large.len() as f64 > SAME_WAY * all as f64;
        is_most.then_some(Reason::Unsteady { by, trials: large.len(), all })
    })
}

/// Share of the time that others may have the CPU while tasks share it.
const OTHER_TASKS: f64 = 0.05;

/// What tasks that share a CPU cost depends on who else waits for it, also in batches during which nobody else ran.
fn contended(selection: &Selection<'_>) -> Option<Reason> {
    let history = selection.history;
    history.point.gate.cpu_share.filter(|_| shares_a_cpu(&history.point))?;
    let lost = selection.summaries.iter().map(|summary| summary.trial.lost);
    // A short trial meets others or not; what it costs beside them is the same in both.
    let lost = stats::spread::mean(lost).filter(|lost| *lost > OTHER_TASKS)?;
    Some(Reason::OtherTasks(lost))
}

/// Whether the point counts switches, or says that its tasks have one CPU.
fn shares_a_cpu(point: &PlannedPoint) -> bool {
    let switches = |witness: &Witness| witness.counter == "switches" && witness.low > 0.0;
    point.witnesses.iter().any(switches) || point.id.parameter("cpu") == Some("same")
}

/// Share of the batches that may be set aside for their causes: the rest is a sample of the quiet ones, whose
/// interval says how good it is, as long as it is no small remainder.
const SET_ASIDE: f64 = 0.75;

fn disturbed(history: &History) -> Option<Reason> {
    let share = history.disturbed as f64 / history.batches_in_all as f64;
    (share > SET_ASIDE).then(|| Reason::SetAside(share, main_cause(history)))
}
