//! An interval with what it covers, so that the range of all values is not taken for one of 95 %.

/// What an interval covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coverage {
    /// The truth, with at least this probability.
    Level(f64),
    /// All values that were seen; nothing is known of the truth.
    AllValues,
    /// The value of the next run on the same machine, with about this probability.
    NextRun(f64),
}

/// An interval of a value.
///
/// A pair of numbers is not one: what it covers would be lost.
///
/// ```compile_fail
/// let pair: (f64, f64) = (1.0, 2.0);
/// let interval: stats::interval::Interval = pair;
/// ```
///
/// ```
/// use stats::interval::{Coverage, Interval};
/// let interval = Interval { low: 1.0, high: 2.0, coverage: Coverage::AllValues };
/// assert_eq!(interval.ends(), (1.0, 2.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What it covers.
    pub coverage: Coverage,
}

impl Interval {
    /// An interval that covers the truth with at least the probability `level`.
    pub fn at_level(low: f64, high: f64, level: f64) -> Self {
        Self { low, high, coverage: Coverage::Level(level) }
    }

    /// Both ends.
    pub fn ends(self) -> (f64, f64) {
        (self.low, self.high)
    }
}
