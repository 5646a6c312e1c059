//! The lines of a record.

use crate::{
    Disturbance, Machine, MachineChange, Plan, PointId, Prediction, Rehearsal, Summary, Trial, TrialFailure,
};
use serde::{Deserialize, Serialize};

/// Version of the schema that this program writes. It reads this and every older one.
pub const SCHEMA: u32 = 1;

/// The first line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// Always `oscope`.
    pub format: String,
    /// Version of the schema.
    pub schema: u32,
    /// Version of the program.
    pub program: String,
    /// Commit from which the program was built, where known.
    pub commit: Option<String>,
    /// Start of the run, RFC 3339, UTC; to the millisecond, or in earlier records to the second.
    pub started: String,
    /// The words of the command line.
    pub arguments: Vec<String>,
    /// A digest of the identity that the kernel drew at random when the machine booted, where known: records of one digest
    /// are of one machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}

impl Header {
    /// The second in which the run began, as people write it.
    pub fn second(&self) -> String {
        self.started.split_once('.').map_or_else(|| self.started.clone(), |(second, _)| format!("{second}Z"))
    }
}

/// The other end of a run's network measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PeerEnd {
    /// Where it listened, as `HOST:PORT`.
    pub address: String,
    /// Its program and the version of it.
    pub program: String,
    /// Version of the protocol that was spoken.
    pub protocol: u16,
    /// Whether it empties the cache of its machine when it is asked to.
    #[serde(default)]
    pub drops_caches: bool,
    /// Its machine.
    pub machine: Machine,
}

/// A round is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundEnd {
    /// Which, from 1.
    pub round: u32,
    /// When, since the start of the run, in nanoseconds.
    pub at_ns: u64,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// Every point is narrow enough.
    Narrow,
    /// The time budget is spent.
    Budget,
    /// The largest number of rounds is reached.
    Rounds,
    /// The user stopped it.
    Interrupted,
}

/// The last line of a run that ended by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct End {
    /// Why.
    pub reason: EndReason,
    /// When, since the start of the run, in nanoseconds.
    pub at_ns: u64,
    /// Rate of the time counter at the end divided by that at the start, less one.
    pub clock_drift: Option<f64>,
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// What this file is.
    Header(Header),
    /// The machine.
    Machine(Machine),
    /// The machine at the other end, where there is one.
    Peer(PeerEnd),
    /// What is going to be done.
    Plan(Plan),
    /// What a point should cost.
    Prediction {
        /// The point.
        id: PointId,
        /// Its terms.
        #[serde(flatten)]
        prediction: Prediction,
    },
    /// What the tracer saw.
    Rehearsal(Rehearsal),
    /// One trial.
    Trial(Box<Trial>),
    /// One trial that gave nothing.
    Failure(TrialFailure),
    /// A round is complete.
    Round(RoundEnd),
    /// Facts of the machine changed.
    Change(MachineChange),
    /// Something disturbed the run.
    Disturbance(Disturbance),
    /// The run was taken up again.
    Resumed {
        /// When, RFC 3339, UTC.
        at: String,
    },
    /// The run is over.
    End(End),
    /// What it came to.
    Summary(Summary),
}
