//! What sets batches aside: named causes, never values.

use crate::simulated::{counted, point, row_of, witness};
use analysis::{Cause, CoreState, Note, Reason, Row, Verdict};
use record::{Gate, PlannedPoint};

fn gated(gate: Gate) -> PlannedPoint {
    PlannedPoint { gate, ..point("target", "") }
}

const OPEN: Gate = Gate { cpu_share: None, involuntary: false, shared_core: None };

fn set_aside(row: &Row) -> Vec<(Cause, usize)> {
    row.set_aside.iter().map(|aside| (aside.cause.clone(), aside.batches)).collect()
}

#[test]
fn batch_without_cpu_discards_its_triple() {
    let row = row_of(point("target", ""), 8, |trial| {
        trial.series[0].ticks[4] *= 3;
    });
    assert_eq!(set_aside(&row), [(Cause::CpuShare(0.97), 8), (Cause::Adjacent, 16)]);
    assert_eq!(row.estimate.unwrap().batches, 8 * 117);
    assert_eq!(row.verdict, Verdict::Measured);
}

#[test]
fn cost_of_reading_cpu_time_is_subtracted() {
    // 50 µs of 80 µs, hidden by what reading adds.
    let row = row_of(point("target", ""), 8, |trial| {
        trial.cpu_cost_ns = 1e6;
        trial.series[0].cpu_ns.iter_mut().for_each(|cpu_ns| *cpu_ns += 1_000_000 - 200);
        trial.series[0].ticks[4] *= 3;
    });
    assert_eq!(set_aside(&row)[0], (Cause::CpuShare(0.97), 8));
}

#[test]
fn without_cpu_time_or_without_the_gate_nothing_is_set_aside() {
    let unread = row_of(point("target", ""), 8, |trial| {
        trial.series[0].cpu_ns.clear();
        trial.series[0].ticks[4] *= 3;
    });
    let open = row_of(gated(OPEN), 8, |trial| trial.series[0].ticks[4] *= 3);
    assert_eq!((set_aside(&unread), set_aside(&open)), (Vec::new(), Vec::new()));
}

#[test]
fn involuntary_switches_count_only_where_declared() {
    let preempt = |trial: &mut record::Trial| {
        trial.series[0].involuntary = vec![0; 120];
        trial.series[0].involuntary[0] = 1;
    };
    let declared = row_of(gated(Gate { involuntary: true, ..OPEN }), 8, preempt);
    assert_eq!(set_aside(&declared), [(Cause::InvoluntarySwitch, 8), (Cause::Adjacent, 16)]);
    assert!(set_aside(&row_of(gated(OPEN), 8, preempt)).is_empty());
}

#[test]
fn switches_are_noisy_where_others_had_the_cpu_between_the_batches() {
    let beside = |lost: f64| {
        let mut planned = point("target", "");
        planned.witnesses.push(witness("switches", 1.0, 3.0));
        row_of(planned, 12, move |trial| {
            trial.evidence.push(counted("switches", 2.0));
            // A short trial has the CPU to itself, or not.
            let of_trial = if trial.round % 3 == 0 { 3.0 * lost } else { 0.0 };
            trial.evidence.push(counted("cpu.lost", of_trial));
        })
    };
    let row = beside(0.06);
    assert_eq!(row.verdict, Verdict::Noisy);
    let [Reason::OtherTasks(lost)] = row.reasons[..] else { panic!("{:?}", row.reasons) };
    assert!((lost - 0.06).abs() < 0.001, "{lost}");
    assert_eq!(beside(0.03).verdict, Verdict::Measured);
    let uncounted = |parameters: &str| {
        row_of(point("target", parameters), 12, |trial| {
            trial.evidence.push(counted("cpu.lost", 0.45));
        })
    };
    assert_eq!(uncounted("").verdict, Verdict::Measured);
    assert_eq!(uncounted("cpu=other").verdict, Verdict::Measured);
    assert_eq!(uncounted("cpu=same").verdict, Verdict::Noisy);
}

