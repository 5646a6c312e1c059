//! Settings that a process makes for itself and the programs that it becomes.

use crate::{Error, Result};
use rustix::mount::{MountPropagationFlags, UnmountFlags, mount_change, unmount as unmount_path};
use rustix::process::{
    SpeculationFeature, SpeculationFeatureControl, control_speculative_feature, setpriority_process,
};
use rustix::thread::{UnshareFlags, disable_transparent_huge_pages, unshare_unsafe};
use std::ffi::OsStr;

/// How the scheduler treats a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// As every other.
    Other,
    /// As one that nobody waits for.
    Batch,
    /// Only when no other process wants the CPU.
    Idle,
    /// Before all others of a lower real-time priority, which is at least 1, until it gives the CPU away.
    Fifo(i32),
    /// The same, alternating with those of its priority.
    RoundRobin(i32),
}

/// Sets a variable of the environment, or removes it.
///
/// # Errors
/// When there are other threads, which may read the environment.
pub fn set_variable(name: &str, value: Option<&OsStr>) -> Result<()> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return Err(Error { call: "setenv", errno: libc::EBUSY });
    }
    // SAFETY: this is the only thread, so that no other one reads the environment meanwhile.
    unsafe {
        match value {
            Some(value) => std::env::set_var(name, value),
            None => std::env::remove_var(name),
        }
    }
    Ok(())
}

/// Sets the nice value.
///
/// # Errors
/// When the kernel refuses.
pub fn set_nice(nice: i32) -> Result<()> {
    setpriority_process(None, nice).map_err(Error::in_call("setpriority"))
}

/// Sets the scheduling policy.
///
/// # Errors
/// When the kernel refuses: real-time policies are a privilege.
pub fn set_policy(policy: Policy) -> Result<()> {
    let (number, priority) = match policy {
        Policy::Other => (libc::SCHED_OTHER, 0),
        Policy::Batch => (libc::SCHED_BATCH, 0),
        Policy::Idle => (libc::SCHED_IDLE, 0),
        Policy::Fifo(priority) => (libc::SCHED_FIFO, priority),
        Policy::RoundRobin(priority) => (libc::SCHED_RR, priority),
    };
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the structure is valid for the call, and 0 is this process.
    let result = unsafe { libc::sched_setscheduler(0, number, &raw const parameters) };
    Error::check_errno("sched_setscheduler", result).map(|_| ())
}

/// Lays out programs from now on at the same addresses each time.
///
/// # Errors
/// When the kernel refuses.
pub fn stop_randomising_addresses() -> Result<()> {
    // SAFETY: the call takes an integer and touches no memory.
    Error::check_errno("personality", unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as u64) })
        .map(|_| ())
}

/// Backs no memory by huge pages from now on, but for what is asked for by hugetlbfs.
///
/// # Errors
/// When the kernel refuses.
pub fn stop_huge_pages() -> Result<()> {
    disable_transparent_huge_pages(true).map_err(Error::in_call("prctl(PR_SET_THP_DISABLE)"))
}

/// Stops the processor's speculation past stores and through indirect branches for this process, as far as the kernel
/// lets a process choose; how many of the two it could stop.
///
/// # Errors
/// When neither may be chosen.
pub fn stop_speculation() -> Result<usize> {
    let which = [SpeculationFeature::SpeculativeStoreBypass, SpeculationFeature::IndirectBranchSpeculation];
    let both = which.map(|which| control_speculative_feature(which, SpeculationFeatureControl::DISABLE));
    let stopped = both.iter().filter(|result| result.is_ok()).count();
    match both {
        [Err(error), Err(_)] => Err(Error::in_call("prctl(PR_SET_SPECULATION_CTRL)")(error)),
        _ => Ok(stopped),
    }
}

/// Gives this process and those that come from it mounts of their own, which nobody else sees and which end with them.
///
/// # Errors
/// When the kernel refuses: it is a privilege.
pub fn keep_mounts_private() -> Result<()> {
    // SAFETY: the table of descriptors stays as it is; no thread of this process would miss its mounts.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.map_err(Error::in_call("unshare"))?;
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change(c"/", private).map_err(Error::in_call("mount"))
}

/// Takes a mount away.
///
/// # Errors
/// When nothing is mounted there, or the kernel refuses.
pub fn unmount(path: &std::path::Path) -> Result<()> {
    unmount_path(path, UnmountFlags::DETACH).map_err(Error::in_call("umount"))
}
