//! What an analysis says of each point: one row of the table.

use crate::rows::core_use::CoreUse;
use crate::rows::distribution::Distribution;
use quantity::Quantity;
use record::{PlannedPoint, Range, Term, Witness};

/// What may be said of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The interval is narrow enough and the evidence agrees.
    Measured,
    /// The interval is wider than asked, or no steady state was found.
    Noisy,
    /// The evidence says that something else happened: there is no number.
    Contradicted,
    /// A need was not met.
    Skipped,
    /// It went wrong.
    Failed,
}

impl Verdict {
    /// The word for it, in tables and for scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Noisy => "noisy",
            Self::Contradicted => "contradicted",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// What the trials of a point came out as, in the base unit of its quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Median over the trials of each trial's median sample.
    pub typical: f64,
    /// Ends of the interval of `typical`: order statistics over trials, at least 95 %. `None` with
    /// fewer than six trials.
    pub interval: Option<(f64, f64)>,
    /// Median over the trials of each trial's best: the 5th percentile (95th for a bandwidth) of its
    /// samples, or of its longest batches where samples are differences of batches.
    pub best: f64,
    /// Standard deviation of the trials' medians, with n − 1; `None` with one trial.
    pub deviation: Option<f64>,
    /// Trials that count.
    pub trials: usize,
    /// Batches that count, over all trials.
    pub batches: usize,
    /// Core clock in hertz, where probed: the reference clock of the run if the trials were carried to it, otherwise the
    /// median over the trials.
    pub core_hz: Option<f64>,
    /// Share of the value that scales with the core's clock; `None` where the trials were not carried to a common clock.
    pub clock_share: Option<f64>,
    /// How far carrying the trials to that clock may be off, as a share of the value; 0 where they were not carried. It
    /// is part of the interval.
    pub clock_error: f64,
}

impl Estimate {
    /// The typical value with its interval; `None` with too few trials for one.
    pub fn range(&self) -> Option<Range> {
        let (low, high) = self.interval?;
        Some(Range {
            low,
            value: self.typical,
            high,
        })
    }

    /// Half the interval's width as a share of the typical value; infinite for an interval around 0.
    pub fn half_width(&self) -> Option<f64> {
        let (low, high) = self.interval?;
        if low == high {
            return Some(0.0);
        }
        Some((high - low) / 2.0 / self.typical.abs())
    }
}

/// Batches or trials that do not count, by their named cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The cause, in a few words.
    pub cause: String,
    /// How many batches.
    pub batches: usize,
}

/// A peak of the distribution of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Where it is.
    pub at: f64,
    /// Share of the samples that belong to it.
    pub share: f64,
}

/// A witness and what it saw.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The expectation.
    pub witness: Witness,
    /// Count per iteration, the median over trials; `None` when it could not be read.
    pub counted: Option<f64>,
    /// Why it could not be read.
    pub unavailable: Option<String>,
    /// In how many trials (or rehearsals) it was read.
    pub read: usize,
    /// In how many it was outside the expectation.
    pub broken: usize,
}

/// From which tier a prediction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// T0: facts and published numbers.
    Facts,
    /// T1: parts measured in the same run.
    Parts,
}

/// A prediction with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// From which tier.
    pub tier: Tier,
    /// What is the hardware's.
    pub hardware: Range,
    /// What is the software's.
    pub software: Range,
    /// Both.
    pub total: Range,
    /// The terms and what each came out as.
    pub terms: Vec<(Term, Range)>,
}

impl Predicted {
    /// Measured divided by this prediction; `None` without a measured number.
    pub fn ratio(&self, row: &Row) -> Option<f64> {
        Some(row.estimate.as_ref()?.typical / self.total.value)
    }
}

/// What a remark on a row is about, so that a view can say once what is true of many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoteKind {
    /// The clock advances in coarse steps.
    Clock,
    /// The value changed from the first round to the last.
    Drift,
    /// Processes differ more than the samples within one explain.
    Between,
    /// Processes fall into groups that are apart.
    States,
    /// The mean is far from the median.
    Skew,
    /// Another count of switches than the least that the evidence allows.
    Switches,
    /// What bounds a stream.
    HeldBack,
    /// Trials ran without being bound to a CPU.
    Unpinned,
    /// Some trials failed.
    Failed,
    /// In some trials a need was not met.
    Skipped,
    /// The gate left most trials too little.
    Starved,
}

/// A remark on a row that does not change its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it is about.
    pub kind: NoteKind,
    /// All of it, in words that stand alone.
    pub text: String,
    /// What is particular to this row, in as few words as can be.
    pub brief: String,
}

