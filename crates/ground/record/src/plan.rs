//! What a run sets out to do: its settings and every point with all that is needed to judge it later.

use crate::defaults::is_default;
use crate::{
    Environment, Fact, FactValue, Formula, Machine, Plot, PointId, PredictionsFile, Settings, Skip,
    UserPrediction, renamed,
};
use quantity::Quantity;
use serde::{Deserialize, Serialize};

/// How the value of a trial is made from its batches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Estimator {
    /// Triples of batches of n, 2n and 4n iterations; a sample is (t(4n) − t(n)) / 3n.
    #[default]
    Slope,
    /// As `Slope`, less the slope of the control series, divided by how often `per` was counted in an
    /// iteration.
    SlopeLessControl {
        /// The counter to divide by.
        per: String,
    },
    /// Every iteration timed by itself; a sample is one time.
    Each,
    /// The worker gives values in the quantity's base unit, because the operation is no time.
    Values,
}

/// What sets a batch aside: named causes only, never its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gate {
    /// Least share of the wall time that the actors must have had a CPU; `None` where they wait by design.
    pub cpu_share: Option<f64>,
    /// Whether an involuntary switch of the main actor means that someone else ran.
    pub involuntary: bool,
    /// Factor by which the probe of the core's width may be slower than at its best before the core counts
    /// as shared with another program or guest; `None` where the actors themselves may be next door.
    #[serde(default)]
    pub shared_core: Option<f64>,
}

/// Where evidence is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// During the timed batches of each trial.
    #[default]
    Trial,
    /// In the traced rehearsal before the first trial.
    Rehearsal,
}

/// What a broken witness means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Breach {
    /// Other work was done: load on the machine does not change the count.
    #[default]
    OtherWork,
    /// Other work was done if the trials agree on it. Load on the machine alone breaks it in some of them, which
    /// makes the result noisy.
    IfConsistent,
    /// Load on the machine, its disks or the network: the right work was done, and the result is noisy.
    Noise,
}

/// An expectation on a counter: what must be true if the operation really happened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Witness {
    /// The counter: `switches`, `faults.minor`, `calls.getppid`, `instructions`, …
    pub counter: String,
    /// Where it is counted.
    pub origin: Origin,
    /// Least count per iteration.
    pub low: f64,
    /// Largest count per iteration.
    pub high: f64,
    /// True when it proves that the work was done; false when it proves that nothing disturbed it.
    pub positive: bool,
    /// What it proves, in a sentence.
    pub proves: String,
    /// What it means that it is broken.
    #[serde(default, skip_serializing_if = "is_default")]
    pub breach: Breach,
}

/// A limit that no true result can pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bound {
    /// True for a lower bound, false for an upper one.
    pub lower: bool,
    /// The limit.
    pub formula: Formula,
    /// Why no result can pass it.
    pub because: String,
}

/// A straight line through the points of a sweep: value × parameter = intercept + slope × parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fit {
    /// The parameter along which the sweep goes.
    pub parameter: String,
    /// What the slope is for, where the parameter is a size: 1 048 576 bytes for a cost per MiB.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub unit: u64,
    /// True when the values are per unit of the parameter and must be multiplied by it first.
    pub per_unit: bool,
    /// What the slope is called.
    pub slope: String,
    /// What the intercept is called.
    pub intercept: String,
}

fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(unit: &u64) -> bool {
    *unit == 1
}

/// Something that a point needs and that a machine or a user may not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// A second CPU that the process may use.
    SecondCpu,
    /// A CPU that shares the core of the first.
    SiblingCpu,
    /// A CPU on another memory node.
    RemoteCpu,
    /// The right to choose on which CPU to run.
    Pinning,
    /// This much memory on top of the worker's own.
    Memory {
        /// Bytes needed.
        bytes: u64,
    },
    /// A directory in which files may be made.
    Directory,
    /// A processor of this architecture.
    Architecture {
        /// As `std::env::consts::ARCH` names it.
        name: String,
    },
    /// Another machine, or another place on this one, where a peer listens.
    Peer,
    /// A directory on a mounted remote file system.
    RemoteDirectory,
    /// A peer on the file server that may empty the cache there.
    ServerCache,
}

