//! How a run was asked to measure.

use crate::{TailSettings, whole_number};
use serde::{Deserialize, Serialize};

/// How long and how hard a run tries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Few rounds: a first look.
    Quick,
    /// The default.
    #[default]
    Standard,
    /// Many rounds and larger points.
    Thorough,
    /// Every iteration timed by itself, for percentiles.
    Tail,
}

/// Which samples count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Those taken while the core was quiet: workers wait for it.
    #[default]
    Quiet,
    /// All: workers do not wait.
    Off,
    /// Those for which the core was quiet in another trial, seconds away: as many as with `Quiet`, but chosen without
    /// regard to the core. A control that must give what `Off` gives.
    Sham,
}

/// The budget of a run that only its rounds end, in seconds: more than any run takes.
pub const UNLIMITED_S: f64 = u32::MAX as f64;

/// The choices that shaped a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settings {
    /// The profile.
    pub profile: Profile,
    /// Most time that the rounds may take, in seconds.
    pub budget_s: f64,
    /// Half width of an interval, as a share of the value, at which a point is narrow enough.
    pub precision: f64,
    /// Rounds before any point may close.
    pub least_rounds: u32,
    /// Rounds after which the run ends in any case.
    pub most_rounds: u32,
    /// Seed of every shuffle and of every random datum.
    #[serde(with = "whole_number")]
    #[cfg_attr(feature = "schema", schemars(with = "whole_number::Written"))]
    pub seed: u64,
    /// CPU of the main actor.
    pub cpu: Option<u32>,
    /// CPU of the other actor where it is another one.
    pub peer_cpu: Option<u32>,
    /// Whether flawed methods are measured too.
    #[serde(alias = "reference_methods")]
    pub flawed_methods: bool,
    /// Which samples count.
    #[serde(default)]
    pub trigger: Trigger,
    /// Whether results are hidden until the user has predicted them; see [`crate::Record::hide_unpredicted`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blind: bool,
    /// The directory in which files are measured; `None` where none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The directory on a remote file system in which files are measured; `None` where none are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_directory: Option<String>,
    /// What every worker sets for itself before it measures: `nice=-20`, `sched=rr:99`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worker_settings: Vec<String>,
    /// The share of a CPU's time that the kernel leaves to real-time tasks, where workers are such and it is limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realtime_share: Option<f64>,
    /// How iterations begin, where every one is timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailSettings>,
}

impl Settings {
    /// The most time that the rounds may take, in seconds; `None` where only their number ends the run.
    pub fn time_limit_s(&self) -> Option<f64> {
        Some(self.budget_s).filter(|budget| *budget < UNLIMITED_S)
    }
}
