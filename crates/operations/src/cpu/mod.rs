//! The processor: clocks, loops, calls.

pub mod call_procedure;
pub mod clock_frequency;
pub mod clock_read;
pub mod loop_iteration;
pub mod loop_known_cost;
pub mod trap_cpuid;
