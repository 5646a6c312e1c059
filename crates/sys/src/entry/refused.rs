//! System calls that are given an address where nothing is: the kernel faults while it writes the answer.

use crate::arch;

/// An address in the first page, which no process has (`vm.mmap_min_addr`).
const NOWHERE: usize = 64;

/// Reads the monotonic clock into nowhere by the system-call instruction, `n` times; gives how often the kernel said
/// that the address is bad (EFAULT), and did nothing else.
#[inline(never)]
pub fn clock_reads(n: u64) -> u64 {
    let arguments = [libc::CLOCK_MONOTONIC as usize, NOWHERE];
    let mut refused = 0;
    for _ in 0..n {
        // SAFETY: nothing is mapped in the first page, so the call writes nothing.
        let answer = unsafe { arch::syscall(libc::SYS_clock_gettime, arguments) };
        refused += u64::from(answer == -(libc::EFAULT as isize));
    }
    refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_refuses_every_time() {
        assert_eq!(clock_reads(1_000), 1_000);
    }
}
