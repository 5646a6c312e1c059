//! What changed of the machine during a run, and of which of its states the values are.

use record::{FactValue, MachineChange};

/// The value of a fact in a state of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct StateFact {
    /// Its key.
    pub key: String,
    /// Its value there.
    pub value: FactValue,
}

/// What changed of the machine during a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineHistory {
    /// The changes in order of time; empty where nothing changed.
    pub changes: Vec<MachineChange>,
    /// The facts that changed, as they were in the state that the values are of.
    pub facts: Vec<StateFact>,
    /// Trials in that state.
    pub trials: usize,
    /// Trials in all states.
    pub all: usize,
}
