//! Probes that are not met: what `probe.hits` and `probe.programs` must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Result};
use sys::probe;
use workloads::os::traced_entry::{attach, repeat_calls};

/// Calls the function, and counts what is claimed of its probe.
fn call_without(bench: &mut Bench<'_>, counters: &[(&str, bool)]) -> Result<()> {
    let mut calls = 0;
    bench.slope(&mut |n| {
        calls += n;
        Ok(probe::call(n))
    })?;
    for (counter, is_met) in counters {
        bench.count(counter, if *is_met { calls as f64 } else { 0.0 }, calls as f64);
    }
    Ok(())
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.probes.on_another_function",
        of: "probe.function probe=uprobe handler=count",
        mistake: "the probe is on another function than the one that is called",
        caught_by: Caught::By("probe.hits"),
        run: |bench| call_without(bench, &[("probe.hits", false)]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.probes.program_not_attached",
        of: "probe.function probe=uprobe handler=bpf",
        mistake: "the program is loaded, but not attached to the probe",
        caught_by: Caught::By("probe.programs"),
        run: |bench| call_without(bench, &[("probe.hits", true), ("probe.programs", false)]),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.probes.attached_by_another_thread",
        of: "probe.syscall probe=tracepoint",
        mistake: "another thread attaches the program, which then counts the calls of that one",
        caught_by: Caught::By("probe.programs"),
        run: |bench| {
            let attached = std::thread::spawn(attach).join();
            let traced = attached.unwrap_or_else(|_| Err(Failure::failed("the other thread ended")))?;
            let calls = repeat_calls(bench)?;
            bench.count("probe.programs", traced.runs()? as f64, calls as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
];