#[test]
fn nothing_is_set_aside_for_its_value() {
    let row = row_of(gated(OPEN), 8, |trial| {
        trial.series[0].ticks.iter_mut().step_by(7).for_each(|ticks| *ticks *= 1000);
    });
    assert!(row.set_aside.is_empty());
    assert_eq!(row.estimate.unwrap().batches, 8 * 120);
}

#[test]
fn starved_trial_has_no_value_and_is_a_remark() {
    let starve = |from: u32| {
        move |trial: &mut record::Trial| {
            if trial.round >= from {
                trial.series[0].ticks.iter_mut().skip(3 * 2).for_each(|ticks| *ticks *= 3);
            }
        }
    };
    let has_remark = |row: &Row| row.notes.iter().any(|note| matches!(note, Note::Starved(_, 12)));
    let few = row_of(point("target", ""), 12, starve(11));
    assert_eq!(few.estimate.as_ref().unwrap().trials, 10);
    assert!(!few.set_aside.is_empty() && !has_remark(&few), "counted, but no news");
    let many = row_of(point("target", ""), 12, starve(5));
    assert_eq!(many.estimate.as_ref().unwrap().trials, 4);
    assert!(has_remark(&many));
    let all = row_of(point("target", ""), 12, starve(1));
    assert_eq!((all.verdict, &all.estimate), (Verdict::Noisy, &None));
    let [Reason::Starved(share, Some(Cause::CpuShare(_)))] = all.reasons[..] else {
        panic!("{:?}", all.reasons)
    };
    assert!((share - 0.95).abs() < 0.005, "{share}");
}

#[test]
fn noisy_when_more_than_three_quarters_of_the_batches_were_set_aside() {
    let row = row_of(point("target", ""), 12, |trial| {
        trial.series[0].ticks.iter_mut().skip(24).for_each(|ticks| *ticks *= 3);
    });
    assert_eq!(row.verdict, Verdict::Noisy);
    let is_cpu = |reason: &Reason| match reason {
        Reason::SetAside(share, Some(Cause::CpuShare(_))) => (share - 0.8).abs() < 0.005,
        _ => false,
    };
    assert!(row.reasons.iter().any(is_cpu), "{:?}", row.reasons);
    assert!((row.estimate.unwrap().typical / 50.0 - 1.0).abs() < 0.01);
}

/// Probes of a quiet core, a quarter as wide as long, but `busy` of 40 of one that is shared.
fn probes(trial: &mut record::Trial, busy: std::ops::Range<usize>) {
    trial.series[0].probe = vec![4000; 40];
    trial.series[0].width = vec![1000; 40];
    trial.series[0].width[busy].iter_mut().for_each(|width| *width = 1500);
}

fn on_a_core_of_its_own() -> PlannedPoint {
    gated(Gate { shared_core: Some(1.16), ..OPEN })
}

/// Makes the triples of a trial half as slow again.
fn slow(trial: &mut record::Trial, triples: std::ops::Range<usize>) {
    trial.series[0].ticks[3 * triples.start..3 * triples.end]
        .iter_mut()
        .for_each(|ticks| *ticks = *ticks * 3 / 2);
}

#[test]
fn samples_on_a_shared_core_do_not_count_in_the_estimate_of_the_quiet_state() {
    // The triples of the busy probes and the one after them, during which the neighbour ended.
    let row = row_of(on_a_core_of_its_own(), 8, |trial| {
        probes(trial, 4..6);
        slow(trial, 4..7);
    });
    let (core, estimate) = (row.core.unwrap(), row.estimate.as_ref().unwrap());
    assert_eq!((core.state, estimate.batches), (CoreState::Quiet, 8 * 111));
    assert_eq!((row.verdict, set_aside(&row)), (Verdict::Measured, Vec::new()));
    assert_eq!(core.quiet_share, Some(37.0 / 40.0));
    assert!((core.slowdown.unwrap() - 1.5).abs() < 0.03, "{core:?}");
    let unprobed = row_of(gated(OPEN), 8, |trial| probes(trial, 4..6));
    assert_eq!((unprobed.core, unprobed.estimate.unwrap().batches), (None, 8 * 120));
}

