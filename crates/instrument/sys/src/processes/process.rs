//! Processes: actors that live beside the worker, children that are counted, and how none is left behind.

use crate::{Error, Result, arch, cpu};
use rustix::process::{Pid, Signal, kill_process};
use rustix::process::{parent_process_death_signal, set_parent_process_death_signal};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

mod child_error;
pub mod create;
mod without_arguments;

pub use child_error::{child_error, no_child_error, report_child_error};
pub use create::fork_exit;
pub use without_arguments::*;

/// A child process that acts as the other side of an operation; killed and reaped when dropped.
#[derive(Debug)]
pub struct Actor {
    pid: i32,
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

impl Ended {
    /// By SIGKILL.
    pub const BY_KILL: Self = Self::Killed(libc::SIGKILL);

    /// What a status of `wait4` says.
    pub(crate) fn from_status(status: i32) -> Self {
        if libc::WIFEXITED(status) {
            Self::Exited(libc::WEXITSTATUS(status))
        } else {
            Self::Killed(libc::WTERMSIG(status))
        }
    }
}

impl Actor {
    /// Forks a child that runs `act` on `cpu` and exits with what it gives. The child dies when this
    /// process dies. Only for processes with one thread.
    ///
    /// # Errors
    /// When no process can be made.
    pub fn spawn(cpu: Option<u32>, act: impl FnOnce() -> i32) -> Result<Self> {
        let parent = getpid();
        // A child that may not set its parent-death signal could not report why it ends.
        may_bind_to_parent()?;
        child_error::prepare();
        // SAFETY: workers have one thread when they fork, so the child may go on as a full process.
        match unsafe { libc::fork() } {
            -1 => Err(Error::last("fork")),
            0 => {
                let bound = die_with_parent(parent).and_then(|()| cpu.map_or(Ok(()), cpu::pin));
                let status = match bound {
                    Ok(()) => act(),
                    Err(error) => {
                        report_child_error(error);
                        EXIT_UNBOUND
                    }
                };
                exit_now(status)
            }
            pid => Ok(Self { pid }),
        }
    }

    /// The same for what may be refused: the child exits with 0, or reports its error ([`child_error`]) and exits
    /// with 1. By then what `act` had open is closed: where others see that, it reports before ([`report_child_error`]).
    ///
    /// # Errors
    /// When no process can be made.
    pub fn serve(cpu: Option<u32>, act: impl FnOnce() -> Result<()>) -> Result<Self> {
        Self::spawn(cpu, || match act() {
            Ok(()) => 0,
            Err(error) => {
                report_child_error(error);
                1
            }
        })
    }

    /// Its process number.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Sends it SIGKILL, by the system-call instruction.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn kill(&self) -> Result<()> {
        let arguments = [self.pid as usize, libc::SIGKILL as usize];
        // SAFETY: the call takes integers; the child has not been reaped, so the number is still its own.
        unsafe { arch::try_syscall::<{ libc::SYS_kill }, _>(arguments) }.map(|_| ())
    }

    /// Says that it has ended and was waited for elsewhere, so that nothing is killed by its number.
    pub(crate) fn was_reaped(self) {
        std::mem::forget(self);
    }

    /// Waits until it has ended by itself.
    ///
    /// # Errors
    /// When it was reaped elsewhere, or the call is denied: then it is killed.
    pub fn join(self) -> Result<Ended> {
        let ended = wait_for(self.pid).map(|(_, ended)| ended);
        // One that was reaped has no number any more.
        if ended.is_ok() || ended.is_err_and(|error| error.errno == libc::ECHILD) {
            self.was_reaped();
        }
        ended
    }
}

/// Exit status of an actor that could not be bound to its CPU or to its parent's life.
pub const EXIT_UNBOUND: i32 = 97;

impl Drop for Actor {
    fn drop(&mut self) {
        // The child has not been reaped, so the number is still its own.
        let killed = Pid::from_raw(self.pid).map(|pid| kill_process(pid, Signal::KILL));
        // Where that is denied it dies with this process: it may wait for what never comes.
        if killed.is_some_and(|killed| killed.is_ok()) {
            let _ = wait_for(self.pid);
        }
    }
}

/// Ends this process at once: no destructors, no buffers, no exit handlers.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: the call does not return.
    unsafe { libc::_exit(status) }
}

/// Asks the kernel to kill this process when its parent dies; fails if that has happened already. The numbers are the
/// kernel's: a preloaded library may answer for it.
///
/// # Errors
/// When the parent is not `parent` any more, or the call is denied.
pub(crate) fn die_with_parent(parent: isize) -> Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Error::in_call("prctl"))?;
    if getppid() == parent { Ok(()) } else { Err(Error { call: "getppid", errno: libc::ESRCH }) }
}

