//! Flawed methods on files.

pub mod numbers;
pub mod reads;
