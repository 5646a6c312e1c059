//! The supervisor: rounds of trials in shuffled order, each by a fresh worker, journaled as they come.

mod executor;
mod progress;
mod reach;
mod recorder;
mod rounds;
mod workers;

pub use progress::progress_for;
pub use recorder::Recorder;
pub use rounds::{Done, Orders, Supervisor};
pub use workers::{Interrupt, Workers};

#[cfg(test)]
mod tests;
