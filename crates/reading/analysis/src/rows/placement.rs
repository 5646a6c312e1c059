//! Where the two CPUs of actors were.

use crate::thresholds::PLACEMENT_FACTOR;

/// A placement of two CPUs in which trials were.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacementShare {
    /// The median time of a cache line from one CPU to the other and back, in nanoseconds.
    pub line_ns: f64,
    /// The median of these trials.
    pub at: f64,
    /// Their share of all.
    pub share: f64,
}

/// Whether a cache line took so long and so long in one placement.
pub(crate) fn is_one_placement(one_ns: f64, other_ns: f64) -> bool {
    one_ns.max(other_ns) < PLACEMENT_FACTOR * one_ns.min(other_ns)
}