/// Who measured the operation like this before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// A report and its section (`R3, 4.1.2`), or a tool.
    pub who: String,
    /// How they did it.
    pub how: String,
}

/// A point of the plan, with all that is needed to judge its trials.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedPoint {
    /// Which point.
    pub id: PointId,
    /// Revision of the operation: numbers of different revisions must not be compared.
    pub revision: u32,
    /// `cpu`, `os`, `memory`, `network` or `file`.
    pub area: String,
    /// The operation in a few words.
    pub title: String,
    /// What the first screen calls the point, if it belongs to the headline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What one iteration is.
    pub one_iteration: String,
    /// What is measured.
    pub quantity: Quantity,
    /// Bytes that one iteration moves, where the quantity is a bandwidth that is made from times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload_bytes: Option<u64>,
    /// How a trial's value is made.
    pub estimator: Estimator,
    /// What sets batches aside.
    pub gate: Gate,
    /// What must be true.
    pub witnesses: Vec<Witness>,
    /// What no result can pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Bound>,
    /// The sweep's line, if its points lie on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// The point of one CPU with which this one of several is compared, which does the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<PointId>,
    /// How many CPUs of this machine have an actor, where the point is compared with one of a single CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u32>,
    /// How the sweep is drawn, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plot: Option<Plot>,
    /// How the curve is drawn that its trials keep, if they do: its values are times. A curve that all points of the operation
    /// share has its family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Plot>,
    /// Whether its trials keep a value for each pair of CPUs, at the place of the lower number times 65536 and the higher one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pairs: bool,
    /// For a flawed method: what is wrong with it.
    #[serde(default, alias = "reference", skip_serializing_if = "Option::is_none")]
    pub flaw: Option<String>,
    /// For a flawed method: the point of the method that is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<PointId>,
    /// What the user predicts of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserPrediction>,
    /// Whether its evidence counts reads of a loop device whose file the host of the loop caches: they need not have
    /// reached a disk.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_cached_loop: bool,
    /// Whether each value of a trial is one iteration that is worth timing alone: percentiles are made of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_single: bool,
    /// Why it will not be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<Skip>,
}

impl PlannedPoint {
    /// A latency, the slope over batches, of which nothing else is declared.
    pub fn new(id: PointId) -> Self {
        Self { id, revision: 1, ..Self::default() }
    }

    /// Its line and its plot by the current names of parameters.
    pub(crate) fn use_current_names(&mut self) {
        let operation = &self.id.operation;
        if let Some(fit) = &mut self.fit {
            let (name, unit) = renamed::current_parameter(operation, &fit.parameter);
            (fit.parameter, fit.unit) = (name.to_owned(), fit.unit.max(unit));
        }
        if let Some(plot) = &mut self.plot {
            plot.along = renamed::current_parameter(operation, &plot.along).0.to_owned();
            plot.marks = plot.marks.as_deref().map(|marks| renamed::current(marks).into_owned());
        }
    }
}

/// Everything that was decided before the first trial, the program's predictions apart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// The choices.
    pub settings: Settings,
    /// The points, in the order of the list.
    pub points: Vec<PlannedPoint>,
    /// What was asked for and is not among the points, each a sentence with what would help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The environments in which each point is measured, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environments: Vec<Environment>,
    /// Where the user's own predictions are from, which stand with the points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_predictions: Option<PredictionsFile>,
}

impl Plan {
    /// The machine as a worker sees it in one of the environments, or natively: with the attributes that differ somewhere.
    pub fn machine_within(&self, environment: Option<&Environment>, machine: &Machine) -> Machine {
        let mut seen = machine.clone();
        for change in self.environments.iter().flat_map(|there| &there.differs) {
            let key = format!("process.{}", change.name);
            if seen.get(&key).is_some() {
                continue;
            }
            let there = environment.map_or(&[][..], |there| &there.differs);
            let there = there.iter().find(|other| other.name == change.name);
            let text = there.map_or(&change.native, |there| &there.environment);
            seen.facts.push(Fact {
                key,
                value: FactValue::Text { text: text.clone() },
                source: "a worker".to_owned(),
                within: None,
                assumed: false,
            });
        }
        seen
    }
}
