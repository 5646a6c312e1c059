//! Hand-offs between CPUs whose idle CPU waits in several ways: the estimate is that of one of them.

use crate::simulated::{point, row_of};
use analysis::{IdleState, Note, Row};
use record::{Counted, Evidence, Trial};

/// What the kernel counted in 100 round trips: times that CPUs went to sleep, and of these that they stopped the tick.
fn counts(trial: &mut Trial, entered: f64, stopped: f64) {
    for (counter, count, iterations) in [("idle.tick_stopped", stopped, entered), ("answers", 100.0, 100.0)] {
        trial.evidence.retain(|evidence| evidence.counter != counter);
        trial
            .evidence
            .push(Evidence { counter: counter.to_owned(), counted: Counted::Count { count, iterations } });
    }
}

/// Twenty trials, six of them on CPUs that leave their tick on, which makes them cheaper by a tenth.
fn row(know: impl Fn(u32) -> bool) -> Row {
    row_of(point("target", ""), 20, |trial| {
        let is_cheap = trial.round % 3 == 0;
        if know(trial.round) {
            counts(trial, 200.0, if is_cheap { 10.0 } else { 190.0 });
        }
        // The values of a state overlap those of the other, so that they do not tell which it is.
        trial.ns_per_tick *= 0.8 + 0.03 * f64::from(trial.round % 7);
        trial.ns_per_tick *= if is_cheap { 0.9 } else { 1.0 };
    })
}

fn states(row: &Row) -> Vec<(IdleState, f64)> {
    let notes = row.notes.iter().filter_map(|note| match note {
        Note::Idle(states) => Some(states),
        _ => None,
    });
    notes.flatten().map(|one| (one.state, one.share)).collect()
}

#[test]
fn the_most_frequent_state_of_idle_cpus_makes_the_estimate() {
    let one = row(|_| true);
    assert_eq!(states(&one), [(IdleState::StopsTick, 0.7), (IdleState::Sleeps, 0.3)]);
    assert_eq!(one.estimate.unwrap().trials, 14);
}

#[test]
fn trials_of_unknown_states_are_all_kept() {
    let unknown = row(|round| round > 1);
    assert!(states(&unknown).is_empty());
    assert_eq!(unknown.estimate.unwrap().trials, 20);
}

#[test]
fn cpus_that_hardly_go_to_sleep_are_a_remark_only_beside_others() {
    let all = row_of(point("target", ""), 12, |trial| counts(trial, 3.0, 3.0));
    assert!(states(&all).is_empty());
    let most = row_of(point("target", ""), 12, |trial| match trial.round % 4 {
        0 => counts(trial, 200.0, 190.0),
        _ => counts(trial, 3.0, 3.0),
    });
    assert_eq!(states(&most), [(IdleState::Polls, 0.75), (IdleState::StopsTick, 0.25)]);
}
