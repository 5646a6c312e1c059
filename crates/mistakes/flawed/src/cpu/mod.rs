//! Clocks, loops and calls.

pub mod repeated;
pub mod single;
