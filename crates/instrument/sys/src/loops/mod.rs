//! Timed loops over registers and memory, and the memory that they go through.

pub mod arithmetic;
pub mod bandwidth;
pub mod chains;
pub mod chase;
pub(crate) mod cycle_length;
pub mod footprint;
pub mod growing;
pub mod library;
