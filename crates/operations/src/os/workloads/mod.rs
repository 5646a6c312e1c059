//! Machinery of tasks that are made, end and sleep; it knows no operation.

pub mod children;
pub mod programs;
pub mod sleepers;
pub mod stamps;
