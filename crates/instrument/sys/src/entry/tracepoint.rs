//! A BPF program at the tracepoint through which the kernel passes every system call.

use super::bpf::{CountingProgram, Purpose};
use crate::Result;
use crate::descriptor::Descriptor;

/// A program that counts each getuid of the thread that attached it, until this is dropped.
#[derive(Debug)]
pub struct TracedEntry {
    _attached: Descriptor,
    program: CountingProgram,
}

impl TracedEntry {
    /// Loads the program and attaches it to the raw tracepoint `sys_enter`.
    ///
    /// # Errors
    /// When the kernel has no BPF or no such tracepoint, or does not allow it.
    pub fn new() -> Result<Self> {
        let program = CountingProgram::load_for(Purpose::Tracepoint(libc::SYS_getuid))?;
        Ok(Self { _attached: program.open_tracepoint(c"sys_enter")?, program })
    }

    /// How often it counted.
    ///
    /// # Errors
    /// When the count cannot be read.
    pub fn runs(&self) -> Result<u64> {
        self.program.runs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::namespaces::has_first_process_numbers;
    use crate::process::{getpid, getuid};

    #[test]
    fn a_program_counts_the_one_call_of_its_thread_and_no_others() {
        let traced = TracedEntry::new();
        let is_allowed = !traced.as_ref().is_err_and(|error| error.is_denied() || error.is_missing());
        if !programs::can("BPF at tracepoints", is_allowed && has_first_process_numbers()) {
            return;
        }
        let traced = traced.unwrap();
        let other = std::thread::spawn(|| (0..50).all(|_| getuid() >= 0));
        assert!((0..100).all(|_| getuid() >= 0) && getpid() > 0);
        assert!(other.join().unwrap());
        assert_eq!(traced.runs(), Ok(100));
    }
}
