//! Caches and memory: latency at every level, the levels found from the curve alone, page faults, mappings.

pub mod associativity;
pub mod bandwidth;
pub mod fault;
pub mod latency;
pub mod levels;
pub mod line_size;
pub mod mapping;
pub mod remote;
pub mod stride;
pub mod tlb;

mod workloads;
