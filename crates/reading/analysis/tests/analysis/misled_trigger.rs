//! What becomes of an estimate when the probe of the core is misled: what is reported, and what reveals it.

use crate::neighbour::{Neighbour, SharedCore};
use crate::trigger::{Run, run, truth};
use analysis::{CoreState, Note, Reason, Row, Verdict};
use record::Trigger;

/// A neighbour that slows the operation by half for half of the time, in stretches of this length.
fn beside(stretch_ns: f64, probe: f64) -> SharedCore {
    SharedCore {
        clock_step: 0.0,
        neighbour: Neighbour { duty: 0.5, stretch_ns, slowdown: 1.5, probe },
        ..SharedCore::default()
    }
}

fn error(machine: &SharedCore, row: &Row) -> f64 {
    row.estimate.as_ref().unwrap().typical / truth(machine, row) - 1.0
}

#[test]
fn a_probe_that_always_says_quiet_gives_the_untriggered_result() {
    // Visits shorter than a sample: every sample is the same mixture, and nothing reveals it.
    let machine = beside(2e4, 1.0);
    for seed in 0..10 {
        let quiet = run(machine, Trigger::Quiet, 1.08, seed);
        let core = quiet.core.unwrap();
        assert_eq!((core.state, core.slowdown), (CoreState::Quiet, None));
        assert!(core.quiet_share.unwrap() > 0.97);
        for trigger in [Trigger::Off, Trigger::Sham] {
            let other = error(&machine, &run(machine, trigger, 1.08, 100 + seed));
            assert!((error(&machine, &quiet) - other).abs() < 0.06, "{other}");
        }
        assert!(error(&machine, &quiet) > 0.1);
        let untriggered = core.untriggered.unwrap() / quiet.estimate.unwrap().typical;
        assert!((untriggered - 1.0).abs() < 0.05, "{untriggered}");
    }
}

#[test]
fn a_neighbour_that_the_probe_cannot_see_makes_processes_differ() {
    // Visits longer than a trial: trials are of one state or of the other.
    let machine = beside(3e7, 1.0);
    let rows = (0..40).map(|seed| run(machine, Trigger::Quiet, 1.08, seed));
    let revealed = rows.filter(|row| {
        assert_eq!(row.core.unwrap().quiet_share, Some(1.0));
        let has = |is: fn(&Note) -> bool| row.notes.iter().any(is);
        let is_too_wide = |reason: &Reason| matches!(reason, Reason::TooWide { .. });
        let is_wide = row.verdict == Verdict::Noisy && row.reasons.iter().any(is_too_wide);
        is_wide && has(|note| matches!(note, Note::Between { .. }))
            || has(|note| matches!(note, Note::States(_)))
    });
    // The others are of runs whose first trials happened to be all of one state.
    let revealed = revealed.count();
    assert!(revealed >= 36, "{revealed} of 40");
}

#[test]
fn a_probe_that_always_says_busy_gives_the_shared_state_within_bounded_time() {
    let machine = beside(2e6, 1.0);
    let mut run = Run::new(machine, Trigger::Quiet, 1.08, 1);
    // Trials whose looks are wider than any core: what a quiet one is like is never seen again.
    for _ in 0..OTHERS {
        run.other(1, |core| core.width.iter_mut().for_each(|width| *width /= 10));
    }
    run.rounds(1..=20);
    let (row, elapsed_ns) = (run.row(), run.core.now_ns());
    let core = row.core.unwrap();
    assert_eq!((core.state, core.quiet_share), (CoreState::Shared, Some(0.0)));
    assert!((error(&machine, &row) - 0.25).abs() < 0.25, "{row:?}");
    assert!(run.waited_ns as f64 <= 1e9 + 0.4 * elapsed_ns + 2e8, "{}", run.waited_ns);
    assert_eq!(row.estimate.unwrap().trials, row.trials.len());
}

