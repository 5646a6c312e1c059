//! Entries into the kernel: calls that fail with EFAULT, `int 0x80`, tracing, names of calls.

pub mod calls;
pub mod efault;
pub mod interrupt;
pub mod marks;
pub mod trace;
