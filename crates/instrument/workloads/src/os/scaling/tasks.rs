//! Calls on tasks: an id, a yield, a signal, a child, a thread.

use super::object::{Object, object};
use measure::Result;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::process::{self, Ended, fork_exit, wait_for};
use sys::signal::{self, Handler};
use sys::thread::posix::create_and_join;

/// The number of the parent.
pub(super) fn getppid() -> Result<Box<dyn Object>> {
    object(process::getppid(), |parent, _| Ok(process::getppid() == *parent))
}

/// A yield without another runnable task.
pub(super) fn sched_yield() -> Result<Box<dyn Object>> {
    object((), |(), _| sys::sleep::yield_cpu_by_libc().map(|()| true))
}

/// A signal to the own process, which its handler counts before the call returns.
pub(super) fn signal() -> Result<Box<dyn Object>> {
    object((Handler::counting()?, signal::own_number()), |(handler, own), _| {
        let before = signal::handled();
        Ok(handler.send(*own)? == before + 1)
    })
}

/// A child that exits at once, waited for.
pub(super) fn fork() -> Result<Box<dyn Object>> {
    const STATUS: i32 = 7;
    object((), |(), _| {
        let child = fork_exit(STATUS)?;
        Ok(wait_for(child)? == (child, Ended::Exited(STATUS)))
    })
}

/// A thread that counts and ends, joined.
pub(super) fn thread() -> Result<Box<dyn Object>> {
    object(AtomicU64::new(0), |ran, _| {
        let before = ran.load(Ordering::Relaxed);
        create_and_join(
            &|| {
                ran.fetch_add(1, Ordering::Relaxed);
            },
            || (),
        )?;
        Ok(ran.load(Ordering::Relaxed) == before + 1)
    })
}
