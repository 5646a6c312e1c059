//! Where requests are carried out: by worker processes, or in tests by a simulated machine.

use record::{Reply, Request};

/// What became of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A worker answered.
    Reply(Reply),
    /// No worker could answer: it crashed, hung, was killed, or talked nonsense; a sentence.
    Broken(String),
    /// The user wanted to stop, and the worker did not come to its end soon: nothing is known.
    Abandoned,
}

/// Carries out requests, one at a time.
pub trait Laboratory {
    /// Carries out a request; bounded in time.
    fn perform(&mut self, request: &Request) -> Outcome;

    /// Whether the user wants to stop.
    fn interrupted(&self) -> bool;
}
