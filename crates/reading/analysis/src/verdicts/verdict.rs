//! The verdict on a point, from its history and its estimate; bounds come later.

use crate::estimates::selection::Selection;
use crate::evidence::history::History;
use crate::evidence::witness_counts::WitnessCounts;
use crate::rows::failure::Cause;
use crate::rows::reason::{QuotaUse, Reason};
use crate::rows::row::{Estimate, Verdict};
use crate::samples::summary::Summary;
use crate::thresholds::{
    BESIDE_PROGRAMS_SHARE, EXCLUDED_SHARE, LEAST_TRIALS, OTHER_TASKS_SHARE, SAME_DIRECTION, SECOND_STATE,
};
use record::{Estimator, PlannedPoint, Settings};
use stats::modes::Mode;
use stats::order::{Sorted, median};

/// A verdict with its reasons.
pub(crate) type Judgement = (Verdict, Vec<Reason>);

/// Judges a point.
pub(crate) fn judge(
    selection: &Selection<'_>,
    estimate: Option<&Estimate>,
    settings: &Settings,
    quota: QuotaUse,
) -> Judgement {
    let history = selection.history;
    let first = planned_skip(history).or_else(|| contradicted(history));
    let first = first.or_else(|| no_usable_trial(history)).or_else(|| found_by_few(history));
    let Some(estimate) = estimate else {
        return first.unwrap_or_else(|| starved(history));
    };
    first.or_else(|| unproven(history)).unwrap_or_else(|| by_precision(selection, estimate, settings, quota))
}

