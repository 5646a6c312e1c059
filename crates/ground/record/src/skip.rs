//! Why something is left out.

use serde::{Deserialize, Serialize};

/// Why a point is not tried, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skip {
    /// The need that is not met, in a sentence.
    pub reason: String,
    /// What the user can do.
    pub remedy: String,
}
