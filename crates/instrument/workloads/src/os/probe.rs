//! Calls of a function with a probe on it.

use measure::{Bench, Result, choice, parameters};
use sys::bpf::CountingProgram;
use sys::probe::{self, Probe, ProbePoint};

choice! {
    /// What is at the function.
    pub enum At {
        /// Nothing.
        Nothing = "none",
        /// A debug register.
        Breakpoint = "breakpoint",
        /// A probe of the kernel at its entry.
        Uprobe = "uprobe",
        /// A probe of the kernel at its entry and its return.
        Uretprobe = "uretprobe",
    }
}

choice! {
    /// What happens when the probe is met.
    pub enum Handler {
        /// The event of the probe counts.
        Count = "count",
        /// A BPF program counts, too.
        Bpf = "bpf",
    }
}

parameters! {
    /// A function with a probe.
    pub struct Probed {
        /// What is there.
        probe: At,
        /// What happens then.
        handler: Option<Handler> = None,
    }
}

impl Probed {
    /// Sets the probe; `None` where there shall be none.
    fn set(self) -> sys::Result<Option<Probe>> {
        let at = match self.probe {
            At::Nothing => return Ok(None),
            At::Breakpoint => ProbePoint::Breakpoint,
            At::Uprobe => ProbePoint::Entry,
            At::Uretprobe => ProbePoint::Return,
        };
        let program = (self.handler == Some(Handler::Bpf)).then(CountingProgram::load).transpose()?;
        Probe::new(at, program).map(Some)
    }
}

/// Calls the function of the point, and counts how often its probe was met.
///
/// # Errors
/// Skipped where the kernel has no such probes or does not allow them.
pub fn call_probed(bench: &mut Bench<'_>) -> Result<()> {
    let probed: Probed = bench.parameters()?;
    let probe = probed.set()?;
    let mut calls = 0;
    bench.slope(&mut |n| {
        calls += n;
        Ok(probe::call(n))
    })?;
    let Some(probe) = probe else { return Ok(()) };
    bench.count("probe.hits", probe.hits()? as f64, calls as f64);
    if let Some(runs) = probe.runs()? {
        bench.count("probe.programs", runs as f64, calls as f64);
    }
    Ok(())
}
