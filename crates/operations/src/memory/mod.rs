//! Caches and memory: latency at every level, the levels found from the curve alone.

pub mod associativity;
pub mod latency;
pub mod levels;
pub mod line_size;
pub mod stride;
pub mod tlb;

mod quiet;
mod room;
mod sweep;
