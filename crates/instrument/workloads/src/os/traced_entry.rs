//! A system call at whose tracepoint a BPF program counts.

use measure::{Bench, Failure, Result, choice, parameters};
use sys::namespaces::has_first_process_numbers;
use sys::process::{getuid, repeat_getuid};
use sys::tracepoint::TracedEntry;

choice! {
    /// What is at the entry of system calls.
    pub enum AtEntry {
        /// Nothing.
        Nothing = "none",
        /// A BPF program at the raw tracepoint.
        Tracepoint = "tracepoint",
    }
}

parameters! {
    /// A system call with a probe.
    pub struct ProbedCall {
        /// What is there.
        probe: AtEntry,
    }
}

/// Calls getuid, and counts how often the program of the point counted it.
///
/// # Errors
/// Skipped where the kernel has no BPF or does not allow it.
pub fn call_traced_entry(bench: &mut Bench<'_>) -> Result<()> {
    let ProbedCall { probe } = bench.parameters()?;
    let traced = (probe == AtEntry::Tracepoint).then(attach).transpose()?;
    let calls = repeat_calls(bench)?;
    if let Some(traced) = traced {
        bench.count("probe.programs", traced.runs()? as f64, calls as f64);
    }
    Ok(())
}

/// Attaches the program for calls of this thread.
///
/// # Errors
/// Skipped where it would not recognise the thread, or BPF is denied.
pub fn attach() -> Result<TracedEntry> {
    if has_first_process_numbers() {
        return Ok(TracedEntry::new()?);
    }
    let reason = "a BPF program reads the number that this thread has in the first PID namespace, which it cannot know";
    Err(Failure::skipped(reason, "run outside of containers, in the first PID namespace"))
}

/// The calls themselves; gives how many there were.
///
/// # Errors
/// When a call fails.
pub fn repeat_calls(bench: &mut Bench<'_>) -> Result<u64> {
    let user = getuid();
    let mut calls = 0;
    bench.slope(&mut |n| {
        calls += n;
        Ok(repeat_getuid(user, n))
    })?;
    // The number was read before the first batch, where the program was attached already.
    Ok(calls + 1)
}
