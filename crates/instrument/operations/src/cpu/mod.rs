//! The processor: clocks, loops, calls.

pub mod arithmetic;
pub mod call_procedure;
pub mod clock_frequency;
pub mod clock_quantum;
pub mod clock_read;
pub mod clock_read_cpu;
pub mod loop_iteration;
pub mod loop_known_cost;
pub mod trap_cpuid;

use measure::{Area, Operation};

/// Common to operations of the processor.
pub const COMMON: Operation = Operation { area: Area::Cpu, ..Operation::NEW };
