//! Machinery of tasks that are made, end and sleep; it knows no operation.

pub mod children;
pub mod gaps;
pub mod programs;
pub mod sleepers;
pub mod stamps;
