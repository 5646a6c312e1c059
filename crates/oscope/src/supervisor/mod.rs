//! The supervisor: rounds of trials in shuffled order, each by a fresh worker, journaled as they come.

mod affinity;
mod allocation;
mod completed_work;
mod executor;
mod interrupt;
mod monitor;
mod other_runs;
mod progress;
mod recorder;
mod rounds;
mod time_left;
mod worker_process;
mod workers;

pub use completed_work::CompletedWork;
pub use executor::{Executor, Outcome};
pub use interrupt::Interrupt;
pub use monitor::MachineMonitor;
pub use progress::Progress;
pub use recorder::Recorder;
pub use rounds::{Orders, Supervisor};
pub use workers::Workers;

#[cfg(test)]
mod tests;
