//! The verdict on a point, from its history and its estimate; bounds come later.

use crate::estimates::selection::Selection;
use crate::evidence::history::History;
use crate::evidence::watch::Watch;
use crate::rows::levels::LEAST_TRIALS;
use crate::rows::row::{Estimate, Figure, Reason, ReasonKind, Row, Verdict};
use crate::rows::wording;
use crate::rows::wording::count;
use crate::samples::summary::Summary;
use quantity::show_percent;
use record::Settings;

/// A verdict with its reason and what helps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
    pub(crate) remedy: Option<String>,
    pub(crate) reasons: Vec<Reason>,
}

impl Judgement {
    fn because(verdict: Verdict, reason: String, remedy: Option<&str>) -> Self {
        Self {
            verdict,
            reason: Some(reason),
            remedy: remedy.map(str::to_owned),
            reasons: Vec::new(),
        }
    }

    /// Noisy for these reasons.
    fn noisy(reasons: Vec<Reason>) -> Self {
        let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
        let mut remedies: Vec<&str> = reasons.iter().map(|reason| reason.remedy).collect();
        remedies.dedup();
        Self {
            reasons: reasons.clone(),
            ..Self::because(Verdict::Noisy, texts.join("; "), Some(&remedies.join("; ")))
        }
    }

    /// Something else was measured.
    pub(crate) fn contradicted(reason: String) -> Self {
        Self::because(Verdict::Contradicted, reason, Some(wording::LOOK_BETWEEN))
    }
}

/// Judges a point.
pub(crate) fn judge(
    selection: &Selection<'_>,
    estimate: Option<&Estimate>,
    settings: &Settings,
) -> Judgement {
    let history = selection.history;
    let first = planned_skip(history)
        .or_else(|| contradicted(history))
        .or_else(|| empty_handed(history));
    let Some(estimate) = estimate else {
        return first.unwrap_or_else(|| starved(history));
    };
    first
        .or_else(|| unproven(history))
        .unwrap_or_else(|| by_precision(selection, estimate, settings))
}

/// Share of the samples that a second state has at least where the median may be that of either.
const SECOND_STATE: f64 = 0.25;

/// A measured row whose median may be that of one state today and of another tomorrow: which process is in
/// which state is no luck that rounds even out, so the interval says too little.
pub(crate) fn between_states(row: &Row, settings: &Settings) -> Option<Judgement> {
    let mut states: Vec<f64> = row
        .modes
        .iter()
        .filter(|mode| mode.share >= SECOND_STATE)
        .map(|mode| mode.at)
        .collect();
    states.sort_by(f64::total_cmp);
    let (low, high) = (states.first()?, states.last()?);
    let apart = (high - low).abs() > settings.precision * low.abs();
    (row.verdict == Verdict::Measured && apart).then(|| {
        Judgement::noisy(vec![Reason {
            kind: ReasonKind::States,
            text: "it has several states, and the median may be that of any: see its modes".to_owned(),
            remedy: wording::COMPARE_MODES,
            figure: None,
        }])
    })
}

fn planned_skip(history: &History) -> Option<Judgement> {
    let skip = history.point.skip.as_ref()?;
    Some(Judgement::because(
        Verdict::Skipped,
        skip.reason.clone(),
        Some(&skip.remedy),
    ))
}

fn contradicted(history: &History) -> Option<Judgement> {
    let reasons: Vec<String> = history.watches.iter().filter_map(Watch::contradiction).collect();
    (!reasons.is_empty()).then(|| Judgement::contradicted(reasons.join("; ")))
}

/// No trial counts, and not because of the gate.
fn empty_handed(history: &History) -> Option<Judgement> {
    if !history.trials.is_empty() || history.starved > 0 {
        return None;
    }
    let (failed, skipped) = (history.failures.most(), history.skips.most());
    Some(match (failed, skipped) {
        (Some((reason, times)), _) => {
            let all = count(history.attempts(), "trial", "trials");
            Judgement::because(Verdict::Failed, format!("{reason} (in {times} of {all})"), None)
        }
        (None, Some((reason, _))) if history.doubted == 0 => {
            Judgement::because(Verdict::Skipped, reason.to_owned(), history.remedy.as_deref())
        }
        _ if history.doubted > 0 => {
            let causes: Vec<&str> = history.set_aside.iter().map(|(cause, _)| cause).collect();
            Judgement::contradicted(format!("every trial broke a witness ({})", causes.join(", ")))
        }
        _ => {
            let reason = "the run ended before its first trial".to_owned();
            Judgement::because(Verdict::Skipped, reason, Some(wording::MORE_TIME))
        }
    })
}

/// No positive witness could be read.
fn unproven(history: &History) -> Option<Judgement> {
    let positive: Vec<&Watch> = history
        .watches
        .iter()
        .filter(|watch| watch.witness().positive)
        .collect();
    if positive.iter().any(|watch| watch.was_read()) {
        return None;
    }
    let why = |watch: &&Watch| Some(format!("{}: {}", watch.witness().counter, watch.unavailable()?));
    let mut reasons: Vec<String> = positive.iter().filter_map(why).collect();
    if reasons.is_empty() {
        reasons.push("the operation declares no witness of it".to_owned());
    }
    let reason = format!("no evidence that the work was done: {}", reasons.join("; "));
    Some(Judgement::because(
        Verdict::Skipped,
        reason,
        Some(wording::ALLOW_COUNTING),
    ))
}