/// Trials that mislead about what a quiet core is.
const OTHERS: u32 = 20;

#[test]
fn quiet_ratios_of_a_noisy_half_are_replaced_by_those_of_the_whole_run() {
    let machine = beside(2e6, 1.5);
    let of = |duty| Neighbour { duty, ..machine.neighbour };
    let mut run = Run::new(machine, Trigger::Quiet, 1.08, 3);
    run.core.change(of(1.0 - 1e-9));
    run.rounds(1..=7);
    let before = run.row();
    let core = before.core.unwrap();
    // Nothing else was seen so far.
    assert_eq!((core.state, core.quiet_share), (CoreState::Quiet, Some(1.0)));
    assert!((error(&machine, &before) - 0.5).abs() < 0.02);
    run.core.change(of(1e-9));
    run.rounds(8..=20);
    let after = run.row();
    let core = after.core.unwrap();
    assert_eq!(core.state, CoreState::Quiet);
    assert!((core.slowdown.unwrap() - 1.5).abs() < 0.02, "{core:?}");
    assert!(error(&machine, &after).abs() < 0.01, "{after:?}");
    assert!(after.trials.iter().all(|trial| trial.round > 7));
}

#[test]
fn core_shared_for_the_whole_run_counts_as_quiet() {
    let mut machine = beside(2e6, 1.5);
    machine.neighbour.duty = 1.0 - 1e-9;
    let row = run(machine, Trigger::Quiet, 1.08, 4);
    let core = row.core.unwrap();
    assert_eq!((core.state, core.quiet_share), (CoreState::Quiet, Some(1.0)));
    assert!((error(&machine, &row) - 0.5).abs() < 0.02);
}

#[test]
fn visits_shorter_than_a_sample_are_noise_in_the_quiet_state() {
    let machine = beside(5e4, 1.5);
    let rows = (0..10).map(|seed| run(machine, Trigger::Quiet, 1.08, seed));
    let noisy = rows.filter(|row| {
        let half = row.estimate.as_ref().unwrap().half_width().unwrap();
        row.verdict == Verdict::Noisy || error(&machine, row).abs() < half + 0.01
    });
    assert_eq!(noisy.count(), 10);
}

/// A stressor on the other thread of the core for this share of the time: by how much it slows the probe and the operation.
fn stressed(duty: f64, probe: f64, slowdown: f64) -> SharedCore {
    SharedCore {
        layout: 0.002,
        neighbour: Neighbour { duty, stretch_ns: 2e6, slowdown, probe },
        ..beside(2e6, probe)
    }
}

/// Whether the mean error over some runs is shown to be within half a percent: two one-sided tests at 5 %.
fn is_equivalent(machine: SharedCore) -> bool {
    let rows = (0..12).map(|seed| run(machine, Trigger::Quiet, 1.08, seed));
    let errors: Vec<f64> = rows.map(|row| error(&machine, &row)).collect();
    // The 95th percentile of Student's distribution with eleven degrees of freedom.
    let margin = 1.796 * stats::spread::deviation(&errors).unwrap() / (errors.len() as f64).sqrt();
    stats::spread::mean(&errors).unwrap().abs() + margin < 0.005
}

#[test]
fn only_a_stressor_that_leaves_the_probe_alone_changes_the_quiet_cost_by_half_a_percent() {
    for duty in [0.1, 0.5, 0.9] {
        for (stressor, probe, slowdown) in
            [("additions", 1.8, 1.8), ("load ports", 1.5, 1.5), ("a stream through L2", 1.2, 1.4)]
        {
            assert!(is_equivalent(stressed(duty, probe, slowdown)), "{stressor} for {duty} of the time");
        }
        // Of page walks, which leave the issue width alone, the median of a trial tells when they last for half of it.
        let page_walks = stressed(duty, 1.0, 1.2);
        assert_eq!(is_equivalent(page_walks), duty < 0.5, "page walks for {duty} of the time");
    }
}
