//! The only unsafe code: clocks, timed instruction sequences, pinning, kernel counters, raw system calls.
//!
//! Safe functions outward. Modules lie in folders by duty and are named without the folder: `sys::pipe`.
//! Differences between architectures live in `arch`, one folder each with the same names in it.
//!
//! **Invariant:** nothing here knows what an operation is, keeps statistics, or prints.
#![allow(unsafe_code)]

mod address_space;
pub mod arch;
mod entry;
mod error;
mod files;
mod ipc;
mod loops;
mod network;
mod processes;
pub mod random;
pub mod remedies;
mod scheduling;
mod time;

use address_space::{available, caches};
pub use address_space::{heap, huge, memory, numa, pages, program, program_break, userfault};
pub use entry::{bpf, calls, efault, interrupt, landlock, marks, notice, probe, stops, trace, tracepoint};
pub use files::{
    block_device, cachestat, copy, descriptor, direct, lock, memory_file, names, output, path, send_file,
    temporary, uring,
};
pub use ipc::{event_set, eventfd, futex, message_queue, pipe, poll, posix, readiness, system_v};
use loops::cycle_length;
pub use loops::{arithmetic, bandwidth, chains, chase, footprint, growing, library};
pub use network::{
    datagram_batch, icmp, inet, interface, nfs_requests, packet, socket, tcp_info, traffic, zero_copy,
};
pub use processes::{
    attributes, control_groups, descendants, exec, first_process, limits, namespaces, other_memory,
    out_of_memory, perf, process, settings, signal, stopped, supervision, thread, usage,
};
pub use scheduling::{cpu, idle, idle_state, memory_barrier};
pub use time::{clock, kernel_time, sleep, timer};

pub use error::{Error, Result};
