//! What a worker is asked and what it answers: batches with their raw counts, and evidence.

use crate::defaults::is_default;
use crate::{PointId, Skip, Tail, TailRequest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Why a worker is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To time batches.
    Trial,
    /// To be traced, untimed.
    Rehearsal,
    /// To say what it sees of itself.
    Attributes,
}

/// What a process sees of itself, by name: its namespaces, filters, priority, kernel.
pub type Attributes = BTreeMap<String, String>;

/// Where the other end of a network measurement listens, and what proves that we may use it. It is given to
/// workers and never written to a record.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PeerLink {
    /// `HOST:PORT`.
    pub address: String,
    /// Its key, which is secret.
    pub key: String,
    /// Why data carried by a protocol (`tcp`, `udp`) did not reach it when the run began: nothing is tried by that again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreachable_data: BTreeMap<String, Skip>,
}

impl std::fmt::Debug for PeerLink {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "PeerLink({})", self.address)
    }
}

/// The directory in which files are measured, and the files that were prepared there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    /// The directory that the user means.
    pub path: PathBuf,
    /// A directory of this run in it, for files that need names; what is in it is removed when the run ends.
    pub folder: PathBuf,
    /// A file for data that is written once for all trials: one without a name in the directory; on a remote file
    /// system one in the run's own directory, made by the first worker that needs it.
    #[serde(rename = "stock")]
    pub test_file: PathBuf,
    /// Whether its files are known to come over the network.
    #[serde(default)]
    pub over_network: bool,
    /// Whether its files are known to be in memory, and count against its limits.
    #[serde(default)]
    pub in_memory: bool,
}

impl Directory {
    /// The same for a worker that may not have the descriptors of its supervisor: its file by a name, where it has one.
    #[must_use]
    pub fn by_name(&self) -> Self {
        let named = self.named_test_file();
        let test_file = if named.exists() { named } else { self.test_file.clone() };
        Self { test_file, ..self.clone() }
    }

    /// Where the file gets a name for workers that need one.
    pub fn named_test_file(&self) -> PathBuf {
        self.folder.join("test-file")
    }
}

/// How a worker decides when to take a sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TriggerRequest {
    /// Whether it waits for a quiet core, and for how long in all, in nanoseconds; `None` where samples are taken
    /// without regard to the core.
    pub timeout_ns: Option<u64>,
    /// For each CPU that was probed before in this run, the ratio of its two probes while it was quiet.
    pub quiet: Vec<(u32, f64)>,
}

/// One line from the supervisor to a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Version of this exchange; a worker refuses one that it does not know.
    pub protocol: u32,
    /// What to do.
    pub purpose: Purpose,
    /// The point.
    pub id: PointId,
    /// CPU of the main actor; `None` leaves it unpinned.
    pub cpu: Option<u32>,
    /// CPU of the other actor, where there is one.
    pub peer_cpu: Option<u32>,
    /// Seed of everything random.
    pub seed: u64,
    /// Time that the worker should spend on timed batches, in nanoseconds.
    pub spend_ns: u64,
    /// When samples are taken.
    #[serde(default)]
    pub trigger: TriggerRequest,
    /// Whether a trial is to say what the worker sees of itself.
    #[serde(default)]
    pub with_attributes: bool,
    /// Whether every iteration is timed and none merged; `None` for batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailRequest>,
    /// The other end, for points that need one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<PeerLink>,
    /// Where files are measured; `None` where the point needs no directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<Directory>,
    /// Where files on a remote file system are measured; `None` where the point needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_directory: Option<Directory>,
}

/// One line from a worker to the supervisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum Reply {
    /// Batches and evidence.
    Trial(Box<Trial>),
    /// The same for all points of an operation that measures them together.
    Together {
        /// Those that gave something.
        trials: Vec<Trial>,
        /// Those that are not there, with what would help.
        absent: Vec<(PointId, Skip)>,
    },
    /// What the tracer saw.
    Rehearsal(Rehearsal),
    /// What it sees of itself.
    Attributes(Attributes),
    /// A need was not met.
    Skipped(Skip),
    /// It went wrong; a sentence.
    Failed {
        /// What went wrong.
        reason: String,
    },
}

/// Whether a series is the operation or what is subtracted from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The operation itself.
    #[default]
    Main,
    /// The same work without the thing measured.
    Control,
}

/// How the columns of a series are to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// Entries come in threes: batches of n, 2n, 4n iterations.
    #[default]
    Triples,
    /// Every entry is a batch of n iterations (n is 1 where each is timed alone).
    #[serde(rename = "singles")]
    Individual,
    /// No times: `values` holds the samples.
    Values,
}

