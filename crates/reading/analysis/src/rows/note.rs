//! Remarks on a row that do not change its verdict, by their values.

use crate::rows::beside::BesidePrograms;
use crate::rows::deviation::Deviation;
use crate::rows::epoch::EpochChange;
use crate::rows::failure::Failure;
use crate::rows::idle_state::IdleShare;
use crate::rows::placement::PlacementShare;
use record::PointId;
use stats::modes::Mode;

/// A remark on a row that does not change its verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// Fresh processes fall into groups, and the estimate is that of the most frequent: all groups with their shares of the
    /// trials.
    States(Vec<Mode>),
    /// The CPU that is woken had waited in these states, and the estimate is that of the first.
    Idle(Vec<IdleShare>),
    /// The CPUs of the actors were placed in several ways, and the estimate is that of the first.
    Placements(Vec<PlacementShare>),
    /// Trials during which other programs used a CPU are left out.
    BesidePrograms(BesidePrograms),
    /// Late trials differ from early ones, and the interval covers both.
    Change(EpochChange),
    /// Another count of switches per iteration than the least that the evidence allows.
    Switches {
        /// What was counted.
        counted: f64,
        /// The least whole count allowed.
        expected: f64,
    },
    /// T1 is an exact multiple of this part, and predicts nothing.
    SameAs(PointId),
    /// The row is off its prediction: by more than the uncertainty of both, or by a factor with a reason that can be named.
    Deviation(Deviation),
    /// The value changed from the first round to the last by this share.
    Drift(f64),
    /// The clock advances in steps of this share of a batch.
    Clock(f64),
    /// The mean differs from the median by this share.
    Skew(f64),
    /// Processes differ more than the samples within one explain.
    Between {
        /// Deviation between processes, as a share of the value.
        between: f64,
        /// Deviation within one, as a share of the value.
        within: f64,
    },
    /// What limits a stream.
    Bottleneck(Bottleneck),
    /// Reads went to a loop device whose file is cached by the host of the loop, so that no disk need have read.
    CachedLoop,
    /// Trials that ran without being bound to a CPU, of all that count.
    Unpinned(usize, usize),
    /// Trials that failed, of all that were tried, and most frequently why.
    Failed(usize, usize, Failure),
    /// Trials in which a need was not met, of all that were tried, and most frequently which.
    Skipped(usize, usize, String),
    /// Trials to which the gate left too few batches, of all that were tried.
    Starved(usize, usize),
}

/// What limits the bandwidth of a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bottleneck {
    /// What it is.
    pub limit: Limit,
    /// Whether it may be one CPU instead, in case both ends are on one machine.
    pub may_share_cpu: bool,
    /// What was counted.
    pub shares: StreamShares,
}

/// Limits of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The CPUs of both ends.
    BothCpus,
    /// The receiver's CPU.
    ReceiverCpu,
    /// The sender's CPU.
    SenderCpu,
    /// The CPU that both ends share.
    SharedCpu,
    /// The receiver's window.
    Window,
    /// The sender's buffer.
    Buffer,
    /// The link between the ends, or congestion control.
    Path,
    /// The time in which the ends wait for each other to wake.
    WakeUps,
}

/// Shares that were counted at the ends of a stream; `None` where they were not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamShares {
    /// Of a CPU, at the receiver.
    pub receiver: Option<f64>,
    /// Of a CPU, at the sender.
    pub sender: Option<f64>,
    /// Of the time, in which the sender waited for the receiver's window.
    pub window: Option<f64>,
    /// Of the time, in which it waited for its own buffer.
    pub buffer: Option<f64>,
}
