//! Settings that a process makes for itself and the programs that it becomes.

use crate::{Error, Result};
use rustix::process;

// linux/prctl.h; the crate `libc` has them for some architectures only.
const PR_SET_SPECULATION_CTRL: libc::c_int = 53;
const PR_SPEC_STORE_BYPASS: libc::c_ulong = 0;
const PR_SPEC_INDIRECT_BRANCH: libc::c_ulong = 1;
const PR_SPEC_DISABLE: libc::c_ulong = 1 << 2;

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

/// Sets the nice value.
///
/// # Errors
/// When the kernel refuses.
pub fn set_nice(nice: i32) -> Result<()> {
    process::setpriority_process(None, nice).map_err(Error::of("setpriority"))
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
    checked("sched_setscheduler", unsafe { libc::sched_setscheduler(0, number, &raw const parameters) })
}

/// Lays out programs from now on at the same addresses each time.
///
/// # Errors
/// When the kernel refuses.
pub fn stop_randomising_addresses() -> Result<()> {
    // SAFETY: the call takes an integer and touches no memory.
    checked("personality", unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as u64) })
}

/// Backs no memory by huge pages from now on, but for what is asked for by hugetlbfs.
///
/// # Errors
/// When the kernel refuses.
pub fn stop_huge_pages() -> Result<()> {
    // SAFETY: the arguments are integers.
    checked("prctl(PR_SET_THP_DISABLE)", unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) })
}

/// Stops the processor's speculation past stores and through indirect branches for this process, as far as the kernel
/// lets a process choose; how many of the two it could stop.
///
/// # Errors
/// When neither may be chosen.
pub fn stop_speculation() -> Result<usize> {
    let stop = |which: libc::c_ulong| {
        // SAFETY: the arguments are integers.
        checked("prctl(PR_SET_SPECULATION_CTRL)", unsafe {
            libc::prctl(PR_SET_SPECULATION_CTRL, which, PR_SPEC_DISABLE, 0, 0)
        })
    };
    let both = [PR_SPEC_STORE_BYPASS, PR_SPEC_INDIRECT_BRANCH].map(stop);
    let stopped = both.iter().filter(|result| result.is_ok()).count();
    match both {
        [Err(error), Err(_)] => Err(error),
        _ => Ok(stopped),
    }
}

/// Gives this process and those that come from it mounts of their own, which nobody else sees and which end with them.
///
/// # Errors
/// When the kernel refuses: it is a privilege.
pub fn keep_mounts_private() -> Result<()> {
    // SAFETY: the call takes an integer; this process shares its mounts with no thread of its own that would miss them.
    checked("unshare", unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    let (private, nothing) = (libc::MS_REC | libc::MS_PRIVATE, std::ptr::null());
    // SAFETY: the place is a C string, and a change of propagation looks at nothing else.
    checked("mount", unsafe { libc::mount(nothing, c"/".as_ptr(), nothing, private, std::ptr::null()) })
}

/// Takes a mount away.
///
/// # Errors
/// When nothing is mounted there, or the kernel refuses.
pub fn unmount(path: &std::path::Path) -> Result<()> {
    rustix::mount::unmount(path, rustix::mount::UnmountFlags::DETACH).map_err(Error::of("umount"))
}

fn checked(what: &'static str, result: libc::c_int) -> Result<()> {
    if result < 0 { Err(Error::last(what)) } else { Ok(()) }
}
