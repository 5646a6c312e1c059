//! A traced process that stops at its system calls, as under a debugger or strace, until its tracer lets it go on.

use super::trace::{OPTIONS, ask_to_be_traced, request};
use crate::process::{self, Actor};
use crate::{Error, Result};

/// A process that the calling thread traces; it ends when this is dropped.
#[derive(Debug)]
pub struct Tracee(Option<Actor>);

impl Tracee {
    /// Forks a child that is traced and runs `act` on `cpu`. It stands still before `act`.
    ///
    /// # Errors
    /// When no process can be made, or tracing is denied.
    pub fn spawn(cpu: Option<u32>, act: impl FnOnce()) -> Result<Self> {
        let child = Actor::serve(cpu, || ask_to_be_traced().map(|()| act()))?;
        let mut tracee = Self(Some(child));
        if tracee.wait()? != libc::SIGSTOP {
            return Err(NOT_TRACED);
        }
        request(libc::PTRACE_SETOPTIONS, tracee.pid(), OPTIONS as usize)?;
        Ok(tracee)
    }

    /// Its process number; 0 once it has ended.
    pub fn pid(&self) -> i32 {
        self.0.as_ref().map_or(0, Actor::pid)
    }

    /// Lets it run until it enters or leaves a system call; whether it stopped for that.
    ///
    /// # Errors
    /// When it has ended, or a call is denied.
    #[inline(always)]
    pub fn run_to_stop(&mut self) -> Result<bool> {
        request(libc::PTRACE_SYSCALL, self.pid(), 0)?;
        Ok(self.wait()? == libc::SIGTRAP | 0x80)
    }

    /// Waits until it stops; gives the signal.
    fn wait(&mut self) -> Result<i32> {
        let (_, status) = process::wait_for_status(self.pid())?;
        if libc::WIFSTOPPED(status) {
            return Ok(libc::WSTOPSIG(status));
        }
        // Whoever has its number next must not be killed for it.
        if let Some(actor) = self.0.take() {
            actor.was_reaped();
        }
        Err(process::child_error().unwrap_or(NOT_TRACED))
    }
}

/// A child that ends or stops otherwise than a traced one.
const NOT_TRACED: Error = Error { call: "ptrace", errno: libc::EPERM };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Mapping;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_traced_process_stops_twice_at_each_call() {
        let page = Mapping::shared(8).unwrap();
        let made = page.words().first().unwrap();
        let tracee = Tracee::spawn(None, || {
            loop {
                process::getppid();
                made.fetch_add(1, Ordering::AcqRel);
            }
        });
        if !programs::can("ptrace of a child", tracee.is_ok()) {
            return;
        }
        let mut tracee = tracee.unwrap();
        for calls in 0..5 {
            assert!(tracee.run_to_stop().unwrap() && tracee.run_to_stop().unwrap());
            assert_eq!(made.load(Ordering::Acquire), calls, "at the end of a call, before it is counted");
        }
    }
}
