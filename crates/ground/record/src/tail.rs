//! Iterations that were each timed and none merged: their distribution, and what was counted around the slowest of them.

use crate::defaults::is_default;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How the iterations of a run of the profile `tail` begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TailSettings {
    /// Time for the iterations of one trial, in nanoseconds.
    pub spend_ns: u64,
    /// Iterations per second by a schedule that is fixed beforehand (open loop); `None` where each begins after the one
    /// before (closed loop).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

/// What a worker is asked of a trial in which every iteration is timed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TailRequest {
    /// Iterations per second by a schedule; `None` for a closed loop.
    pub rate: Option<f64>,
    /// Whether counters are read around each iteration.
    pub looks: bool,
}

/// Durations by bucket: those of a bucket differ by less than a thousandth.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Durations {
    /// The least duration of each bucket that is not empty, in nanoseconds, ascending.
    pub ns: Vec<u64>,
    /// Iterations in it.
    pub count: Vec<u64>,
    /// The longest duration, exactly.
    pub longest_ns: u64,
}

impl Durations {
    /// The buckets, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        self.ns.iter().copied().zip(self.count.iter().copied())
    }

    /// The iterations of all buckets.
    pub fn total(&self) -> u64 {
        self.count.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// An iteration that was slow, and by how much counters rose from just before it until just after it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outlier {
    /// When it began, in nanoseconds since the first iteration of the trial.
    pub at_ns: u64,
    /// What it took.
    pub took_ns: u64,
    /// From the reading before it until the reading after it, in nanoseconds.
    pub window_ns: u64,
    /// The counters that rose, by name, each with its increase.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rose: BTreeMap<String, f64>,
    /// The ratio of the probes of the core just after it; `None` where it was not probed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_ratio: Option<f64>,
    /// The program that could run on this CPU just after it, where it was the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// How often a counter rose around all iterations of a trial.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usual {
    /// Its whole increase.
    pub sum: f64,
    /// Iterations around which it rose.
    pub rose: u64,
}

/// What was counted in a trial with counters read around each iteration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TailLooks {
    /// The slowest iterations, slowest first.
    pub outliers: Vec<Outlier>,
    /// The counters that rose at all, by name.
    pub usual: BTreeMap<String, Usual>,
    /// Iterations around which all counters were read.
    pub iterations: u64,
    /// From the first reading to the last, summed over the iterations, in nanoseconds.
    pub window_ns: u64,
    /// Median time that one reading of all counters takes, in nanoseconds.
    pub cost_ns: u64,
    /// Counters that could not be read, each with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unread: BTreeMap<String, String>,
}

/// The distribution of the iterations of a trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tail {
    /// Iterations that were made after the warm-up: each is in `service`.
    pub iterations: u64,
    /// From the start of each iteration to its end.
    pub service: Durations,
    /// Iterations per second of the schedule; `None` in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// From the time at which each iteration was due to its end; `None` in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Durations>,
    /// Iterations that were due and never began: the schedule could not be kept.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unserved: u64,
    /// How late the last iteration began, in nanoseconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub behind_ns: u64,
    /// What was counted around the iterations; `None` in a trial without readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks: Option<TailLooks>,
}
