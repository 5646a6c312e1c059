//! The supervisor: rounds of trials in shuffled order, each by a fresh worker, journaled as they come.

mod allocation;
mod done;
mod executor;
mod interrupt;
mod outside;
mod progress;
mod recorder;
mod rounds;
mod time_left;
mod worker_process;
mod workers;

pub use done::Done;
pub use executor::{Executor, Outcome};
pub use interrupt::Interrupt;
pub use progress::Progress;
pub use recorder::Recorder;
pub use rounds::{Orders, Supervisor};
pub use workers::Workers;

#[cfg(test)]
mod tests;
