//! Trials beside other programs.

/// Trials of a task that sleeps during which other programs used a CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BesidePrograms {
    /// The median of these trials.
    pub at: f64,
    /// Their share of all.
    pub share: f64,
    /// Whether the others are enough without them.
    pub are_left_out: bool,
}
