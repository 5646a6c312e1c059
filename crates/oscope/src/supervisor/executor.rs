//! Where requests are carried out: by worker processes, or in tests by a simulated machine.

use record::{Reply, Request};
use std::time::Duration;

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A worker answered.
    Reply(Reply),
    /// The worker gave no valid answer (it crashed, hung, was killed, or wrote something else): the reason.
    Broken(String),
    /// The user wanted to stop, and the worker did not end within the grace period: no result.
    Abandoned,
}

/// Carries out requests, one at a time.
pub trait Executor {
    /// Carries out a request in an environment, or natively; bounded in time.
    fn perform(&mut self, environment: Option<&str>, request: &Request) -> Outcome;

    /// Ends what was kept from one request to the next, at the end of a round.
    fn end_round(&mut self) {}

    /// Time since the last call of this in which it waited for a worker and did not get to run itself.
    fn take_halted(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Whether the user wants to stop.
    fn interrupted(&self) -> bool;
}
