//! When a run ends, and what more time would do.

use super::*;

#[test]
fn what_more_time_would_do_is_known_at_the_end() {
    let all = |precision: f64, interrupt_after: usize| {
        let mut plan = plan(6, 6);
        plan.settings.precision = precision;
        let mut executor = Simulated::new();
        executor.interrupt_after = interrupt_after;
        run(&plan, &mut executor).1.more_time
    };
    let counts = |precision, interrupt_after| {
        let more = all(precision, interrupt_after);
        (more.points, more.beyond)
    };
    assert_eq!(counts(0.03, usize::MAX), (0, 0), "all are narrow");
    assert_eq!(counts(0.001, usize::MAX), (4, 0), "some hundred trials would do");
    assert_eq!(counts(1e-6, usize::MAX), (0, 4), "no number of trials would do");
    assert_eq!(counts(0.03, 4), (4, 0), "two have too few trials, two none");
    assert!(all(0.001, usize::MAX).seconds > 0.0);
}

#[test]
fn points_close_when_they_are_narrow() {
    let mut executor = Simulated::new();
    let (reason, analysis, _) = run(&plan(12, 100), &mut executor);
    assert_eq!(reason, EndReason::Narrow);
    assert!(analysis.rounds >= 12 && analysis.rounds < 40, "{}", analysis.rounds);
    for (row, truth) in analysis.rows.iter().zip([10.0, 20.0, 30.0, 40.0]) {
        assert_eq!(row.verdict, Verdict::Measured, "{:?}", row.reasons);
        let (low, high) = row.estimate.as_ref().unwrap().interval.unwrap();
        assert!(low > truth * FEMTO * 0.999 && high < truth * FEMTO * 1.011, "{truth}: {low} … {high}");
    }
}

#[test]
fn an_interrupt_ends_the_round_in_flight() {
    let mut executor = Simulated { interrupt_after: 30, ..Simulated::new() };
    let (reason, analysis, record) = run(&plan(12, 100), &mut executor);
    assert_eq!(reason, EndReason::Interrupted);
    assert!(executor.asked.len() <= 31);
    assert_eq!(record.rounds.len(), analysis.rounds as usize);
    assert!(analysis.rows.iter().all(|row| row.estimate.is_some()), "what was measured is kept");
}
