//! What changed around a run while it was measured: facts of the machine, and who else used its CPUs.

use crate::FactValue;
use serde::{Deserialize, Serialize};

/// A fact that has another value than before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FactChange {
    /// The fact's key.
    pub key: String,
    /// Its value until then.
    pub before: FactValue,
    /// Its value from then on.
    pub after: FactValue,
}

/// Facts that changed during the run. Trials that began between the two readings belong to neither state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineChange {
    /// When the values from before were last read, in nanoseconds since the start of the run.
    pub after_ns: u64,
    /// When the new values were read, in nanoseconds since the start of the run.
    pub at_ns: u64,
    /// The same as a time of day, RFC 3339, UTC.
    pub at: String,
    /// What changed.
    pub changes: Vec<FactChange>,
}

/// What disturbed a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DisturbanceKind {
    /// Other programs used CPU time.
    OtherProgram {
        /// The CPU; `None` where only the sum over all CPUs is known.
        cpu: Option<u32>,
        /// Share of one CPU's time.
        share: f64,
        /// The program, where it can be seen; `and others` behind the one that used most.
        name: Option<String>,
    },
    /// The hypervisor ran something else on the CPU (steal time).
    Stolen {
        /// The CPU.
        cpu: u32,
        /// Share of its time.
        share: f64,
    },
    /// The CPU quota of a control group was used up.
    Throttled {
        /// Periods of the quota.
        periods: u64,
        /// Periods in which the group was stopped.
        throttled: u64,
    },
    /// The machine slept.
    Suspended {
        /// For how long.
        seconds: f64,
    },
    /// The run itself did not get to run: stopped by a signal, frozen, or its virtual machine paused.
    Halted {
        /// For how long.
        seconds: f64,
    },
    /// Another run of oscope measured on this machine.
    OtherRun {
        /// Its process, where it can be seen.
        pid: Option<u32>,
    },
}

/// A part of the run in which something disturbed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disturbance {
    /// Its begin, in nanoseconds since the start of the run.
    pub from_ns: u64,
    /// Its end, in nanoseconds since the start of the run.
    pub to_ns: u64,
    /// The begin as a time of day, RFC 3339, UTC.
    pub from: String,
    /// The end as a time of day, RFC 3339, UTC.
    pub to: String,
    /// What it was.
    #[serde(flatten)]
    pub kind: DisturbanceKind,
}
