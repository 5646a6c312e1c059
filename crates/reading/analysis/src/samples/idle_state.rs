//! How the CPUs of the actors of a trial waited for each other, as their kernel counted it.

use crate::rows::idle_state::IdleState;
use crate::thresholds::SLEEPS_PER_ITERATION;
use record::{Counted, Evidence, Trial};

/// The state in which they waited; `None` where the kernel does not tell.
pub(crate) fn idle_state(trial: &Trial) -> Option<IdleState> {
    let (stopped, entered) = count(trial, "idle.tick_stopped")?;
    let (_, iterations) = count(trial, "answers")?;
    Some(match entered < SLEEPS_PER_ITERATION * iterations {
        true => IdleState::Polls,
        false if 2.0 * stopped < entered => IdleState::Sleeps,
        false => IdleState::StopsTick,
    })
}

/// What was counted, and over how many iterations.
fn count(trial: &Trial, counter: &str) -> Option<(f64, f64)> {
    match Evidence::find(&trial.evidence, counter)?.counted {
        Counted::Count { count, iterations } => Some((count, iterations)),
        Counted::Unavailable { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::tests::trial;

    /// Ten iterations, with this number of stopped ticks among this number of times that a CPU went to sleep.
    fn state(stopped: f64, entered: f64) -> Option<IdleState> {
        let counts = [("idle.tick_stopped", stopped, entered), ("answers", 10.0, 10.0)];
        let evidence = counts.map(|(counter, count, iterations)| Evidence {
            counter: counter.to_owned(),
            counted: Counted::Count { count, iterations },
        });
        idle_state(&Trial { evidence: evidence.to_vec(), ..trial(0) })
    }

    #[test]
    fn a_cpu_sleeps_from_half_a_time_per_iteration_and_stops_its_tick_from_half_of_those() {
        for (stopped, entered, expected) in [
            (0.0, 4.0, IdleState::Polls),
            (0.0, 5.0, IdleState::Sleeps),
            (2.0, 6.0, IdleState::Sleeps),
            (3.0, 6.0, IdleState::StopsTick),
            (6.0, 6.0, IdleState::StopsTick),
        ] {
            assert_eq!(state(stopped, entered), Some(expected), "{stopped} {entered}");
        }
        assert_eq!(idle_state(&trial(0)), None);
    }
}
