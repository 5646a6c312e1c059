//! Caches and memory: latency at every level, the levels found from the curve alone.

pub mod bandwidth;
pub mod latency;
pub mod levels;
