//! Services of the kernel and scheduling.

mod exchange;
pub mod ipc_round_trip;
pub mod noise_gaps;
pub mod process_create;
pub mod switch_process;
pub mod switch_reference;
pub mod switch_thread;
pub mod syscall;
pub mod syscall_pipe;
pub mod thread_create;
