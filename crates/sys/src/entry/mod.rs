//! Ways into the kernel: calls that fail, the older instruction, tracing, names of calls.

pub mod calls;
pub mod interrupt;
pub mod refused;
pub mod trace;
