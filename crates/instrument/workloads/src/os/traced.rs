//! System calls of a traced process.

use crate::shared_words::SharedWords;
use measure::{Bench, Result, Work};
use sys::process::getppid;
use sys::stops::Tracee;
use sys::usage::CpuClock;

/// The word in which the traced process counts its calls.
const MADE: usize = 0;

/// Calls of another process, which stops at the entry and at the exit of each.
///
/// # Errors
/// Skipped where tracing is denied.
pub fn call_traced(bench: &mut Bench<'_>) -> Result<()> {
    let page = SharedWords::new(8)?;
    let mut tracee = Tracee::spawn(bench.peer_cpu(), || {
        let mut made = 0;
        while getppid() >= 0 {
            made += 1;
            page.set(MADE, made);
        }
    })?;
    let cpu = vec![CpuClock::THREAD, CpuClock::of_process(tracee.pid())];
    let mut calls: u64 = 0;
    bench.batches(Work {
        cpu,
        ..Work::new(&mut |n| {
            let mut right = 0;
            for _ in 0..n {
                let is_stopped = tracee.run_to_stop()? && tracee.run_to_stop()?;
                // At the exit of a call the traced process has counted those before it.
                right += u64::from(is_stopped && page.get(MADE) == calls);
                calls += 1;
            }
            Ok(right)
        })
    })?;
    // One more stop, at the entry of the next call: the last one is counted.
    tracee.run_to_stop()?;
    bench.count("stops.calls", page.get(MADE) as f64, calls as f64);
    Ok(())
}
