//! How a worker begins: it dies with its supervisor and meets signals as a plain program does.

/// Undoes what the Rust runtime set up for itself: SIGPIPE kills again, as it does any program in a pipeline.
pub fn restore_sigpipe() {
    // SAFETY: the default action needs no handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// Lets this process be killed when the other end of its standard input, a pipe, is closed: the kernel
/// sends SIGIO, whose default action ends a process, also when it sits in an endless loop. Holds through
/// prefixes that fork (`sh -c`, `unshare --fork`), where the parent is not the supervisor.
/// Call it after the last byte was read: anything written later kills as well.
/// Where standard input is no pipe, nothing happens. Gives whether the other end is still there.
pub fn die_with_standard_input() -> bool {
    // SAFETY: the arguments are integers; a descriptor that is no pipe refuses, which is harmless.
    unsafe {
        libc::signal(libc::SIGIO, libc::SIG_DFL);
        libc::fcntl(0, libc::F_SETOWN, libc::getpid());
        let flags = libc::fcntl(0, libc::F_GETFL);
        if flags >= 0 {
            libc::fcntl(0, libc::F_SETFL, flags | libc::O_ASYNC);
        }
        // It may have been closed before the kernel was asked to tell.
        let mut input = libc::pollfd {
            fd: 0,
            events: 0,
            revents: 0,
        };
        libc::poll(&raw mut input, 1, 0) <= 0 || input.revents & libc::POLLHUP == 0
    }
}

/// Kills every process of a group; for workers that were told to be gone.
pub fn kill_group(leader: u32) {
    if let Ok(group) = i32::try_from(leader)
        && group > 1
    {
        // SAFETY: a negative number names the group; a group that is gone refuses, which is as good.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// What became of waiting for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// Some descriptor can be read or is closed at the other end: one flag for each.
    Ready([bool; 2]),
    /// A signal arrived first.
    Interrupted,
    /// The time is over.
    TimedOut,
}

/// Waits until one of two descriptors can be read, at most so many milliseconds; a negative descriptor is
/// left out.
pub fn wait_readable(descriptors: [i32; 2], milliseconds: i32) -> Waited {
    let mut polled = descriptors.map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    // SAFETY: the array is valid for its two entries.
    match unsafe { libc::poll(polled.as_mut_ptr(), 2, milliseconds) } {
        0 => Waited::TimedOut,
        count if count < 0 => Waited::Interrupted,
        _ => Waited::Ready(polled.map(|entry| entry.revents != 0)),
    }
}
