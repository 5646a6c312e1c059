//! Caches and memory.

pub mod bandwidth;
pub mod counted_lines;
pub mod faults;
pub mod latency;
pub mod line_size;
pub mod unoptimised;
