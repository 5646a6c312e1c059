//! Remarks on a row that do not change its verdict: the shape of its samples and of its trials.

use crate::estimates::selection::Selection;
use crate::evidence::history::History;
use crate::rows::distribution::Distribution;
use crate::rows::idle_state::{IdleShare, IdleState};
use crate::rows::note::Note;
use crate::rows::row::Judged;
use crate::samples::steady_state;
use crate::samples::summary::Summary;
use crate::thresholds::{BETWEEN_PROCESSES, COARSE_STEP, OPTIONAL_SWITCHES, OTHER_SWITCHES, SKEW};
use crate::verdicts::bottleneck::bottleneck;
use stats::modes::{self, Mode};
use stats::order::median;
use stats::spread;

/// Samples from which modes are read, over all trials.
const MOST_SAMPLES: usize = 4096;
/// Ratio of the standard error of a median to that of a mean, normal distribution: √(π/2).
const MEDIAN_ERROR: f64 = 1.253;

/// The distribution of the samples of a point, and their peaks where there are several.
pub(crate) fn shape(selection: &Selection<'_>) -> (Option<Distribution>, Vec<Mode>) {
    let summaries = &selection.summaries;
    let resolution = summaries.iter().map(Summary::resolution).fold(0.0, f64::max);
    let all: Vec<f64> = summaries.iter().flat_map(|summary| summary.samples.iter().copied()).collect();
    let distribution = Distribution::from_samples(&all, resolution);
    let states = &selection.states;
    if !states.are_apart && !states.modes.is_empty() {
        // The states of processes show better in their medians than in all of their samples.
        return (distribution, states.modes.clone());
    }
    let modes = modes::modes(&same_number(summaries), resolution);
    (distribution, if modes.len() < 2 { Vec::new() } else { modes })
}

/// Remarks on a point that has a number; of others the verdict says enough.
pub(crate) fn remarks(
    selection: &Selection<'_>,
    typical: f64,
    witnesses: &[Judged],
    precision: f64,
) -> Vec<Note> {
    let (summaries, history) = (&selection.summaries, selection.history);
    let shares = [
        drift_over_run(summaries, precision),
        between_processes(summaries, typical, precision),
        skewed(summaries),
    ];
    let of_samples = [
        coarse_clock(summaries),
        unpinned(summaries),
        history.point.on_cached_loop.then_some(Note::CachedLoop),
        selection.states.are_apart.then(|| Note::States(selection.states.modes.clone())),
        has_slept(&selection.idle).then(|| Note::Idle(selection.idle.clone())),
        (selection.placements.len() > 1).then(|| Note::Placements(selection.placements.clone())),
        selection.beside.filter(|beside| beside.are_left_out).map(Note::BesidePrograms),
        selection.change.map(Note::Change),
        switches(witnesses),
        bottleneck(&history.point, witnesses),
    ];
    let shares = shares.into_iter().filter(|_| !is_near_zero(summaries));
    shares.chain(of_samples).flatten().chain(gave_nothing(history)).collect()
}

