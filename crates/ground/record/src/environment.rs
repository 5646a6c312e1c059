//! Environments in which points are measured beside the native ones, and what proves that a worker was there.

use crate::Skip;
use serde::{Deserialize, Serialize};

/// An environment in which the points are measured beside the native ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Environment {
    /// Its name: `bwrap`.
    pub name: String,
    /// What it is, in a few words.
    pub title: String,
    /// The words that start a worker in it, before the worker's own command.
    pub prefix: Vec<String>,
    /// What a worker sees of itself there and not natively: the proof that it was there.
    pub differs: Vec<AttributeChange>,
    /// By how much longer a worker takes to start and end there than natively, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<u64>,
    /// How the fresh process of each trial is made where the environment is started once for all points of a round; absent
    /// where it is started for every trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by_round: Option<FreshProcess>,
    /// Why nothing is measured in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<Skip>,
}

/// How an environment that stays makes a fresh process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FreshProcess {
    /// By fork and exec.
    Executed,
    /// By fork alone, because a program that is executed there is outside.
    Forked,
}

/// An attribute of a process that is another one in an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttributeChange {
    /// Which: `seccomp.filters`.
    pub name: String,
    /// Natively.
    pub native: String,
    /// In the environment.
    pub environment: String,
}

impl FreshProcess {
    const ALL: [(Self, &'static str); 2] = [(Self::Executed, "executed"), (Self::Forked, "forked")];
}

impl std::fmt::Display for FreshProcess {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = Self::ALL.iter().find(|(one, _)| one == self);
        out.write_str(named.map_or("", |(_, name)| name))
    }
}

impl std::str::FromStr for FreshProcess {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.iter().find(|(_, name)| *name == text);
        named
            .map(|(one, _)| *one)
            .ok_or_else(|| format!("'{text}': a process is {}", Self::ALL.map(|(_, name)| name).join(" or ")))
    }
}
