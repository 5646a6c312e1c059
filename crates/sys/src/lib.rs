//! The only unsafe code: clocks, timed instruction sequences, pinning, kernel counters, raw system calls.
//!
//! Safe functions outward. Differences between architectures live in `arch`, one file each with the same
//! names in it.
//!
//! **Invariant:** nothing here knows what an operation is, keeps statistics, or prints.
#![allow(unsafe_code)]

pub mod arch;
pub mod arithmetic;
pub mod bandwidth;
pub mod cachestat;
pub mod calls;
pub mod chase;
pub mod clock;
pub mod cpu;
mod cycle_length;
pub mod descriptor;
pub mod direct;
mod error;
pub mod eventfd;
pub mod exec;
pub mod footprint;
pub mod futex;
pub mod growing;
pub mod huge;
pub mod icmp;
pub mod idle;
pub mod inet;
pub mod interrupt;
mod ipc_namespace;
pub mod kernel_time;
mod left;
pub mod lifeline;
pub mod limits;
pub mod lock;
pub mod memory;
pub mod message_queue;
pub mod names;
pub mod numa;
pub mod packet;
pub mod pages;
pub mod path;
pub mod perf;
pub mod pipe;
pub mod poll;
pub mod posix;
pub mod process;
pub mod program;
pub mod readiness;
pub mod refused;
pub mod semaphore;
pub mod send_file;
pub mod signal;
pub mod sleep;
pub mod socket;
pub mod stream;
pub mod tap;
pub mod tcp_info;
pub mod temporary;
pub mod thread;
pub mod trace;
pub mod traffic;
pub mod uring;
pub mod usage;
pub mod userfault;
pub mod zero_copy;

pub use error::Error;

/// The worker protocol's word for "no such thing here" when a value cannot be had.
pub type Result<T> = std::result::Result<T, Error>;
