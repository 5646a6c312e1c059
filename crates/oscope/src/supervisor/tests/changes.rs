//! A machine that changes while it is measured.

use super::*;

/// Twenty rounds of four points; the machine costs half as much again from its 21st to its 60th trial.
fn changed(at: [usize; 2]) -> (analysis::Analysis, Record) {
    let mut executor = Simulated { costlier: [21, 61], ..Simulated::new() };
    let mut plan = plan(20, 20);
    plan.settings.precision = 1e-9;
    let (_, analysis, record) = run_on(&plan, &mut executor, &mut ScriptedMonitor::new(at));
    (analysis, record)
}

#[test]
fn values_are_those_of_the_state_with_most_trials_and_others_are_not_mixed_in() {
    // A reading comes before each trial: that before the 21st is the last without the change.
    let (analysis, record) = changed([22, 62]);
    assert_eq!(record.trials.len(), 80);
    for (row, truth) in analysis.rows.iter().zip([10.0, 20.0, 30.0, 40.0]) {
        let estimate = row.estimate.as_ref().unwrap();
        assert!((9..=10).contains(&row.trials.len()), "{} trials", row.trials.len());
        let (low, high) = estimate.interval.unwrap().ends();
        assert!(low > truth * FEMTO * 0.999 && high < truth * FEMTO * 1.011, "{truth}: {low} to {high}");
    }
    let history = &analysis.machine_history;
    assert_eq!(history.changes.len(), 2);
    assert_eq!(history.facts[0].value, FactValue::Flag { set: true });
    assert!((38..=40).contains(&history.trials) && history.all < 80, "{history:?}");
}

#[test]
fn record_read_again_says_the_same_of_a_machine_that_changed() {
    let (analysis, record) = changed([22, 62]);
    let again = analysis::analyse(&record);
    assert_eq!(again.machine_history, analysis.machine_history);
    assert_eq!(again.rows, analysis.rows);
}

#[test]
fn trials_that_lost_their_cpu_are_none_also_where_no_fact_is_seen_to_change() {
    let (analysis, _) = changed([0, 0]);
    for (row, truth) in analysis.rows.iter().zip([10.0, 20.0, 30.0, 40.0]) {
        assert_eq!(row.trials.len(), 10);
        assert!(row.estimate.as_ref().unwrap().typical < truth * FEMTO * 1.011);
        let failed = analysis::Note::Failed(10, 20, Failure::Unbound);
        assert!(row.notes.contains(&failed), "{:?}", row.notes);
    }
    assert_eq!(analysis.machine_history.changes, []);
}
