//! Trials of tasks that sleep, while other programs used a CPU.
//!
//! A batch without its CPU shows in its CPU time, and is set aside. Whoever waits for a device or for another task has no
//! CPU by itself; on a CPU that others use, the threads of the kernel that serve it wait for their turn, up to a tick (4 ms for
//! an fsync of 75 µs). Where most CPUs are idle, they get one of those.

use crate::rows::beside::BesidePrograms;
use crate::samples::summary::Summary;
use crate::thresholds::{BUSY_CPUS_SHARE, LEAST_TRIALS};
use record::{Disturbance, DisturbanceKind};
use stats::order::median;

/// Keeps the trials that no other program disturbed, where there are enough for an interval. Gives what is said of the
/// disturbed ones; `None` where there are none.
pub(crate) fn keep_undisturbed(
    summaries: &mut Vec<Summary<'_>>,
    disturbances: &[Disturbance],
    cpus: f64,
) -> Option<BesidePrograms> {
    let is_beside = |summary: &Summary<'_>| {
        let trial = summary.trial;
        let used = disturbances.iter().filter_map(|one| used_at(one, trial.started_ns));
        let (mut sum, mut on_its_cpu) = (0.0, false);
        for (cpu, share) in used {
            sum += share;
            on_its_cpu |= cpu.is_some_and(|cpu| trial.cpus.contains(&Some(cpu)));
        }
        on_its_cpu || sum >= BUSY_CPUS_SHARE * cpus
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

/// The CPU that another program used at a moment, where it is known, and the share of it.
fn used_at(disturbance: &Disturbance, at_ns: u64) -> Option<(Option<u32>, f64)> {
    match disturbance.kind {
        DisturbanceKind::OtherProgram { cpu, share, .. } => {
            (disturbance.from_ns..=disturbance.to_ns).contains(&at_ns).then_some((cpu, share))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::summary::TrialSamples;
    use crate::samples::summary::tests::kept;

    /// What is said, and the values that are kept, of trials on CPU 1 at these seconds with these values, while another program
    /// used nine tenths of this CPU from 10 to 20 s.
    fn beside_on(cpu: Option<u32>, cpus: f64, trials: &[(u64, f64)]) -> (Option<BesidePrograms>, Vec<f64>) {
        let (from, to) = (String::new(), String::new());
        let reading = |kind, second: u64| Disturbance {
            from_ns: second * 1_000_000_000,
            to_ns: (second + 10) * 1_000_000_000,
            from: from.clone(),
            to: to.clone(),
            kind,
        };
        let program = DisturbanceKind::OtherProgram { cpu, share: 0.9, name: None };
        let stolen = DisturbanceKind::Stolen { cpu: 0, share: 0.9 };
        let disturbances = [reading(program, 10), reading(stolen, 30)];
        let trials: Vec<TrialSamples> = trials
            .iter()
            .map(|&(second, value)| {
                let mut trial = kept(1, &[value; 3]);
                trial.started_ns = second * 1_000_000_000;
                trial.cpus[0] = Some(1);
                trial
            })
            .collect();
        let mut summaries = trials.iter().filter_map(|trial| trial.summary(|_, _| true)).collect();
        let found = keep_undisturbed(&mut summaries, &disturbances, cpus);
        (found, summaries.iter().map(|summary| summary.value.typical).collect())
    }

    fn beside(trials: &[(u64, f64)]) -> (Option<BesidePrograms>, Vec<f64>) {
        beside_on(None, 2.0, trials)
    }

    #[test]
    fn a_busy_cpu_of_many_disturbs_who_is_on_it() {
        let trials = [(12, 4000.0), (30, 75.0)];
        for (cpu, cpus, expected) in
            [(Some(1), 64.0, true), (Some(0), 64.0, false), (None, 64.0, false), (Some(0), 2.0, true)]
        {
            assert_eq!(beside_on(cpu, cpus, &trials).0.is_some(), expected, "{cpu:?} {cpus}");
        }
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
