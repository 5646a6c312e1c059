//! Work on memory, independent of operations: page touches, test files, sweeps, threads and their barrier.

pub mod bandwidth;
pub mod barrier;
pub mod chase;
pub mod page_sequence;
pub mod quiet_sampler;
pub mod sweep;
pub mod test_file;
pub mod threads;
pub mod timed_loads;
pub mod working_set;

/// Bytes of a cache line on every supported processor; larger lines are visited more than once.
pub const LINE: usize = 64;
