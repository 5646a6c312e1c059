//! What a user predicted before the run.

use serde::{Deserialize, Serialize};

/// What a user predicts of a point, in the base unit of its quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserPrediction {
    /// The whole.
    pub typical: f64,
    /// Base hardware performance, where the user tells the two apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<f64>,
    /// Software overhead, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software: Option<f64>,
    /// Why, in the user's words; empty where there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
}

/// The file in which a user predicted: that it is older than the first trial can be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PredictionsFile {
    /// Its name, without folders.
    pub name: String,
    /// BLAKE2b-512 of its bytes in hexadecimal, as `b2sum` prints it.
    pub b2sum: String,
    /// When it was read, RFC 3339, UTC: before the first trial; in a blind run before its results were shown.
    pub read: String,
    /// How many points it was the first to predict.
    #[serde(default)]
    pub points: usize,
    /// The files that were read before it, the first one first; only a blind run takes several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<PredictionsFile>,
}