/// Why a row is noisy, so that a view can say once what is true of many rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReasonKind {
    /// Fewer trials count than an interval needs; the figure is how many do, of the number needed.
    TooFew,
    /// The interval is wider than asked; the figure is half its width, infinite around zero.
    TooWide,
    /// Most trials rise or fall within themselves; the figure is by how much.
    Unsteady,
    /// More than half of the batches were set aside; the figure is their share.
    Disturbed {
        /// The most frequent cause.
        cause: String,
    },
    /// No trial kept enough batches; the figure is the share that was set aside.
    Starved {
        /// The most frequent cause.
        cause: String,
    },
    /// Others had the CPU beside tasks that hand it to each other; the figure is their share of the time.
    Rivals,
    /// The median may be that of any of several states.
    States,
    /// A witness was broken that load on the machine alone can break; the figure is in how many trials.
    Witness {
        /// What it counts.
        counter: String,
    },
}

/// The figure of a reason: that which differs between rows of which the same is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// So many trials of so many.
    Trials {
        /// Of which it is true.
        of: usize,
        /// All that count.
        all: usize,
    },
    /// A share of the value, of the batches or of the time.
    Share(f64),
}

/// One of the reasons of a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// What it is about.
    pub kind: ReasonKind,
    /// All of it, in words that stand alone.
    pub text: String,
    /// What the user can do about it.
    pub remedy: &'static str,
    /// What is particular to this row.
    pub figure: Option<Figure>,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was planned.
    pub point: PlannedPoint,
    /// What may be said.
    pub verdict: Verdict,
    /// Why it is not simply measured.
    pub reason: Option<String>,
    /// What the user can do about it.
    pub remedy: Option<String>,
    /// The same reasons one by one, where a verdict may have several; empty for the others.
    pub reasons: Vec<Reason>,
    /// How the cores of its actors were used; `None` where they were not probed.
    pub core: Option<CoreUse>,
    /// The numbers; `None` for contradicted, skipped, failed and untried points.
    pub estimate: Option<Estimate>,
    /// T0, where it has a value.
    pub from_facts: Option<Predicted>,
    /// T1, where it has a value.
    pub from_parts: Option<Predicted>,
    /// Why a tier that was declared has no value.
    pub unpredicted: Vec<String>,
    /// The witnesses.
    pub witnesses: Vec<Judged>,
    /// What does not count.
    pub set_aside: Vec<SetAside>,
    /// Peaks of the samples, when there is more than one.
    pub modes: Vec<Mode>,
    /// Each trial's median and best, with its round.
    pub trials: Vec<TrialValue>,
    /// How the samples are distributed; `None` without a number, and with too few.
    pub distribution: Option<Distribution>,
    /// Further remarks.
    pub notes: Vec<Note>,
}

/// What one trial came out as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialValue {
    /// Its round.
    pub round: u32,
    /// Median sample.
    pub typical: f64,
    /// Its best.
    pub best: f64,
}

impl Row {
    /// The prediction to compare with: T1 where it has a value, T0 otherwise.
    pub fn predicted(&self) -> Option<&Predicted> {
        self.from_parts.as_ref().or(self.from_facts.as_ref())
    }

    /// Measured divided by predicted.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.estimate.as_ref()?.typical / self.predicted()?.total.value)
    }

    /// Measured less predicted: what nothing known explains.
    pub fn residual(&self) -> Option<f64> {
        Some(self.estimate.as_ref()?.typical - self.predicted()?.total.value)
    }

    /// The kind of its values.
    pub fn quantity(&self) -> Quantity {
        self.point.quantity
    }
}

/// The straight line through the points of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepLine {
    /// The operation and the parameters that the sweep holds fixed.
    pub sweep: record::PointId,
    /// What the slope is called.
    pub slope_name: String,
    /// Slope, in the base unit per unit of the parameter.
    pub slope: f64,
    /// Ends of the interval of the slope, at least 95 %; `None` where a point has too few trials for one.
    pub slope_interval: Option<(f64, f64)>,
    /// What the intercept is called.
    pub intercept_name: String,
    /// Intercept, in the base unit.
    pub intercept: f64,
    /// Ends of the interval of the intercept, as for the slope.
    pub intercept_interval: Option<(f64, f64)>,
    /// Largest distance of a point from the line, as a share of the point.
    pub worst: f64,
}

/// The row of this point.
pub(crate) fn find<'r>(rows: &'r [Row], id: &record::PointId) -> Option<&'r Row> {
    rows.iter().find(|row| row.point.id == *id)
}