/// Whether [`die_with_parent`] is allowed here; asks the kernel the same call for what is set, which changes
/// nothing, and the numbers that it compares.
fn may_bind_to_parent() -> Result<()> {
    Error::check("getpid", getpid())?;
    Error::check("getppid", getppid())?;
    parent_process_death_signal().map(|_| ()).map_err(Error::in_call("prctl"))
}

/// Waits for a child of any kind (`-1` for whichever ends first).
///
/// # Errors
/// When there is no such child.
pub fn wait_for(pid: i32) -> Result<(i32, Ended)> {
    wait_for_status(pid).map(|(pid, status)| (pid, Ended::from_status(status)))
}

/// The same with the status as the kernel gives it.
pub(crate) fn wait_for_status(pid: i32) -> Result<(i32, i32)> {
    let mut status = 0;
    let arguments = [pid as usize, &raw mut status as usize, libc::__WALL as usize];
    // SAFETY: `status` is valid for writing; no usage is asked for.
    let reaped = unsafe { arch::try_syscall::<{ libc::SYS_wait4 }, _>(arguments) }?;
    Ok((reaped as i32, status))
}

/// Numbers of the user and the group with whose rights this process runs.
pub fn effective_user_and_group() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}

/// The CPUs on which the threads of this process and of its children are, or were last; `None` where /proc
/// does not tell: it is not mounted, the kernel keeps no lists of children, or it names a CPU that a task may not use (gVisor
/// always says 0).
pub fn cpus_of_actors() -> Option<BTreeSet<u32>> {
    let mut cpus = BTreeSet::new();
    for thread in fs::read_dir("/proc/self/task").ok()? {
        let thread = thread.ok()?.path();
        cpus.insert(last_cpu(&thread)?);
        for child in acting_children(&thread)? {
            cpus.insert(last_cpu(&Path::new("/proc").join(child.to_string()))?);
        }
    }
    Some(cpus)
}

/// How many processes the actors are: this one and its children that have not ended; `None` where /proc does not
/// tell. Threads are no processes of their own.
pub fn processes_of_actors() -> Option<usize> {
    let mut count = 1;
    for thread in fs::read_dir("/proc/self/task").ok()? {
        count += acting_children(&thread.ok()?.path())?.len();
    }
    Some(count)
}

/// The directories in `/proc` of the calling thread and of all tasks that are actors beside it, the calling thread first; empty
/// where /proc does not show them.
pub fn tasks_of_actors() -> Vec<PathBuf> {
    let own = Path::new("/proc/self/task").join(gettid().to_string());
    let mut tasks = vec![own.clone()];
    for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let children = acting_children(&thread.path()).unwrap_or_default();
        tasks.extend(children.iter().map(|child| Path::new("/proc").join(child.to_string())));
        if thread.path() != own {
            tasks.push(thread.path());
        }
    }
    tasks
}

/// Children that are no actors, but part of how the actors are measured.
static BESIDE_ACTORS: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Leaves these children out wherever the actors are counted.
pub(crate) fn leave_out_of_actors(pids: impl Iterator<Item = i32>) {
    if let Ok(mut beside) = BESIDE_ACTORS.lock() {
        beside.extend(pids);
    }
}

/// The children that were left out of the actors.
pub(crate) fn left_out_of_actors() -> Vec<i32> {
    BESIDE_ACTORS.lock().map(|beside| beside.clone()).unwrap_or_default()
}

/// The children of a thread of this process that are actors.
pub(crate) fn acting_children(thread: &Path) -> Option<Vec<i32>> {
    let beside = BESIDE_ACTORS.lock().ok()?;
    let children = fs::read_to_string(thread.join("children")).ok()?;
    let numbers = children.split_whitespace().filter_map(|child| child.parse().ok());
    Some(numbers.filter(|child| !beside.contains(child)).collect())
}

/// The CPU on which a task was last, if it may be there.
fn last_cpu(task: &Path) -> Option<u32> {
    let number = task.file_name()?.to_str()?.parse().ok()?;
    let named = named_cpu(&fs::read_to_string(task.join("stat")).ok()?)?;
    let allowed = cpu::allowed_of(Pid::from_raw(number)).ok()?;
    allowed.contains(&named).then_some(named)
}

/// Field 39 of a task's stat, counted behind the name, which may hold spaces: see proc_pid_stat(5).
fn named_cpu(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(39 - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_on_a_cpu_that_it_may_use() {
        if let (Some(cpus), Ok(allowed)) = (cpus_of_actors(), cpu::allowed()) {
            assert!(
                !cpus.is_empty() && cpus.iter().all(|cpu| allowed.contains(cpu)),
                "{cpus:?} of {allowed:?}"
            );
        }
    }
}
