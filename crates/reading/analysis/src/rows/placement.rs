//! Where the two CPUs of actors were.

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
