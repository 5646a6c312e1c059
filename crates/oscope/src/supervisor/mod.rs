//! The supervisor: rounds of trials in shuffled order, each by a fresh worker, journaled as they come.

mod laboratory;
mod ledger;
mod progress;
mod reach;
mod rounds;
mod workers;

pub use ledger::Ledger;
pub use progress::progress_for;
pub use rounds::{Done, Orders, Supervisor};
pub use workers::{Interrupt, Workers};

#[cfg(test)]
mod tests;
