//! Why a row has its verdict, by its values.

use crate::rows::failure::{Cause, Failure, Unread};
use quantity::Quantity;
use record::Witness;

/// Why a row has its verdict. A measured row has none, a noisy or contradicted one may have several.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// Contradicted: too many trials broke a witness.
    Witness(Broken),
    /// Contradicted: every trial broke a witness, or does not count for another cause.
    EveryTrial(Vec<Cause>),
    /// Contradicted: the interval lies beyond a limit.
    Bound {
        /// Whether it is a lower limit.
        is_lower: bool,
        /// The limit, in the base unit of its kind.
        limit: f64,
        /// The kind of the limit and of the row.
        quantity: Quantity,
        /// Why nothing can be beyond it.
        because: String,
    },
    /// Failed: the most frequent failure, in how many trials, and how many were tried.
    Failed(Failure, usize, usize),
    /// Skipped: a need was not met, and what would meet it.
    Unmet(String, Option<String>),
    /// Skipped: the run ended before the first trial.
    NotTried,
    /// Skipped: no positive witness could be read. The counters, and why they were not read.
    Unproven(Vec<(String, Unread)>),
    /// Noisy: this many trials count, and an interval needs that many.
    TooFew(usize, usize),
    /// Noisy or skipped: too few trials count, because a need was not met in others: which, what would meet it, in how many
    /// trials, and how many were tried.
    Lost {
        /// The need, most frequent of several.
        need: String,
        /// What would meet it.
        remedy: Option<String>,
        /// Trials in which it was not met.
        trials: usize,
        /// Trials that were tried.
        all: usize,
    },
    /// Noisy: half the width of the interval, infinite around zero, is more than was asked for.
    TooWide {
        /// The half width, as a share of the value.
        half: f64,
        /// What was asked for.
        precision: f64,
    },
    /// Noisy: most trials rise, or most fall, within themselves.
    Unsteady {
        /// By this share in the median; negative where they fall.
        by: f64,
        /// How many trials do.
        trials: usize,
        /// Trials that count.
        all: usize,
    },
    /// Noisy: this share of the batches does not count, most of them for this cause.
    SetAside(f64, Option<Cause>),
    /// Noisy: no trial kept enough batches. The share that does not count, and most of them for which cause.
    Starved(f64, Option<Cause>),
    /// Noisy: other tasks had the CPU for this share of the time, beside tasks that hand it to each other.
    OtherTasks(f64),
    /// Noisy: the task sleeps, and other programs used a CPU during this share of its trials.
    BesidePrograms(f64),
    /// Noisy: a CPU quota stopped the run in this many of that many periods, for this share of the time of its trials.
    Throttled {
        /// Share of the time in which the tasks had no CPU.
        share: f64,
        /// Periods in which the quota was used up.
        throttled: u64,
        /// All periods.
        periods: u64,
    },
    /// Noisy: the median may be that of any of several states.
    States,
    /// Noisy: too many trials broke a witness that other programs or guests can break.
    Noise(Broken),
}

impl Reason {
    /// Whether the value is that of the programs that ran beside it as well.
    pub fn is_of_other_programs(&self) -> bool {
        matches!(self, Self::OtherTasks(_) | Self::BesidePrograms(_))
    }
}

/// In how many of its periods the CPU quota of the run was used up; 0 of 0 where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QuotaUse {
    pub(crate) throttled: u64,
    pub(crate) periods: u64,
}

/// A witness that too many trials broke.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The expectation.
    pub witness: Witness,
    /// Count per iteration where it was broken, the median over trials.
    pub counted: f64,
    /// In how many trials (or rehearsals) it was broken.
    pub broken: usize,
    /// In how many it was read.
    pub read: usize,
}
