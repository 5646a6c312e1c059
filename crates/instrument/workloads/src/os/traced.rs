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
    call_in_stops(bench, 2)
}

/// The same where this number of stops is taken for a call.
///
/// # Errors
/// Skipped where tracing is denied.
pub fn call_in_stops(bench: &mut Bench<'_>, per_call: u64) -> Result<()> {
    let page = SharedWords::new(8)?;
    let mut tracee = Tracee::spawn(bench.peer_cpu(), || {
        let mut made = 0;
        while getppid() >= 0 {
            made += 1;
            page.set(MADE, made);
        }
    })?;
    let cpu = vec![CpuClock::THREAD, CpuClock::of_process(tracee.pid())];
    let (mut calls, mut stops): (u64, u64) = (0, 0);
    bench.batches(Work {
        cpu,
        ..Work::new(&mut |n| {
            let mut right = 0;
            for _ in 0..n {
                let mut is_stopped = true;
                for _ in 0..per_call {
                    is_stopped &= tracee.run_to_stop()?;
                }
                (calls, stops) = (calls + 1, stops + per_call);
                // At the exit of a call the traced process has counted those before it.
                right += u64::from(is_stopped && page.get(MADE) == (stops - 1) / 2);
            }
            Ok(right)
        })
    })?;
    // One more stop, at the entry of the next call: the last one is counted.
    tracee.run_to_stop()?;
    bench.count("stops.calls", page.get(MADE) as f64, calls as f64);
    Ok(())
}
