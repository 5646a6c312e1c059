//! Caches and memory: latency, cache levels, TLB, bandwidth, page faults, mappings.

pub mod associativity;
pub mod bandwidth;
pub mod fault;
pub mod latency;
pub mod levels;
pub mod line_size;
pub mod mapping;
pub mod remote;
pub mod stride;
pub mod timed_loads;
pub mod tlb;
