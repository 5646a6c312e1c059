//! A value with its interval.

use serde::{Deserialize, Serialize};

/// A value with the interval that is claimed for it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// The value itself.
    pub value: f64,
    /// Upper end.
    pub high: f64,
}

impl Range {
    /// A value without uncertainty.
    pub fn exactly(value: f64) -> Self {
        Self { low: value, value, high: value }
    }

    /// The sum of two ranges.
    pub fn plus(self, other: Self) -> Self {
        self.each(other, |a, b| a + b)
    }

    /// This less another, each of them anywhere in its interval.
    pub fn minus(self, other: Self) -> Self {
        Self { low: self.low - other.high, value: self.value - other.value, high: self.high - other.low }
    }

    /// A function that never falls, of the value and of both ends.
    #[must_use]
    pub fn map(self, of: impl Fn(f64) -> f64) -> Self {
        Self { low: of(self.low), value: of(self.value), high: of(self.high) }
    }

    /// Values and ends of two ranges combined, each with its like.
    #[must_use]
    pub(crate) fn each(self, other: Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            low: combine(self.low, other.low),
            value: combine(self.value, other.value),
            high: combine(self.high, other.high),
        }
    }

    /// The combination of two ranges, each anywhere in its interval.
    #[must_use]
    pub(crate) fn corners(self, other: Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        let ends = [
            combine(self.low, other.low),
            combine(self.low, other.high),
            combine(self.high, other.low),
            combine(self.high, other.high),
        ];
        Self {
            low: ends.iter().copied().fold(f64::INFINITY, f64::min),
            value: combine(self.value, other.value),
            high: ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}
