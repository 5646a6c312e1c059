//! Processes, threads, signals, limits and what the kernel counts for them.

pub mod exec;
pub mod lifeline;
pub mod limits;
pub mod perf;
pub mod process;
pub mod signal;
pub mod thread;
pub mod usage;
