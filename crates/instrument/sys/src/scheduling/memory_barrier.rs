//! Memory barriers on all CPUs that run a thread of this process, by membarrier(2).

use crate::{Result, arch};

const REGISTER_PRIVATE_EXPEDITED: usize = 1 << 4;
const PRIVATE_EXPEDITED: usize = 1 << 3;
const GLOBAL: usize = 1;

fn membarrier(command: usize) -> Result<()> {
    // SAFETY: the call orders memory accesses and changes no memory.
    unsafe { arch::try_syscall::<{ libc::SYS_membarrier }, _>([command, 0, 0]) }.map(|_| ())
}

/// Announces that this process will use [`private_expedited`].
///
/// # Errors
/// When the kernel has no such barrier (before Linux 4.14).
pub fn register_private_expedited() -> Result<()> {
    membarrier(REGISTER_PRIVATE_EXPEDITED)
}

/// A barrier on every CPU that runs a thread of this process now; the kernel interrupts them.
///
/// # Errors
/// When the process is not registered.
#[inline(always)]
pub fn private_expedited() -> Result<()> {
    membarrier(PRIVATE_EXPEDITED)
}

/// A barrier on every CPU, after a grace period of the kernel (RCU): nobody is interrupted.
///
/// # Errors
/// When the kernel has none (nohz_full).
#[inline(always)]
pub fn global() -> Result<()> {
    membarrier(GLOBAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_need_registration_where_they_are_expedited() {
        // Other tests of this process may have registered it.
        register_private_expedited().unwrap();
        assert_eq!(private_expedited(), Ok(()));
    }
}
