//! Timed instruction sequences and counter reads, one file per architecture with the same names in it.
//!
//! Every timed loop and every callee starts at a multiple of 64 bytes: a loop that straddles a cache line
//! costs a fifth more, by the luck of the linker. All sequences are assembly, called once per batch, so
//! that no compiler can shorten them.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
pub use aarch64::*;

/// Where the counter of an empty loop is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopCounter {
    /// In a register, as optimised code has it.
    Register,
    /// In memory, as unoptimised code has it.
    Memory,
}

/// How the time counter is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterRead {
    /// The bare instruction: the processor may move it among its neighbours.
    Bare,
    /// Fenced on both sides, as oscope's own clock reads it.
    Fenced,
    /// The instruction that waits for all earlier ones (`rdtscp`).
    Waiting,
    /// Serialised by CPUID, which a hypervisor intercepts.
    Cpuid,
}

/// Adds in one turn of [`dependent_adds`] and multiplies in one turn of [`dependent_multiplies`].
pub const CHAIN: u64 = 50;

/// Calls in one turn of [`calls`].
pub const CALLS_PER_TURN: u64 = 8;

/// The largest number of arguments that [`calls`] passes.
pub const MOST_ARGUMENTS: u32 = 8;

/// The numbers of extra adds that [`known_cost`] offers.
pub const KNOWN_ADDS: [u32; 4] = [0, 10, 20, 40];