/// Whether the value is as near to zero as its samples vary, as a difference of two times may be: nothing is a share of it.
fn is_near_zero(summaries: &[Summary<'_>]) -> bool {
    let near = summaries.iter().filter(|summary| summary.value.typical <= summary.deviation).count();
    2 * near > summaries.len()
}

/// The same number of samples of each trial, evenly from all of them: a value is that of trials, and those of a fast state have
/// many times the samples of a slow one in the same time.
fn same_number(summaries: &[Summary<'_>]) -> Vec<f64> {
    let usual = median(summaries.iter().map(|summary| summary.samples.len() as f64)).unwrap_or_default();
    let each = (usual as usize).min(MOST_SAMPLES / summaries.len().max(1)).max(1);
    let of_trial = |samples: &[f64]| -> Vec<f64> {
        let places = (0..each).map(|nth| (2 * nth + 1) * samples.len() / (2 * each));
        places.filter_map(|place| samples.get(place).copied()).collect()
    };
    summaries.iter().flat_map(|summary| of_trial(&summary.samples)).collect()
}

fn coarse_clock(summaries: &[Summary<'_>]) -> Option<Note> {
    let steps: Vec<f64> = summaries.iter().filter_map(|summary| Some(summary.trial.step?.share)).collect();
    let step = median(&steps).filter(|step| 2 * steps.len() > summaries.len() && *step > COARSE_STEP)?;
    Some(Note::Clock(step))
}

fn drift_over_run(summaries: &[Summary<'_>], precision: f64) -> Option<Note> {
    let mut values: Vec<_> = summaries.iter().map(|summary| summary.value).collect();
    values.sort_by_key(|value| value.round);
    let course: Vec<f64> = values.iter().map(|value| value.typical).collect();
    let share = steady_state::risen(&course)? / median(&course)?.abs();
    (share.abs() > precision).then_some(Note::Drift(share))
}

/// Whether between-process variance exceeds within-process variance.
fn between_processes(summaries: &[Summary<'_>], typical: f64, precision: f64) -> Option<Note> {
    let normal = spread::NORMAL_FROM_MEDIAN_DEVIATION;
    let medians = summaries.iter().map(|summary| summary.value.typical);
    let between = normal * spread::median_deviation(medians).filter(|_| summaries.len() >= 6)?;
    let within: Vec<f64> = summaries.iter().map(|summary| normal * summary.deviation).collect();
    let samples = summaries.iter().map(|summary| summary.samples.len() as f64);
    let errors = within.iter().zip(samples).map(|(within, samples)| MEDIAN_ERROR * within / samples.sqrt());
    let usual_error = median(errors)?;
    (between > BETWEEN_PROCESSES * usual_error && between > typical.abs() * precision).then(|| {
        Note::Between {
            between: between / typical.abs(),
            within: median(&within).unwrap_or_default() / typical.abs(),
        }
    })
}

/// Whether the CPUs of hand-offs slept in some trials. Where they never do, they poll, run other tasks, or nobody is woken.
fn has_slept(states: &[IdleShare]) -> bool {
    states.iter().any(|share| share.state != IdleState::Polls)
}

fn skewed(summaries: &[Summary<'_>]) -> Option<Note> {
    let skew = median(summaries.iter().map(|summary| summary.mean / summary.value.typical - 1.0));
    let skew = skew.filter(|skew| skew.is_finite() && skew.abs() > SKEW)?;
    Some(Note::Skew(skew))
}

fn unpinned(summaries: &[Summary<'_>]) -> Option<Note> {
    let free = summaries.iter().filter(|summary| !summary.trial.pinned).count();
    (free > 0).then_some(Note::Unpinned(free, summaries.len()))
}

/// Another count of switches than the least whole one that is allowed: a hand-off that finds its peer still
/// awake needs none.
fn switches(witnesses: &[Judged]) -> Option<Note> {
    let judged = witnesses.iter().find(|judged| {
        let witness = &judged.witness;
        witness.counter == "switches" && witness.positive && witness.high > OPTIONAL_SWITCHES * witness.low
    })?;
    // Half a switch is a fourth of those of a round trip between CPUs, where each side sleeps once unless it is still awake.
    let low = judged.witness.low;
    let (counted, expected) = (judged.counted?, if low <= 0.5 { 2.0 } else { low.ceil() });
    ((counted - expected).abs() > OTHER_SWITCHES * expected).then_some(Note::Switches { counted, expected })
}

fn gave_nothing(history: &History) -> Vec<Note> {
    let all = history.attempts();
    let failed = history.failures.most();
    let skipped = history.skips.most();
    let starved = 2 * history.starved > all;
    let found = [
        failed.map(|(failure, trials)| Note::Failed(trials, all, failure.clone())),
        skipped.map(|(reason, trials)| Note::Skipped(trials, all, reason.clone())),
        starved.then_some(Note::Starved(history.starved, all)),
    ];
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rows::row::TrialValue;
    use crate::samples::summary::TrialSamples;
    use crate::samples::summary::tests::{kept, kept_with_step};
    use record::Witness;

    fn summaries(trials: &[TrialSamples]) -> Vec<Summary<'_>> {
        trials.iter().filter_map(|trial| trial.summary(|_, _| true)).collect()
    }

    /// A sync took 88 µs in some processes and 3.2 ms in others: in the same time the former had 36 times the samples, and the
    /// state of the fewer trials seemed the more frequent.
    #[test]
    fn shares_of_states_are_those_of_trials() {
        let around = |at: f64, count: u32| -> Vec<f64> {
            (0..count).map(|nth| at * (1.0 + 0.01 * f64::from(nth % 7))).collect()
        };
        let fast = (1..=4).map(|round| kept(round, &around(88.0, 360)));
        let slow = (5..=10).map(|round| kept(round, &around(3_200.0, 10)));
        let all: Vec<TrialSamples> = fast.chain(slow).collect();
        let shares = modes::modes(&same_number(&summaries(&all)), 0.0);
        let shares: Vec<f64> = shares.iter().map(|mode| (mode.share * 10.0).round()).collect();
        assert_eq!(shares, [4.0, 6.0]);
    }

    #[test]
    fn a_step_above_half_a_percent_in_most_trials_is_a_coarse_clock() {
        for (steps, trials, expected) in [
            (vec![0.006; 3], 5, Some(0.006)),
            (vec![0.006; 5], 9, Some(0.006)),
            (vec![0.006; 2], 4, None),
            (vec![0.006], 2, None),
            (vec![0.004, 0.006, 0.008], 3, Some(0.006)),
            (vec![COARSE_STEP; 3], 3, None),
        ] {
            let all: Vec<TrialSamples> =
                (0..trials).map(|at| kept_with_step(steps.get(at).copied(), &[10.0])).collect();
            assert_eq!(coarse_clock(&summaries(&all)), expected.map(Note::Clock), "{steps:?} of {trials}");
        }
    }

    #[test]
    fn a_drift_is_larger_than_the_precision_in_the_order_of_rounds() {
        // From 96 to 104 around 100, or back.
        for (change, precision, expected) in
            [(1.0, 0.08, None), (1.0, 0.079, Some(0.08)), (-1.0, 0.079, Some(-0.08))]
        {
            let all: Vec<TrialSamples> = (1..=9)
                .rev()
                .map(|round| kept(round, &[100.0 + change * (f64::from(round) - 5.0)]))
                .collect();
            assert_eq!(drift_over_run(&summaries(&all), precision), expected.map(Note::Drift));
        }
    }

    #[test]
    fn processes_differ_where_their_spread_is_above_three_errors_and_the_precision() {
        let normal = spread::NORMAL_FROM_MEDIAN_DEVIATION;
        let trial = kept(1, &[0.0; 9]);
        let summary = Summary { deviation: 1.0, ..trial.summary(|_, _| true).unwrap() };
        for (count, off, precision, differs) in [
            // Of nine samples, three standard errors of a median are those of a mean of one.
            (6, MEDIAN_ERROR, 0.0, false),
            (6, 1.2, 0.0, false),
            (6, 2.0, 0.0, true),
            (5, 2.0, 0.0, false),
            (6, 2.0, normal * 2.0 / 4.0, false),
            (6, 2.0, normal * 1.99 / 4.0, true),
        ] {
            let medians = [off, -off].into_iter().cycle().take(count);
            let summaries: Vec<Summary<'_>> = medians
                .map(|typical| Summary { value: TrialValue { typical, ..summary.value }, ..summary.clone() })
                .collect();
            let note = Note::Between { between: normal * off / 4.0, within: normal / 4.0 };
            let found = between_processes(&summaries, -4.0, precision);
            assert_eq!(found, differs.then_some(note), "{count} {off} {precision}");
        }
    }

    #[test]
    fn switches_are_worth_a_remark_where_many_may_be_and_others_were() {
        for (low, high, counted, expected) in [
            (50.0, 100.0, 51.0, None),
            (50.0, 100.0, 52.0, Some(50.0)),
            (50.0, 100.0, 49.0, None),
            (50.0, 100.0, 48.0, Some(50.0)),
            (2.0, 3.0, 4.0, None),
            (2.0, 3.2, 4.0, Some(2.0)),
            (1.5, 3.2, 4.0, Some(2.0)),
            (0.5, 4.5, 2.01, None),
            (0.5, 4.5, 1.5, Some(2.0)),
        ] {
            let counter = "switches".to_owned();
            let witness = Witness { counter, low, high, positive: true, ..Witness::default() };
            let judged = Judged { witness, counted: Some(counted), ..Judged::default() };
            let expected = expected.map(|expected| Note::Switches { counted, expected });
            assert_eq!(switches(&[judged]), expected, "{counted} of {low} to {high}");
        }
    }

    #[test]
    fn more_than_half_of_the_trials_without_enough_batches_are_a_remark() {
        for (starved, expected) in [(2, vec![]), (3, vec![Note::Starved(3, 5)])] {
            let trials = vec![kept(1, &[10.0]); 2];
            assert_eq!(gave_nothing(&History { trials, starved, ..History::default() }), expected);
        }
    }
}
