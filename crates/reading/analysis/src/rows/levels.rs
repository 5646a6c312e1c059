//! What an interval needs.

/// Probability with which an interval covers the typical value, at least.
pub(crate) const LEVEL: f64 = 0.95;
/// Fewest trials that have an interval at that level: 1 − 2 / 2⁶ = 96.9 %.
pub(crate) const LEAST_TRIALS: usize = 6;
