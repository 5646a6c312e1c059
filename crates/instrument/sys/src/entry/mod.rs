//! Entries into the kernel: calls that fail with EFAULT, `int 0x80`, probes, tracing, names of calls.

pub mod bpf;
pub mod calls;
pub mod efault;
pub mod interrupt;
pub mod landlock;
pub mod marks;
pub mod notice;
pub mod probe;
pub mod stops;
pub mod trace;
pub mod tracepoint;