/// The gate left no trial enough batches.
fn starved(history: &History) -> Judgement {
    let share = history.disturbed as f64 / history.batches_in_all.max(1) as f64;
    let cause = main_cause(history);
    Judgement::noisy(vec![Reason {
        text: format!(
            "no trial kept enough batches: {} set aside, mostly: {cause}",
            show_percent(share)
        ),
        kind: ReasonKind::Starved { cause },
        remedy: wording::QUIET,
        figure: Some(Figure::Share(share)),
    }])
}

/// The cause for which most batches were set aside.
fn main_cause(history: &History) -> String {
    let most = history.set_aside.most();
    most.map_or("disturbance", |(cause, _)| cause).to_owned()
}

fn by_precision(selection: &Selection<'_>, estimate: &Estimate, settings: &Settings) -> Judgement {
    let found = [
        too_few(estimate),
        too_wide(estimate, settings.precision),
        unsteady(&selection.summaries, settings.precision),
        disturbed(selection.history),
        beside_rivals(selection),
    ];
    let witnesses = selection.history.watches.iter().filter_map(Watch::noise);
    let found: Vec<Reason> = found.into_iter().flatten().chain(witnesses).collect();
    if found.is_empty() {
        return Judgement {
            verdict: Verdict::Measured,
            reason: None,
            remedy: None,
            reasons: Vec::new(),
        };
    }
    Judgement::noisy(found)
}

fn too_few(estimate: &Estimate) -> Option<Reason> {
    let trials = count(estimate.trials, "trial counts", "trials count");
    estimate.interval.is_none().then(|| Reason {
        kind: ReasonKind::TooFew,
        text: format!("only {trials}, and an interval needs {LEAST_TRIALS}"),
        remedy: wording::MORE_TIME,
        figure: Some(Figure::Trials {
            of: estimate.trials,
            all: LEAST_TRIALS,
        }),
    })
}

fn too_wide(estimate: &Estimate, precision: f64) -> Option<Reason> {
    let half = estimate.half_width()?;
    // A width that is no number is too wide.
    (half.is_nan() || half > precision).then(|| Reason {
        kind: ReasonKind::TooWide,
        text: format!("the interval is wider than ± {}", show_percent(precision)),
        remedy: wording::MORE_TIME,
        figure: Some(Figure::Share(half)),
    })
}

/// Share of the trials that must drift the same way: a warm-up that is not over, a queue that fills. What
/// flips between two states goes up as often as down, and its modes are shown instead.
const SAME_WAY: f64 = 0.5;

/// More than half of the trials rise or jump, or more than half fall, by more than the precision asked for.
fn unsteady(summaries: &[Summary], precision: f64) -> Option<Reason> {
    let drifts: Vec<f64> = summaries.iter().filter_map(|summary| summary.drift).collect();
    let all = summaries.len() as f64;
    let one_way = [1.0, -1.0].into_iter().find_map(|sign| {
        let large: Vec<f64> = drifts
            .iter()
            .map(|drift| sign * drift)
            .filter(|drift| *drift > precision)
            .collect();
        (large.len() as f64 > SAME_WAY * all).then_some((sign, large))
    });
    let (sign, large) = one_way?;
    let trials = count(summaries.len(), "trial", "trials");
    let by = stats::order::median(&large)?;
    Some(Reason {
        kind: ReasonKind::Unsteady,
        text: format!(
            "no steady state: {} of {trials} {} within themselves, by {} in the median",
            large.len(),
            if sign > 0.0 { "rise" } else { "fall" },
            show_percent(by)
        ),
        remedy: wording::QUIET,
        figure: Some(Figure::Share(sign * by)),
    })
}

/// Share of the time that others may have the CPU while tasks hand it to each other.
const RIVALS: f64 = 0.2;

/// What a switch costs depends on who else waits for the CPU, also in batches during which nobody else ran.
fn beside_rivals(selection: &Selection<'_>) -> Option<Reason> {
    let history = selection.history;
    let switches = history
        .point
        .witnesses
        .iter()
        .any(|witness| witness.counter == "switches" && witness.low > 0.0);
    history.point.gate.cpu_share.filter(|_| switches)?;
    let lost: Vec<f64> = selection.summaries.iter().map(|summary| summary.lost).collect();
    let lost = stats::order::median(&lost).filter(|lost| *lost > RIVALS)?;
    Some(Reason {
        kind: ReasonKind::Rivals,
        text: format!(
            "other tasks used this CPU for {} of the time; switch costs under contention differ",
            show_percent(lost)
        ),
        remedy: wording::QUIET,
        figure: Some(Figure::Share(lost)),
    })
}

/// Share of the batches that may be set aside for their causes: the rest is a sample of the quiet ones, whose
/// interval says how good it is, as long as it is no small remainder.
const SET_ASIDE: f64 = 0.75;

fn disturbed(history: &History) -> Option<Reason> {
    (history.disturbed as f64 > SET_ASIDE * history.batches_in_all as f64).then(|| {
        let share = history.disturbed as f64 / history.batches_in_all as f64;
        let cause = main_cause(history);
        Reason {
            text: format!(
                "{} of the batches were set aside, mostly: {cause}",
                show_percent(share)
            ),
            kind: ReasonKind::Disturbed { cause },
            remedy: wording::QUIET,
            figure: Some(Figure::Share(share)),
        }
    })
}