/// The batches of one kind, by column; all columns that are present have the same length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Series {
    /// What they are.
    pub role: Role,
    /// How to read them.
    pub sampling: Sampling,
    /// Iterations in the shortest batch.
    pub n: u64,
    /// Duration of each batch in ticks of the trial's clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ticks: Vec<i64>,
    /// CPU time of all actors during each batch; empty where it could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_ns: Vec<i64>,
    /// Involuntary switches of the main actor during each batch; empty where not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub involuntary: Vec<u32>,
    /// Voluntary switches of the main actor during each batch; empty where not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voluntary: Vec<u32>,
    /// Ticks of the core-clock probe beside each triple (or single); empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe: Vec<i64>,
    /// Ticks of the probe of the core's width, as long as `probe`: it takes longer when the core is shared
    /// with a busy hardware thread. Empty where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub width: Vec<i64>,
    /// For each sample (triple, single) the index in [`Trial::looks`] of the look just before it; the next look came
    /// just after it. For values: the number of looks before they were given. Empty in records of before the trigger.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub look: Vec<u32>,
    /// How many of the first samples were taken whatever the state of the core: those show the cost without a trigger.
    #[serde(default, skip_serializing_if = "is_default")]
    pub free: u32,
    /// Samples in the quantity's base unit, for `Sampling::Values`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
    /// Where each value was taken, as long as `values`, for a curve from which other results are computed (for
    /// latencies, the working sets in bytes); empty otherwise. A curve is kept as a control: it is no result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<f64>,
    /// The distribution of the iterations, where every one was timed; `values` has their median then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Box<Tail>>,
}

impl Series {
    /// A series without batches.
    pub fn new(role: Role, sampling: Sampling, n: u64) -> Self {
        Self { role, sampling, n, ..Self::default() }
    }
}

/// What a counter said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Counted {
    /// A count over `iterations` iterations.
    Count {
        /// The count.
        count: f64,
        /// Over how many iterations.
        iterations: f64,
    },
    /// It cannot be read here.
    Unavailable {
        /// Why.
        reason: String,
    },
}

/// One counter's evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// The counter.
    pub counter: String,
    /// What it said.
    #[serde(flatten)]
    pub counted: Counted,
}

impl Evidence {
    /// What was said of this counter.
    pub fn find<'e>(all: &'e [Self], counter: &str) -> Option<&'e Self> {
        all.iter().find(|evidence| evidence.counter == counter)
    }

    /// The count per iteration, if it was counted over any.
    pub fn per_iteration(&self) -> Option<f64> {
        match self.counted {
            Counted::Count { count, iterations } if iterations > 0.0 => Some(count / iterations),
            _ => None,
        }
    }
}

/// The state of the cores of a trial's actors at several moments, by column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Looks {
    /// When each look began, in ticks since the worker read its clock for the first time.
    pub at: Vec<i64>,
    /// Dependent additions in a chain, each of which takes a cycle; 0 in records that do not hold it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub additions: u64,
    /// What was seen: first the core of the main actor, then that of the other actor if it was probed.
    pub cores: Vec<CoreLooks>,
}

/// The probes of one core.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoreLooks {
    /// The CPU.
    pub cpu: Option<u32>,
    /// Ticks of a chain of dependent additions: the core's clock.
    pub chain: Vec<i64>,
    /// Ticks of a fixed number of independent additions: the issue width that this hardware thread has.
    pub width: Vec<i64>,
}

impl CoreLooks {
    /// The ratio of the two probes at a look, which is lower when the core is wider; `None` without a look, or where a
    /// probe is not a time.
    pub fn ratio(&self, look: usize) -> Option<f64> {
        let (chain, width) = (*self.chain.get(look)?, *self.width.get(look)?);
        (chain > 0 && width > 0).then(|| width as f64 / chain as f64)
    }
}

/// What one fresh worker process measured at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trial {
    /// Round in which it ran, from 1; 0 until the supervisor has filled it in.
    #[serde(default)]
    pub round: u32,
    /// The point.
    pub id: PointId,
    /// Start of the trial since the start of the run, in nanoseconds; filled in by the supervisor.
    #[serde(default)]
    pub started_ns: u64,
    /// The clock that timed it: `tsc`, `cntvct` or `monotonic_raw`.
    pub clock: String,
    /// Nanoseconds in one tick, calibrated during this trial against the kernel's clock.
    pub ns_per_tick: f64,
    /// Clock of the core during this trial; `None` where there is no probe.
    pub core_hz: Option<f64>,
    /// What reading the clock twice in a row costs, in ticks.
    pub clock_cost_ticks: f64,
    /// What reading the actors' CPU time adds to a batch's CPU time, in nanoseconds.
    pub cpu_cost_ns: f64,
    /// CPU on which the main actor ended.
    pub cpu: Option<u32>,
    /// Whether it was pinned there.
    pub pinned: bool,
    /// The batches.
    pub series: Vec<Series>,
    /// The states of the cores beside the batches and while the worker waited; absent in records of before the trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<Looks>,
    /// Time spent waiting for a quiet core, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_ns: Option<u64>,
    /// The counters.
    pub evidence: Vec<Evidence>,
    /// What the worker saw of itself, in a run with environments.
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    pub attributes: Attributes,
}

/// What the tracer saw of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rehearsal {
    /// The point.
    pub id: PointId,
    /// System calls and instructions per iteration, or why they are unknown.
    pub evidence: Vec<Evidence>,
}

/// A trial that gave no batches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrialFailure {
    /// Round in which it was tried; 0 for a rehearsal.
    pub round: u32,
    /// The point.
    pub id: PointId,
    /// When it began, in nanoseconds since the start of the run; 0 in records that do not hold it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub started_ns: u64,
    /// What went wrong, in a sentence.
    pub reason: String,
    /// What the user can do, if it is a need that was not met rather than an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}
