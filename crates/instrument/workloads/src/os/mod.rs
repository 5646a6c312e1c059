//! Workloads of system calls, switches, streams, task creation, exit and sleep; they know no operation.

pub mod byte_stream;
pub mod cache_line;
pub mod child_lifetimes;
pub mod children;
pub mod contention;
pub mod devices;
pub mod gaps;
pub mod heap;
pub mod landlock;
pub mod messaging;
pub mod namespaces;
pub mod notice;
pub mod pairs;
pub mod probe;
pub mod programs;
pub mod random;
pub mod readiness;
pub mod scaling;
pub mod schedule;
pub mod shootdown;
pub mod sleepers;
pub mod timers;
pub mod timestamps;
pub mod token_ring;
pub mod traced;
pub mod traced_entry;