#[test]
fn trials_of_before_the_first_quiet_one_are_judged_by_the_ratio_of_the_whole_run() {
    let row = row_of(on_a_core_of_its_own(), 16, |trial| {
        // The first half of the run was shared, and nothing in those trials alone shows it.
        if trial.round <= 8 {
            probes(trial, 0..40);
            slow(trial, 0..40);
        } else {
            probes(trial, 0..0);
        }
    });
    let quiet = row_of(on_a_core_of_its_own(), 8, |trial| probes(trial, 0..0));
    let (core, estimate) = (row.core.unwrap(), row.estimate.unwrap());
    assert_eq!((core.state, estimate.trials), (CoreState::Quiet, 8));
    assert_eq!((row.verdict, core.quiet_share), (Verdict::Measured, Some(0.5)));
    let ratio = estimate.typical / quiet.estimate.unwrap().typical;
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
    assert!((core.slowdown.unwrap() - 1.5).abs() < 0.03, "{core:?}");
    assert!((core.untriggered.unwrap() / estimate.typical - 1.25).abs() < 0.05, "{core:?}");
}

#[test]
fn an_estimate_without_enough_quiet_trials_is_of_the_shared_state_alone() {
    let row = row_of(on_a_core_of_its_own(), 16, |trial| {
        let is_quiet = trial.round % 3 == 0;
        probes(trial, if is_quiet { 0..0 } else { 0..40 });
        slow(trial, if is_quiet { 0..0 } else { 0..40 });
    });
    let (core, estimate) = (row.core.unwrap(), row.estimate.unwrap());
    assert_eq!((core.state, estimate.trials), (CoreState::Shared, 11));
    assert_eq!(core.quiet_share, Some(5.0 / 16.0));
    assert!((core.slowdown.unwrap() - 1.5).abs() < 0.03, "{core:?}");
    assert!((estimate.typical / 75.0 - 1.0).abs() < 0.03, "{estimate:?}");
}

#[test]
fn three_quiet_samples_make_a_quiet_trial_and_two_do_not() {
    let of = |quiet: usize| {
        row_of(on_a_core_of_its_own(), 16, |trial| {
            // The last trials show what a quiet core is.
            let quiet = if trial.round > 11 { 40 } else { quiet };
            probes(trial, quiet..40);
            slow(trial, quiet..40);
        })
    };
    let (three, two) = (of(3), of(2));
    let state = |row: &Row| row.core.unwrap().state;
    assert_eq!((state(&three), state(&two)), (CoreState::Quiet, CoreState::Shared));
    let (three, two) = (three.estimate.unwrap(), two.estimate.unwrap());
    assert_eq!((three.trials, three.batches), (16, (11 * 3 + 5 * 40) * 3));
    assert_eq!((two.trials, two.batches), (11, 11 * 38 * 3));
    assert!((three.typical / 50.0 - 1.0).abs() < 0.02 && (two.typical / 75.0 - 1.0).abs() < 0.02);
}

#[test]
fn ratio_below_the_cores_width_does_not_define_quiet() {
    let row = row_of(on_a_core_of_its_own(), 24, |trial| {
        probes(trial, 0..0);
        if trial.round == 5 {
            trial.series[0].probe = vec![6000; 40];
        }
    });
    assert_eq!(row.core.unwrap().state, CoreState::Quiet);
    assert_eq!(row.estimate.unwrap().trials, 24);
}

#[test]
fn switch_under_contention_is_noisy() {
    let beside = |counter: &str| {
        let mut planned = point("target", "");
        planned
            .witnesses
            .push(record::Witness { counter: counter.to_owned(), ..planned.witnesses[0].clone() });
        row_of(planned, 12, |trial| {
            // One batch in which another task ran for longer than all other batches take.
            trial.series[0].ticks[4] *= 1000;
        })
    };
    assert_eq!(beside("switches").verdict, Verdict::Noisy);
    assert_eq!(beside("answers").verdict, Verdict::Measured, "operations without switches keep their number");
}
