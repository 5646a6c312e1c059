//! Why trials have no samples, batches do not count, and counters were not read.

/// Why a trial gave nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// What the worker or the supervisor said.
    Reported(String),
    /// It cannot be true.
    Impossible(Impossible),
    /// Its worker saw nothing of the environment in which it was to be: it ran natively.
    Escaped,
    /// It ran without being bound to the CPU to which others of the run were bound.
    Unbound,
    /// The events by which a control is divided were not counted; the counter.
    Uncounted(String),
    /// It gave this many samples, and needs that many.
    TooFewSamples(usize, usize),
}

/// Why a trial cannot be true.
#[derive(Debug, Clone, PartialEq)]
pub enum Impossible {
    /// Nanoseconds in a tick of its clock; `None` for what is not a number.
    Tick(Option<f64>),
    /// The cost of reading the CPU time is not a number.
    CpuCost,
    /// Batches without an iteration.
    NoIterations,
    /// Batches of more iterations than a processor can do.
    Iterations(u64),
    /// The clock went backwards.
    ClockBackwards,
    /// The columns of a series differ in length.
    Columns,
    /// Batches do not come in threes.
    Triples,
    /// Batches last longer than 30 years.
    Duration,
    /// Batches last longer than their trial.
    LongerThanTrial,
    /// A series is missing: the main one, or the control.
    NoSeries(record::Role),
    /// A series is there more than once.
    SeriesTwice(record::Role),
    /// A series is not sampled as planned.
    Sampling(record::Role),
    /// More cores were sampled than a trial has.
    Cores(usize),
    /// Columns of core states differ in length.
    CoreColumns,
    /// Core states are not in order of time.
    CoreOrder,
    /// Samples refer to core states that are missing.
    CoreReferences,
    /// A sample that no operation can have; `None` for one that is not a number.
    Sample(Option<f64>),
}

impl Impossible {
    /// The value, so that equal ones are counted together: what is not a number equals nothing.
    pub(crate) fn number(value: f64) -> Option<f64> {
        (!value.is_nan()).then_some(value)
    }
}

impl From<Impossible> for Failure {
    fn from(impossible: Impossible) -> Self {
        Self::Impossible(impossible)
    }
}

/// Why batches do not count.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// The actors had less than this share of the CPU.
    CpuShare(f64),
    /// The main actor was switched out involuntarily.
    InvoluntarySwitch,
    /// Another batch of the same triple does not count.
    Adjacent,
    /// The trial broke the witness of this counter.
    Witness(String),
    /// A fact of the machine changed while the trial was made.
    MachineChanged,
}

/// Why a counter was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// What the worker said.
    Reported(String),
    /// The worker did not report it.
    NotReported,
    /// It was counted over no iteration, or is not a number.
    NotANumber,
    /// No triple of batches shows it.
    NoTriples,
    /// No trial has counted it.
    NoTrial,
    /// There was no rehearsal.
    NoRehearsal,
    /// The rehearsal gave nothing, for this reason.
    RehearsalFailed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_none() {
        assert_eq!(
            [f64::NAN, 2.0, f64::INFINITY].map(Impossible::number),
            [None, Some(2.0), Some(f64::INFINITY)]
        );
        assert_eq!(Failure::from(Impossible::Triples), Failure::Impossible(Impossible::Triples));
    }
}
