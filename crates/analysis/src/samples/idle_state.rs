//! How the CPUs of the actors of a trial waited for each other, as their kernel counted it.

use crate::rows::idle_state::IdleState;
use record::{Counted, Evidence, Trial};

/// Times that a CPU went to sleep, for each iteration, from which it does not poll: a round trip wakes each end once.
const SLEEPS: f64 = 0.5;

/// The state in which they waited; `None` where the kernel does not tell.
pub(crate) fn of(trial: &Trial) -> Option<IdleState> {
    let (stopped, entered) = count(trial, "idle.tick_stopped")?;
    let (_, iterations) = count(trial, "answers")?;
    Some(match entered < SLEEPS * iterations {
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
