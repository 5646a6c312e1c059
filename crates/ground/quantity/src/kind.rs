//! What a point measures, and in which base unit its values are kept.

use serde::{Deserialize, Serialize};

/// The kind of a measured value. Values are kept in the base unit of their kind, never scaled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Time per iteration, in nanoseconds.
    #[default]
    Latency,
    /// Payload moved per second, in bytes per second.
    Bandwidth,
    /// An amount of memory or storage, in bytes.
    Size,
    /// A number of things, without a unit.
    Count,
    /// Events in one second: a count whose text is in hertz.
    Frequency,
    /// A share or a factor, without a unit.
    Ratio,
}

impl Quantity {
    /// The name scripts see: one of `latency`, `bandwidth`, `size`, `count`, `ratio`.
    /// A frequency is a count (of ticks in one second).
    pub fn contract_name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
            Self::Size => "size",
            Self::Count | Self::Frequency => "count",
            Self::Ratio => "ratio",
        }
    }

    /// The unit scripts see: one of `ns`, `bytes_per_s`, `bytes`, `1`.
    pub fn contract_unit(self) -> &'static str {
        match self {
            Self::Latency => "ns",
            Self::Bandwidth => "bytes_per_s",
            Self::Size => "bytes",
            Self::Count | Self::Frequency | Self::Ratio => "1",
        }
    }
}
