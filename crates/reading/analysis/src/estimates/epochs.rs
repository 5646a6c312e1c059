//! Epochs: the trials of a point early in a run, and those with which it was tried again at the end.
//!
//! What a host shares out changes for seconds to minutes: its disk, its last-level cache. A point that was narrow after ten
//! seconds has seen one such state. It is tried again late; where late and early trials do not agree, its value holds for
//! neither time, and its interval covers both.

use crate::rows::epoch::{Epoch, EpochChange};
use crate::samples::summary::Summary;
use crate::thresholds::{EPOCH_PAUSE, LEAST_EPOCH_CHANGE, LEAST_TRIALS, STOPPING_COVERAGE};
use stats::order::median;
use stats::shift::shift;

/// The change from the trials before the longest pause to those after, where they do not agree.
pub(crate) fn change(summaries: &[Summary<'_>]) -> Option<EpochChange> {
    let mut trials: Vec<(u64, f64)> =
        summaries.iter().map(|summary| (summary.trial.started_ns, summary.value.typical)).collect();
    trials.sort_by_key(|(started_ns, _)| *started_ns);
    let span = trials.last()?.0 - trials.first()?.0;
    let pauses = trials.windows(2).map(|pair| pair[1].0 - pair[0].0);
    let (at, longest) = pauses.enumerate().max_by_key(|(_, pause)| *pause)?;
    if span == 0 || (longest as f64) < EPOCH_PAUSE * span as f64 {
        return None;
    }
    let (early, late) = trials.split_at(at + 1);
    differ(&values(early), &values(late)).then_some(())?;
    let change = EpochChange { early: epoch(early)?, late: epoch(late)? };
    let by = (change.late.typical - change.early.typical).abs();
    (by >= LEAST_EPOCH_CHANGE * change.early.typical.abs()).then_some(change)
}

fn values(trials: &[(u64, f64)]) -> Vec<f64> {
    trials.iter().map(|(_, value)| *value).collect()
}

fn epoch(trials: &[(u64, f64)]) -> Option<Epoch> {
    Some(Epoch {
        typical: median(values(trials))?,
        from_ns: trials.first()?.0,
        until_ns: trials.last()?.0,
        trials: trials.len(),
    })
}

/// Whether two epochs differ. Few trials do when their median lies outside of all others: then more are made, which tell.
fn differ(early: &[f64], late: &[f64]) -> bool {
    let (few, many) = if early.len() < late.len() { (early, late) } else { (late, early) };
    if few.len() >= LEAST_TRIALS {
        return shift(early, late, STOPPING_COVERAGE)
            .is_some_and(|shift| shift.low > 0.0 || shift.high < 0.0);
    }
    let lowest = many.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = many.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    many.len() >= LEAST_TRIALS && median(few).is_some_and(|median| median < lowest || median > highest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::summary::TrialSamples;
    use crate::samples::summary::tests::kept;

    const SECOND: u64 = 1_000_000_000;

    /// The change over trials at these seconds with these values.
    fn change_of(trials: &[(u64, f64)]) -> Option<EpochChange> {
        let trials: Vec<TrialSamples> = trials
            .iter()
            .zip(1..)
            .map(|((second, value), round)| {
                let mut trial = kept(round, &[*value; 3]);
                trial.started_ns = second * SECOND;
                trial
            })
            .collect();
        let summaries: Vec<Summary<'_>> =
            trials.iter().filter_map(|trial| trial.summary(|_, _| true)).collect();
        change(&summaries)
    }

    /// Trials a second apart from this second on, around this value.
    fn around(second: u64, value: f64, count: u64) -> Vec<(u64, f64)> {
        (0..count).map(|at| (second + at, value * (1.0 + 0.001 * (at % 4) as f64))).collect()
    }

    #[test]
    fn a_state_that_changed_while_the_point_was_not_tried_is_named_with_its_times() {
        let trials = [around(0, 47.5, 12), around(50, 38.2, 6)].concat();
        let change = change_of(&trials).unwrap();
        assert_eq!((change.early.from_ns, change.early.until_ns), (0, 11 * SECOND));
        assert_eq!((change.late.from_ns, change.late.until_ns), (50 * SECOND, 55 * SECOND));
        assert_eq!((change.early.trials, change.late.trials), (12, 6));
        assert!((change.early.typical - 47.5).abs() < 0.2 && (change.late.typical - 38.2).abs() < 0.2);
    }

    #[test]
    fn one_late_trial_outside_of_all_early_ones_differs_until_more_agree() {
        let early = around(0, 40.0, 12);
        assert!(change_of(&[early.clone(), vec![(50, 41.0)]].concat()).is_some());
        assert!(change_of(&[early.clone(), vec![(50, 40.06)]].concat()).is_none());
        assert!(change_of(&[early, vec![(50, 41.0)], around(51, 40.0, 6)].concat()).is_none());
    }

    #[test]
    fn a_change_that_no_reader_could_see_is_none() {
        let early = around(0, 40.0, 12);
        assert!(change_of(&[early.clone(), vec![(50, 40.2)]].concat()).is_none());
        assert!(change_of(&[early, vec![(50, 40.3)]].concat()).is_some());
    }

    #[test]
    fn trials_over_the_whole_run_are_one_epoch() {
        let drifting: Vec<(u64, f64)> = (0..20).map(|at| (at, 40.0 + at as f64)).collect();
        assert_eq!(change_of(&drifting), None);
        assert_eq!(change_of(&[(0, 40.0), (9, 50.0)]), None);
        assert_eq!(change_of(&[[(0, 40.0); 7].as_slice(), &[(0, 50.0)]].concat()), None);
        assert_eq!(change_of(&[]), None);
    }
}
