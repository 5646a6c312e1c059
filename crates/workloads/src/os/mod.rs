//! Workloads of task creation, exit and sleep; they know no operation.

pub mod children;
pub mod gaps;
pub mod programs;
pub mod sleepers;
pub mod timestamps;
