//! Caches and memory: latency at every level, the levels found from the curve alone, page faults, mappings.

pub mod fault;
pub mod latency;
pub mod levels;
pub mod mapping;
