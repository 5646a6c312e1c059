//! Services of the kernel and scheduling.

pub mod contention;
pub mod control_groups;
pub mod event_waiters;
pub mod ipc_bandwidth;
pub mod ipc_cache_line;
pub mod ipc_messaging;
pub mod ipc_other_memory;
pub mod ipc_round_trip;
pub mod noise_gaps;
pub mod noise_shared_core;
pub mod pairs;
pub mod probe;
pub mod process_create;
pub mod process_end;
pub mod scaling;
pub mod schedule;
pub mod shootdown;
pub mod sleep_lateness;
pub mod switch_process;
pub mod switch_process_ring;
pub mod switch_thread;
pub mod syscall;
pub mod thread_create;
pub mod wakeup_latency;

use measure::{Area, Operation};

/// Common to services of the kernel.
pub const COMMON: Operation = Operation { area: Area::Os, ..Operation::NEW };
