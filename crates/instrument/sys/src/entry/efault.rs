//! System calls that fail with EFAULT: the kernel faults while it writes the result to an unmapped address.

use crate::arch;

/// An address in the first page, which no process has (`vm.mmap_min_addr`).
const UNMAPPED: usize = 64;

/// Reads the monotonic clock into an unmapped address by the system-call instruction, `n` times; gives how often the
/// call failed with EFAULT.
#[inline(never)]
pub fn clock_reads(n: u64) -> u64 {
    let arguments = [libc::CLOCK_MONOTONIC as usize, UNMAPPED];
    let mut failed = 0;
    for _ in 0..n {
        // SAFETY: nothing is mapped in the first page, so the call writes nothing.
        let answer = unsafe { arch::syscall::<{ libc::SYS_clock_gettime }, _>(arguments) };
        failed += u64::from(answer == -(libc::EFAULT as isize));
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_fails_with_efault() {
        assert_eq!(clock_reads(1_000), 1_000);
    }
}
