//! Trials of tasks that sleep, while other programs used a CPU.
//!
//! A batch without its CPU shows in its CPU time, and is set aside. Whoever waits for a device or for another task has no
//! CPU by itself; on a CPU that others use, the threads of the kernel that serve it wait for their turn, up to a tick (4 ms for
//! an fsync of 75 µs).

use crate::rows::beside::BesidePrograms;
use crate::samples::summary::Summary;
use crate::thresholds::LEAST_TRIALS;
use record::{Disturbance, DisturbanceKind};
use stats::order::median;

/// Keeps the trials that no other program disturbed, where there are enough for an interval. Gives what is said of the
/// disturbed ones; `None` where there are none.
pub(crate) fn keep_undisturbed(
    summaries: &mut Vec<Summary<'_>>,
    disturbances: &[Disturbance],
) -> Option<BesidePrograms> {
    let programs: Vec<&Disturbance> =
        disturbances.iter().filter(|one| matches!(one.kind, DisturbanceKind::OtherProgram { .. })).collect();
    let is_beside = |summary: &Summary<'_>| {
        let began = summary.trial.started_ns;
        programs.iter().any(|program| (program.from_ns..=program.to_ns).contains(&began))
    };
    let beside: Vec<f64> =
        summaries.iter().filter(|summary| is_beside(summary)).map(|summary| summary.value.typical).collect();
    let found = BesidePrograms {
        at: median(&beside)?,
        share: beside.len() as f64 / summaries.len() as f64,
        are_left_out: summaries.len() - beside.len() >= LEAST_TRIALS,
    };
    if found.are_left_out {
        summaries.retain(|summary| !is_beside(summary));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::summary::TrialSamples;
    use crate::samples::summary::tests::kept;

    /// What is said, and the values that are kept, of trials at these seconds with these values, while another program used a
    /// CPU from 10 to 20 s.
    fn beside(trials: &[(u64, f64)]) -> (Option<BesidePrograms>, Vec<f64>) {
        let (from, to) = (String::new(), String::new());
        let reading = |kind, second: u64| Disturbance {
            from_ns: second * 1_000_000_000,
            to_ns: (second + 10) * 1_000_000_000,
            from: from.clone(),
            to: to.clone(),
            kind,
        };
        let program = DisturbanceKind::OtherProgram { cpu: None, share: 0.9, name: None };
        let stolen = DisturbanceKind::Stolen { cpu: 0, share: 0.9 };
        let disturbances = [reading(program, 10), reading(stolen, 30)];
        let trials: Vec<TrialSamples> = trials
            .iter()
            .map(|&(second, value)| {
                let mut trial = kept(1, &[value; 3]);
                trial.started_ns = second * 1_000_000_000;
                trial
            })
            .collect();
        let mut summaries = trials.iter().filter_map(|trial| trial.summary(|_, _| true)).collect();
        let found = keep_undisturbed(&mut summaries, &disturbances);
        (found, summaries.iter().map(|summary| summary.value.typical).collect())
    }

    #[test]
    fn trials_beside_other_programs_are_left_out_where_the_others_are_enough() {
        let quiet = (30..36).map(|second| (second, 75.0));
        let (found, kept) = beside(&quiet.chain([(12, 4000.0), (19, 3900.0)]).collect::<Vec<_>>());
        let expected = BesidePrograms { at: 3950.0, share: 0.25, are_left_out: true };
        assert_eq!((found, kept), (Some(expected), vec![75.0; 6]));
    }

    #[test]
    fn they_stay_where_too_few_others_are_left() {
        let quiet = (30..35).map(|second| (second, 75.0));
        let (found, kept) = beside(&quiet.chain([(12, 4000.0)]).collect::<Vec<_>>());
        assert!(found.is_some_and(|found| !found.are_left_out));
        assert_eq!(kept.len(), 6);
        assert_eq!(beside(&[(5, 75.0), (30, 75.0)]).0, None);
    }
}
