//! A change of a value within a run.

use stats::interval::Interval;

/// The trials of one part of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Epoch {
    /// The median over its trials.
    pub typical: f64,
    /// Start of its first trial since the start of the run, in nanoseconds.
    pub from_ns: u64,
    /// Start of its last trial.
    pub until_ns: u64,
    /// How many trials.
    pub trials: usize,
}

/// Trials early and late in a run that do not agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpochChange {
    /// Before the point was narrow.
    pub early: Epoch,
    /// When it was tried again.
    pub late: Epoch,
}

impl EpochChange {
    /// An interval that covers the typical values of both, too.
    pub(crate) fn widen(&self, interval: Interval) -> Interval {
        let (early, late) = (self.early.typical, self.late.typical);
        let (low, high) = (interval.low.min(early).min(late), interval.high.max(early).max(late));
        Interval { low, high, ..interval }
    }
}
