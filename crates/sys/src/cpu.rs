//! Which CPUs this thread may use, and which it is on.

use crate::{Error, Result};
use std::sync::OnceLock;

/// The CPUs that were allowed before a thread of this process was first pinned.
static BEFORE_PINNING: OnceLock<Vec<u32>> = OnceLock::new();

/// CPUs beyond this number are not used for pinning.
const MOST_CPUS: usize = 1024;

fn set_of(cpus: &[u32]) -> libc::cpu_set_t {
    // SAFETY: a CPU set is an array of integers, for which zero is the empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus.iter().filter(|&&cpu| (cpu as usize) < MOST_CPUS) {
        // SAFETY: `cpu` is below the number of bits in the set.
        unsafe { libc::CPU_SET(cpu as usize, &mut set) };
    }
    set
}

/// Lets the calling thread run on this CPU only.
///
/// # Errors
/// When the CPU is not allowed or the call is denied.
pub fn pin(cpu: u32) -> Result<()> {
    pin_to(&[cpu])
}

/// Lets the calling thread run on these CPUs only; which one it is the scheduler chooses.
///
/// # Errors
/// When none of them is allowed or the call is denied.
pub fn pin_to(cpus: &[u32]) -> Result<()> {
    if let Ok(before) = allowed() {
        BEFORE_PINNING.get_or_init(|| before);
    }
    let set = set_of(cpus);
    // SAFETY: `set` is valid and of the size given.
    let result = unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
    if result == 0 {
        Ok(())
    } else {
        Err(Error::last("sched_setaffinity"))
    }
}

/// Lets the calling thread run wherever its cgroup allows, also if it was pinned before.
///
/// # Errors
/// When the call is denied.
pub fn unpin() -> Result<()> {
    let all: Vec<u32> = (0..MOST_CPUS as u32).collect();
    let set = set_of(&all);
    // SAFETY: `set` is valid and of the size given; the kernel leaves out what is not there or not allowed.
    let result = unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
    if result == 0 {
        Ok(())
    } else {
        Err(Error::last("sched_setaffinity"))
    }
}

/// The CPUs on which the calling thread may run, in rising order.
///
/// # Errors
/// When the call is denied.
pub fn allowed() -> Result<Vec<u32>> {
    let mut set = set_of(&[]);
    // SAFETY: `set` is valid for writing and of the size given.
    let result = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
    if result != 0 {
        return Err(Error::last("sched_getaffinity"));
    }
    // SAFETY: every index is below the number of bits in the set.
    let is_set = |cpu: &u32| unsafe { libc::CPU_ISSET(*cpu as usize, &set) };
    Ok((0..MOST_CPUS as u32).filter(is_set).collect())
}

/// The CPUs that this process may use, also when its thread has been pinned to one of them.
///
/// # Errors
/// When the call is denied.
pub fn allowed_before_pinning() -> Result<Vec<u32>> {
    BEFORE_PINNING.get().cloned().map_or_else(allowed, Ok)
}

/// The CPU on which the calling thread is now.
pub fn current() -> Option<u32> {
    // SAFETY: the call has no arguments.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}
