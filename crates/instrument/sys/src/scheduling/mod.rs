//! Which CPU runs what, and when it is idle.

pub mod cpu;
pub mod idle;
pub mod idle_state;
pub mod memory_barrier;
