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
pub mod descriptor;
pub mod direct;
mod error;
pub mod eventfd;
pub mod exec;
pub mod footprint;
pub mod futex;
pub mod growing;
pub mod huge;
pub mod interrupt;
mod ipc_namespace;
pub mod kernel_time;
pub mod lifeline;
pub mod lock;
pub mod memory;
pub mod message_queue;
pub mod names;
pub mod pages;
pub mod path;
pub mod perf;
pub mod pipe;
pub mod posix;
pub mod process;
pub mod readiness;
pub mod semaphore;
pub mod signal;
pub mod sleep;
pub mod socket;
pub mod stream;
pub mod temporary;
pub mod thread;
pub mod trace;
pub mod uring;
pub mod usage;

pub use error::Error;

/// The worker protocol's word for "no such thing here" when a value cannot be had.
pub type Result<T> = std::result::Result<T, Error>;
