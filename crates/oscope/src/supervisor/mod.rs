//! The supervisor: rounds of trials in shuffled order, each by a fresh worker, journaled as they come.

mod laboratory;
mod progress;
mod rounds;
mod workers;

pub use progress::progress_for;
pub use rounds::{Done, Ledger, Orders, Supervisor};
pub use workers::{Interrupt, Workers};

#[cfg(test)]
mod tests;
