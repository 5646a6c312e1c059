//! Which CPUs this thread may use, and which it is on.

use crate::{Error, Result};
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use std::sync::OnceLock;

/// The CPUs that were allowed before a thread of this process was first pinned.
static BEFORE_PINNING: OnceLock<Vec<u32>> = OnceLock::new();

fn use_only(cpus: &[u32]) -> Result<()> {
    let mut set = CpuSet::new();
    let known = cpus.iter().filter(|&&cpu| (cpu as usize) < CpuSet::MAX_CPU);
    known.for_each(|&cpu| set.set(cpu as usize));
    sched_setaffinity(None, &set).map_err(Error::of("sched_setaffinity"))
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
    use_only(cpus)
}

/// Lets the calling thread run wherever its cgroup allows, also if it was pinned before.
///
/// # Errors
/// When the call is denied.
pub fn unpin() -> Result<()> {
    // The kernel leaves out what is not there or not allowed.
    let all: Vec<u32> = (0..CpuSet::MAX_CPU as u32).collect();
    use_only(&all)
}

/// The CPUs on which the calling thread may run, in rising order.
///
/// # Errors
/// When the call is denied.
pub fn allowed() -> Result<Vec<u32>> {
    allowed_of(None)
}

/// The CPUs on which a task may run, in rising order.
///
/// # Errors
/// When there is no such task or the call is denied.
pub(crate) fn allowed_of(task: Option<Pid>) -> Result<Vec<u32>> {
    let set = sched_getaffinity(task).map_err(Error::of("sched_getaffinity"))?;
    Ok((0..CpuSet::MAX_CPU as u32).filter(|&cpu| set.is_set(cpu as usize)).collect())
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
