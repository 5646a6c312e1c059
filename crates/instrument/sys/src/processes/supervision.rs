//! The bond between a worker and its supervisor: the worker ends when the supervisor does, which waits for it and kills it.

use crate::poll::{self, Entry};
use crate::{Error, Result, process};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open, setpgid};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Makes a write to a closed connection an error (EPIPE) instead of the end of this process.
pub fn ignore_sigpipe() {
    // SAFETY: no handler of ours is involved.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}

/// Lets this process end when the other end of its standard input, a pipe, is closed: the kernel sends SIGIO,
/// which is handled also in an endless loop. Holds through prefixes that fork (`sh -c`, `unshare --fork`),
/// where the parent is not the supervisor.
/// Where standard input is no pipe, nothing happens. Gives whether the other end is still there.
pub fn exit_when_stdin_closes() -> bool {
    // The kernel also sends the signal for what is written, and for the last bytes that were written it may
    // come after they were read: so the signal alone must not kill.
    let handler: extern "C" fn(libc::c_int) = exit_if_orphaned;
    // SAFETY: the handler calls only what a handler may; the other arguments are integers, and a descriptor
    // that is no pipe refuses, which is harmless.
    unsafe {
        libc::signal(libc::SIGIO, handler as libc::sighandler_t);
        libc::fcntl(0, libc::F_SETOWN, process::getpid() as libc::pid_t);
        let flags = libc::fcntl(0, libc::F_GETFL);
        if flags >= 0 {
            libc::fcntl(0, libc::F_SETFL, flags | libc::O_ASYNC);
        }
    }
    // It may have been closed before the signal was requested.
    standard_input_is_open()
}

/// Whether the other end of standard input is still there; poll may be called by a signal's handler.
fn standard_input_is_open() -> bool {
    let mut input = [Entry::closing(0)];
    poll::wait(&mut input, 0).is_err() || !input[0].is_hung_up()
}

extern "C" fn exit_if_orphaned(_signal: libc::c_int) {
    // SAFETY: the location is the calling thread's own; what the handler interrupts must find its errno again.
    let errno = unsafe { *libc::__errno_location() };
    if !standard_input_is_open() {
        process::exit_now(EXIT_ORPHANED);
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// Exit status of a worker whose supervisor is gone; nothing is left to read it.
const EXIT_ORPHANED: i32 = 98;

/// Kills every process of a group.
pub fn kill_group(leader: u32) {
    let group = i32::try_from(leader).ok().filter(|&group| group > 1);
    if let Some(group) = group.and_then(Pid::from_raw) {
        // A group that is gone refuses, which is as good.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Forks a child of its own process group that runs `act` and then waits to be killed; gives its process number. It dies
/// with this process. Only for processes with one thread.
///
/// # Errors
/// When no process can be made.
pub fn fork_until_killed(act: impl FnOnce()) -> Result<u32> {
    let parent = process::getpid();
    // SAFETY: the caller has one thread, so the child may go on as a full process.
    let pid = match unsafe { libc::fork() } {
        -1 => return Err(Error::last("fork")),
        0 => {
            let bound = process::die_with_parent(parent).and_then(|()| own_group(None));
            if bound.is_err() {
                process::exit_now(process::EXIT_UNBOUND);
            }
            act();
            loop {
                rustix::event::pause();
            }
        }
        pid => u32::try_from(pid).unwrap_or(0),
    };
    // Whichever of the two is first: the group is there before it may be killed.
    let _ = own_group(Some(pid));
    Ok(pid)
}

/// Lets a program that is started be killed when the thread that starts it ends.
pub fn bind_to_this_thread(command: &mut Command) -> &mut Command {
    let parent = process::getpid();
    // SAFETY: the closure makes two system calls and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            process::die_with_parent(parent).map_err(|error| io::Error::from_raw_os_error(error.errno))
        })
    }
}

/// Puts a child, or this process, into a group of its own.
fn own_group(child: Option<u32>) -> Result<()> {
    let child = child.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    setpgid(child, None).map_err(Error::in_call("setpgid"))
}

/// What became of attending a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attended {
    /// It has ended, and can be waited for; or the kernel cannot tell, and it must be waited for.
    Ended,
    /// It has not, and the other end of standard input is closed or the time is over.
    Abandoned,
}

/// Waits until a child has ended; without a limit, until the other end of standard input is closed, and otherwise that
/// long. It sleeps meanwhile, beside what the child measures.
pub fn attend(child: u32, limit: Option<Duration>) -> Attended {
    let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
    let opened = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let Some(descriptor) = opened else {
        return Attended::Ended;
    };
    let input = if limit.is_none() { 0 } else { -1 };
    let mut entries = [Entry::reading(descriptor.as_raw_fd()), Entry::closing(input)];
    let milliseconds = limit.map_or(-1, |limit| i32::try_from(limit.as_millis()).unwrap_or(i32::MAX));
    // Nothing here handles a signal: it ends early only where the kernel refuses.
    match poll::wait(&mut entries, milliseconds) {
        Err(_) => Attended::Ended,
        Ok(_) if entries.first().is_some_and(Entry::is_ready) => Attended::Ended,
        Ok(_) => Attended::Abandoned,
    }
}

/// What became of waiting for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited<const N: usize> {
    /// Some descriptor can be read or is closed at the other end: one flag for each.
    Ready([bool; N]),
    /// A signal arrived first.
    Interrupted,
    /// The time is over.
    TimedOut,
}

/// Waits until one of some descriptors can be read, at most `milliseconds`; a negative descriptor is
/// left out.
pub fn wait_readable<const N: usize>(descriptors: [i32; N], milliseconds: i32) -> Waited<N> {
    let mut entries = descriptors.map(Entry::reading);
    match poll::poll(&mut entries, milliseconds) {
        Ok(0) => Waited::TimedOut,
        Ok(_) => Waited::Ready(entries.map(|entry| entry.is_ready())),
        Err(_) => Waited::Interrupted,
    }
}
