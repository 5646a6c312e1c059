//! When a run ends, and what more time would do.

use super::*;

#[test]
fn what_more_time_would_do_is_known_at_the_end() {
    for (precision, interrupt_after, expected, why) in [
        (0.03, usize::MAX, (0, 0), "all are narrow"),
        (0.001, usize::MAX, (4, 0), "some hundred trials would do"),
        (1e-6, usize::MAX, (0, 4), "no number of trials would do"),
        (0.03, 4, (4, 0), "two have too few trials, two none"),
    ] {
        let mut plan = plan(6, 6);
        plan.settings.precision = precision;
        let mut executor = Simulated::new();
        executor.interrupt_after = interrupt_after;
        let more = run(&plan, &mut executor).1.more_time;
        assert_eq!((more.points, more.beyond), expected, "{why}");
        assert_eq!(more.seconds > 0.0, more.points > 0, "{why}");
    }
}

#[test]
fn points_close_when_they_are_narrow() {
    let mut executor = Simulated::new();
    let (reason, analysis, _) = run(&plan(12, 100), &mut executor);
    assert_eq!(reason, EndReason::Narrow);
    assert!(analysis.rounds >= 12 && analysis.rounds < 40, "{}", analysis.rounds);
    for (row, truth) in analysis.rows.iter().zip([10.0, 20.0, 30.0, 40.0]) {
        assert_eq!(row.verdict, Verdict::Measured, "{:?}", row.reasons);
        let (low, high) = row.estimate.as_ref().unwrap().interval.unwrap().ends();
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
