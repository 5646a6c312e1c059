//! Processes, threads, signals, limits and what the kernel counts for them.

pub mod attributes;
pub mod control_groups;
pub mod descendants;
pub mod exec;
pub mod first_process;
pub mod limits;
pub mod namespaces;
pub mod other_memory;
pub mod out_of_memory;
pub mod perf;
pub mod process;
pub mod settings;
pub mod signal;
pub mod stopped;
pub mod supervision;
pub mod thread;
pub mod usage;
