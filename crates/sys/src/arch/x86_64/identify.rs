//! Asking the processor what it is, which a hypervisor answers in its place.

use core::arch::x86_64::__cpuid;

/// Executes CPUID `n` times and gives how often it told the same highest leaf as at first.
pub fn identify(n: u64) -> u64 {
    let highest = __cpuid(0).eax;
    (0..n)
        .map(|_| u64::from(__cpuid(0).eax == highest && highest > 0))
        .sum()
}