/// Whether the median may be that of one state today and of another tomorrow: which process is in which state does not
/// average out over rounds, so the interval says too little.
pub(crate) fn is_between_states(modes: &[Mode], precision: f64) -> bool {
    let large = modes.iter().filter(|mode| mode.share >= SECOND_STATE);
    let states = Sorted::from_values(large.map(|mode| mode.at));
    let (Some(low), Some(high)) = (states.values().first(), states.values().last()) else {
        return false;
    };
    high - low > precision * low.abs()
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
fn no_usable_trial(history: &History) -> Option<Judgement> {
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

/// What at most half of the trials found, such as a further level of the caches: a median of those would be one of chance.
fn found_by_few(history: &History) -> Option<Judgement> {
    let (all, trials) = (history.attempts(), history.skips.total());
    let is_rare = history.point.estimator == Estimator::Values && 2 * trials >= all;
    let (need, _) = history.skips.most().filter(|_| is_rare)?;
    let lost = Reason::Lost { need: need.clone(), remedy: history.remedy.clone(), trials, all };
    Some((Verdict::Skipped, vec![lost]))
}

/// No positive witness could be read.
fn unproven(history: &History) -> Option<Judgement> {
    let mut unread = Vec::new();
    for watch in history.watches.iter().filter(|watch| watch.witness.positive) {
        // A witness is unavailable where it was never read.
        unread.push((watch.witness.counter.clone(), watch.unavailable()?));
    }
    Some((Verdict::Skipped, vec![Reason::Unproven(unread)]))
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

fn by_precision(
    selection: &Selection<'_>,
    estimate: &Estimate,
    settings: &Settings,
    quota: QuotaUse,
) -> Judgement {
    let found = [
        too_few(estimate, selection.history),
        too_wide(estimate, settings.precision),
        unsteady(&selection.summaries, settings.precision),
        disturbed(selection.history),
        contended(selection, quota),
        beside_programs(selection),
    ];
    let watches = selection.history.watches.iter();
    let noise = watches.filter_map(WitnessCounts::noise).map(Reason::Noise);
    let reasons: Vec<Reason> = found.into_iter().flatten().chain(noise).collect();
    let verdict = if reasons.is_empty() { Verdict::Measured } else { Verdict::Noisy };
    (verdict, reasons)
}

/// Too few trials for an interval: lost ones if there are any, which more time would not bring back, or too few rounds.
fn too_few(estimate: &Estimate, history: &History) -> Option<Reason> {
    let none = estimate.interval.is_none();
    none.then(|| lost(history).unwrap_or(Reason::TooFew(estimate.trials, LEAST_TRIALS)))
}

/// Trials that were tried and gave nothing, by what most of them lacked, or why they failed.
fn lost(history: &History) -> Option<Reason> {
    let all = history.attempts();
    match (history.skips.most(), history.failures.most()) {
        (Some((need, trials)), failed) if failed.is_none_or(|(_, failed)| trials >= failed) => {
            Some(Reason::Lost { need: need.clone(), remedy: history.remedy.clone(), trials, all })
        }
        (_, Some((failure, count))) => Some(Reason::Failed(failure.clone(), count, all)),
        _ => None,
    }
}

fn too_wide(estimate: &Estimate, precision: f64) -> Option<Reason> {
    let half = estimate.half_width()?;
    // A width that is not a number is too wide.
    (half.is_nan() || half > precision).then_some(Reason::TooWide { half, precision })
}

/// More than half of the trials rise or jump, or more than half fall, by more than the precision asked for.
fn unsteady(summaries: &[Summary<'_>], precision: f64) -> Option<Reason> {
    let all = summaries.len();
    [1.0, -1.0].into_iter().find_map(|sign| {
        let drifts = summaries.iter().filter_map(|summary| Some(sign * summary.drift?));
        let large: Vec<f64> = drifts.filter(|drift| *drift > precision).collect();
        let by = sign * median(&large)?;
        let is_most = large.len() as f64 > SAME_DIRECTION * all as f64;
        is_most.then_some(Reason::Unsteady { by, trials: large.len(), all })
    })
}

/// What tasks that share a CPU cost depends on who else waits for it, also in batches during which nobody else ran.
fn contended(selection: &Selection<'_>, quota: QuotaUse) -> Option<Reason> {
    let history = selection.history;
    history.point.gate.cpu_share.filter(|_| shares_a_cpu(&history.point))?;
    let lost = selection.summaries.iter().map(|summary| summary.trial.lost);
    // A short trial meets others or not; what it costs beside them is the same in both.
    let lost = stats::spread::mean(lost).filter(|lost| *lost > OTHER_TASKS_SHARE)?;
    // Nobody else had the CPU while a quota kept the run from it.
    Some(match quota {
        QuotaUse { throttled: 0, .. } => Reason::OtherTasks(lost),
        QuotaUse { throttled, periods } => Reason::Throttled { share: lost, throttled, periods },
    })
}

/// What serves a task that sleeps waits for a CPU beside other programs. A median is that of quiet trials while few are not.
fn beside_programs(selection: &Selection<'_>) -> Option<Reason> {
    let beside =
        selection.beside.filter(|beside| !beside.are_left_out && beside.share > BESIDE_PROGRAMS_SHARE);
    beside.map(|beside| Reason::BesidePrograms(beside.share))
}

/// Whether the point counts switches, or says that its tasks have one CPU.
fn shares_a_cpu(point: &PlannedPoint) -> bool {
    let mut witnesses = point.witnesses.iter();
    witnesses.any(|witness| witness.counter == "switches" && witness.low > 0.0)
        || point.id.parameter("cpu") == Some("same")
}

fn disturbed(history: &History) -> Option<Reason> {
    let share = history.disturbed as f64 / history.batches_in_all as f64;
    (share > EXCLUDED_SHARE).then(|| Reason::SetAside(share, main_cause(history)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::estimates::trial_states::TrialStates;
    use crate::rows::failure::Failure;
    use crate::samples::summary::TrialSamples;
    use crate::samples::tests::kept_of_values;
    use record::{Gate, PointId, Witness};

    #[test]
    fn a_median_is_between_states_that_hold_a_quarter_each_and_differ_by_more_than_the_precision() {
        for (modes, expected) in [
            (&[(5.25, 0.25), (4.0, 0.75)][..], true),
            (&[(4.0, 0.75), (5.0, 0.25)], false),
            (&[(4.0, 0.75), (4.5, 0.25)], false),
            (&[(4.0, 0.76), (8.0, 0.24)], false),
            (&[(4.0, 0.4), (4.5, 0.3), (5.25, 0.3)], true),
            (&[(4.0, 1.0)], false),
            (&[], false),
        ] {
            let modes: Vec<Mode> = modes.iter().map(|&(at, share)| Mode { at, share }).collect();
            assert_eq!(is_between_states(&modes, 0.25), expected, "{modes:?}");
        }
    }

    #[test]
    fn a_point_without_trials_is_failed_before_contradicted_and_contradicted_before_skipped() {
        let unmet = Reason::Unmet("need".to_owned(), Some("help".to_owned()));
        let every = Reason::EveryTrial(vec![Cause::InvoluntarySwitch]);
        for ((failures, skips, doubted), verdict, reason) in [
            ((2, 3, 4), Verdict::Failed, Reason::Failed(Failure::Escaped, 2, 9)),
            ((0, 3, 0), Verdict::Skipped, unmet),
            ((0, 3, 1), Verdict::Contradicted, every.clone()),
            ((0, 0, 1), Verdict::Contradicted, every),
            ((0, 0, 0), Verdict::Skipped, Reason::NotTried),
        ] {
            let mut history = History { doubted, remedy: Some("help".to_owned()), ..History::default() };
            history.failures.add(Failure::Escaped, failures);
            history.skips.add("need".to_owned(), skips);
            history.set_aside.add(Cause::InvoluntarySwitch, doubted);
            let expected = Some((verdict, vec![reason]));
            assert_eq!(no_usable_trial(&history), expected, "{failures} {skips} {doubted}");
        }
        assert_eq!(no_usable_trial(&History { starved: 1, ..History::default() }), None);
        let trials = vec![kept_of_values(1, &[1.0])];
        assert_eq!(no_usable_trial(&History { trials, ..History::default() }), None);
    }

    #[test]
    fn value_that_at_most_half_of_the_trials_found_is_skipped() {
        for (estimator, found, needs, is_skipped) in [
            (Estimator::Values, 1, &[("no further level", 4)][..], true),
            (Estimator::Values, 3, &[("no further level", 3)], true),
            // Whatever each of the others lacked.
            (Estimator::Values, 3, &[("above 40 GB/s", 2), ("above 30 GB/s", 1)], true),
            (Estimator::Values, 3, &[("no further level", 2)], false),
            (Estimator::Values, 3, &[], false),
            (Estimator::Slope, 1, &[("no space", 4)], false),
        ] {
            let kept = (1..=found).map(|round| kept_of_values(round, &[1.0])).collect();
            let mut history = History { trials: kept, ..History::default() };
            history.point.estimator = estimator;
            needs.iter().for_each(|(need, trials)| history.skips.add((*need).to_owned(), *trials));
            let (all, trials) = (history.attempts(), history.skips.total());
            let skipped = needs.first().filter(|_| is_skipped).map(|(need, _)| {
                let need = (*need).to_owned();
                (Verdict::Skipped, vec![Reason::Lost { need, remedy: None, trials, all }])
            });
            assert_eq!(found_by_few(&history), skipped, "{found} {needs:?}");
        }
    }

    #[test]
    fn an_interval_as_wide_as_the_precision_is_narrow_enough() {
        let wide = Reason::TooWide { half: 0.375, precision: 0.25 };
        for (interval, expected) in [(Some((3.0, 5.0)), None), (Some((2.0, 5.0)), Some(wide)), (None, None)] {
            let interval = interval.map(|(low, high)| stats::interval::Interval::at_level(low, high, 0.95));
            let estimate = Estimate { typical: 4.0, interval, ..Estimate::default() };
            assert_eq!(too_wide(&estimate, 0.25), expected);
        }
    }

    fn summaries<'t>(kept: &'t TrialSamples, drifts: &[Option<f64>]) -> Vec<Summary<'t>> {
        let whole = kept.summary(|_, _| true).unwrap();
        drifts.iter().map(|&drift| Summary { drift, ..whole.clone() }).collect()
    }

    #[test]
    fn trials_are_unsteady_where_more_than_half_drift_the_same_way_by_more_than_the_precision() {
        let kept = kept_of_values(1, &[1.0]);
        for (drifts, without, expected) in [
            (&[0.5, 0.75, 0.625][..], 2, Some((0.625, 3))),
            (&[-0.5, -0.75, -0.625], 2, Some((-0.625, 3))),
            // Half of the trials, at the precision itself, or in both directions.
            (&[0.5, 0.5], 2, None),
            (&[0.25, 0.25, 0.25], 0, None),
            (&[0.5, 0.5, 0.25, 0.25], 0, None),
            (&[-0.5, 0.5], 0, None),
            (&[0.5, 0.5, -0.5], 0, Some((0.5, 2))),
            (&[], 3, None),
        ] {
            let all = drifts.len() + without;
            let mut of_trials: Vec<Option<f64>> = drifts.iter().copied().map(Some).collect();
            of_trials.resize(all, None);
            let expected = expected.map(|(by, trials)| Reason::Unsteady { by, trials, all });
            assert_eq!(unsteady(&summaries(&kept, &of_trials), 0.25), expected, "{drifts:?} {without}");
        }
    }

    fn witness(counter: &str, low: f64) -> Witness {
        Witness { counter: counter.to_owned(), low, high: 9.0, ..Witness::default() }
    }

    #[test]
    fn tasks_share_a_cpu_where_switches_are_expected_or_the_point_says_so() {
        for (parameters, counter, low, expected) in [
            ("", "switches", 0.5, true),
            ("", "switches", 0.0, false),
            ("", "answers", 0.5, false),
            ("cpu=same", "answers", 0.5, true),
            ("cpu=other", "answers", 0.5, false),
        ] {
            let witnesses = vec![witness(counter, low)];
            let point = PlannedPoint { witnesses, ..PlannedPoint::new(PointId::new("a.b", parameters)) };
            assert_eq!(shares_a_cpu(&point), expected, "{parameters} {counter} {low}");
        }
    }

    #[test]
    fn other_tasks_may_have_a_shared_cpu_for_a_twentieth_of_the_time() {
        let throttled_reason = Reason::Throttled { share: 0.0625, throttled: 3, periods: 9 };
        for (lost, parameters, cpu_share, throttled, expected) in [
            (0.05, "cpu=same", Some(0.97), 1, None),
            (0.0625, "cpu=same", Some(0.97), 0, Some(Reason::OtherTasks(0.0625))),
            (0.0625, "cpu=same", Some(0.97), 3, Some(throttled_reason)),
            (0.0625, "cpu=other", Some(0.97), 0, None),
            (0.0625, "cpu=same", None, 0, None),
        ] {
            let gate = Gate { cpu_share, ..Gate::default() };
            let point = PlannedPoint { gate, ..PlannedPoint::new(PointId::new("a.b", parameters)) };
            let history = History { point, ..History::default() };
            let mut kept = kept_of_values(1, &[1.0]);
            kept.lost = lost;
            let selection = Selection {
                history: &history,
                summaries: summaries(&kept, &[None]),
                core: None,
                carried: None,
                states: TrialStates::default(),
                idle: Vec::new(),
                placements: Vec::new(),
                beside: None,
                change: None,
            };
            let found = contended(&selection, QuotaUse { throttled, periods: 9 });
            assert_eq!(found, expected, "{lost} {parameters} {cpu_share:?} {throttled}");
        }
    }

    #[test]
    fn three_quarters_of_the_batches_may_be_set_aside() {
        let reason = Reason::SetAside(0.875, Some(Cause::Adjacent));
        for (batches, expected) in [(6, None), (7, Some(reason))] {
            let mut history = History { disturbed: batches, batches_in_all: 8, ..History::default() };
            history.set_aside.add(Cause::Adjacent, 1);
            assert_eq!(disturbed(&history), expected);
        }
    }
}
