//! How the points of a sweep are drawn: what the axis is, and what is marked on it.

use crate::defaults::is_default;
use quantity::Quantity;
use serde::{Deserialize, Serialize};

/// How far apart values stand on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// By their difference.
    Linear,
    /// By their ratio; values that are not above zero have no place.
    Logarithmic,
}

/// A plot of a sweep: its value along one parameter, a series for every combination of the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plot {
    /// The parameter along which it goes; its values are numbers, or sizes such as `64KiB`.
    pub along: String,
    /// What the axis shows.
    pub axis: String,
    /// The kind of the parameter's values.
    pub quantity: Quantity,
    /// What a plain number of the parameter stands for, in the base unit of that kind: 1 048 576 where it
    /// counts MiB.
    pub unit: u64,
    /// How far apart they stand.
    pub scale: Scale,
    /// Operations that name the same family share one plot: the methods of one thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The operation that finds remarkable places on the axis: each of its values of the axis' kind is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<String>,
    /// Whether the values are single ones that no line joins.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_scatter: bool,
}

impl Plot {
    /// A plot along a parameter of this kind, by ratio, whose plain numbers are in the base unit.
    pub fn logarithmic(along: &str, axis: &str, quantity: Quantity) -> Self {
        Self {
            along: along.to_owned(),
            axis: axis.to_owned(),
            quantity,
            unit: 1,
            scale: Scale::Logarithmic,
            family: None,
            marks: None,
            is_scatter: false,
        }
    }
}
