//! The museum: wrong methods beside the right ones, and what the error comes to in a record.
//!
//! To add an exhibit, add an entry to one of the tables. Either a wrong method was measured beside the right one, or
//! the batches of the right one are read in a wrong way; both are views of a record, and nothing is measured again.

pub(crate) mod evaluation;
pub(crate) mod exhibit;
mod figures;
mod memory;
mod network_and_file;
mod processor;
mod system;
pub(crate) mod wrong_statistics;

use exhibit::Exhibit;

/// All exhibits, in the order of the tour.
pub fn exhibits() -> impl Iterator<Item = &'static Exhibit> {
    let areas = [processor::ALL, system::ALL, memory::ALL, network_and_file::ALL, figures::ALL];
    areas.into_iter().flatten()
}
