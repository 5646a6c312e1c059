//! What becomes of a question: the numbers of its answer, or why there is none.

use crate::answers::questions::question::Operand;
use crate::rows::row::{Row, SweepLine, Verdict, find};
use quantity::Quantity;
use record::{PointId, Range};
use stats::interval::{Coverage, Interval};

/// What became of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// The interval excludes that there is no difference.
    Decided(Answered),
    /// The interval includes it.
    Undecided(Answered),
    /// A number is missing, contradicted, or too noisy.
    Untested(Untested),
}

impl Finding {
    pub(crate) fn new(is_decided: bool, range: Range, numbers: Numbers) -> Self {
        let answered = Answered { range, numbers };
        if is_decided { Self::Decided(answered) } else { Self::Undecided(answered) }
    }

    /// The ratio, slope, rate or share that answers; `None` where it stays untested.
    pub fn range(&self) -> Option<Range> {
        match self {
            Self::Decided(answered) | Self::Undecided(answered) => Some(answered.range),
            Self::Untested(_) => None,
        }
    }
}

/// A number that answers, and those from which it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The ratio, slope, rate or share with its interval.
    pub range: Range,
    /// What it was made from.
    pub numbers: Numbers,
}

/// The numbers of an answer, one shape for each [`Derivation`](crate::Derivation) of answering.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// A ratio of two values.
    Ratio {
        /// The one.
        of: Measured,
        /// The other.
        to: Measured,
    },
    /// The slope of a line.
    Slope {
        /// What it is the cost of.
        name: &'static str,
        /// The kind of the slope.
        quantity: Quantity,
        /// Points through which the line goes.
        through: usize,
        /// Points that were planned.
        planned: usize,
    },
    /// A cost per request, which the range is, and a cost per byte.
    CostSplit {
        /// What costs the former.
        request: &'static str,
        /// Nanoseconds for each byte.
        per_byte: Range,
        /// A size.
        bytes: f64,
        /// The request's share of the whole cost at that size.
        share: f64,
    },
    /// The fastest of several methods, for every group of points.
    Fastest(Vec<Ranking>),
    /// A measured size, and the ratio of it to the reported one.
    ReportedSize {
        /// What was measured.
        measured: Measured,
        /// The same with the interval of all that its trials saw, where the row is noisy.
        noisy: Option<(f64, f64)>,
        /// What the machine reports, in bytes.
        reported: f64,
        /// The hypervisor, where there is one.
        hypervisor: Option<String>,
        /// CPUs that share the cache, where it is more than one.
        shared_by: Option<f64>,
    },
    /// The share of the memory that a cache may use which it holds.
    CacheCapacity {
        /// What it holds.
        held: Measured,
        /// What it may hold, in bytes.
        allowed: f64,
        /// Whether that is the memory of the machine, and not the limit of a group.
        is_machine: bool,
    },
    /// TLB entries used by huge pages and by base pages.
    HugePageBacking {
        /// Huge pages that the first TLB reaches.
        huge: Measured,
        /// Base pages that it reaches.
        base: Measured,
        /// What that means.
        backing: HugePageBacking,
    },
}

/// The value of a row, as an answer cites it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// What was measured.
    pub name: String,
    /// The typical value.
    pub typical: f64,
    /// The values of its states, where it may be that of none.
    pub states: Vec<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// The kind of the value.
    pub quantity: Quantity,
    /// Whether the row is noisy.
    pub is_noisy: bool,
}

impl Measured {
    /// The value of a row that has one.
    pub(crate) fn from_row(row: &Row, name: &str) -> Option<Self> {
        let estimate = row.estimate.as_ref()?;
        Some(Self {
            name: name.to_owned(),
            typical: estimate.typical,
            states: row.undecided_states(),
            interval: estimate.interval,
            quantity: row.quantity(),
            is_noisy: row.verdict == Verdict::Noisy,
        })
    }
}

/// The fastest method of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// What the points of the group share: `on one CPU`.
    pub group: &'static str,
    /// The fastest method and its rate.
    pub fastest: Measured,
    /// The bandwidth of the bus to memory at that rate at most, and why it is another.
    pub bus: Option<(f64, &'static str)>,
    /// The next method, and how many times as fast as it the first one is; `None` where the interval of that factor contains 1.
    pub second: Option<(String, Option<f64>)>,
    /// The slowest of three or more, and how many times as fast as it the first one is.
    pub slowest: Option<(String, f64)>,
}

/// What lies behind the huge pages of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HugePageBacking {
    /// Huge pages: the TLB reaches another number of them than of base pages.
    Huge,
    /// The interval of the ratio is too wide.
    Uncertain,
    /// Small pages of the host, under this hypervisor: this processor has fewer entries for huge pages.
    Small(String),
    /// It may not have been a huge page: this processor has fewer entries for them.
    NotHuge,
    /// Unknown: processors of this family may have one TLB for both.
    Unknown,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Untested {
    /// The point or sweep was not planned.
    NotMeasured(PointId),
    /// The row has no number, because of its verdict or without a trial.
    NoNumber(PointId, Verdict),
    /// No point of a group has a number.
    NoMethod {
        /// The parameter that names the method.
        by: &'static str,
        /// The operation and its other parameters.
        group: PointId,
    },
    /// One of two values is not measurably above zero, so that they have no ratio.
    NotAboveZero(Box<[PointId; 2]>),
    /// The ratio of noisy rows whose trials do not agree that there is a difference.
    Noisy(Box<Answered>),
    /// Too few points of a sweep have a number.
    NoLine(PointId),
    /// The point, or one of the sweep, has too few trials for an interval.
    NoInterval(PointId),
    /// The latency does not rise.
    NoReach,
    /// The machine does not report this fact.
    Unreported(String),
    /// The point names no limit.
    NoLimit(PointId),
}

/// What becomes of a question, or why there is no answer.
pub(crate) type Outcome = Result<Finding, Untested>;

/// The point of a side.
pub(crate) fn id_of(side: &Operand) -> PointId {
    PointId::new(side.operation, side.point)
}

/// The line through a sweep.
pub(crate) fn line<'l>(
    sweep: &PointId,
    is_planned: bool,
    lines: &'l [SweepLine],
) -> Result<&'l SweepLine, Untested> {
    if !is_planned {
        return Err(Untested::NotMeasured(sweep.clone()));
    }
    let found = lines.iter().find(|line| line.sweep == *sweep);
    found.ok_or_else(|| Untested::NoLine(sweep.clone()))
}

/// The row; where it is noisy, its interval is the range of all trials, of which no level is claimed.
pub(crate) fn cautious(row: &Row) -> Row {
    let mut row = row.clone();
    let all = row.range_of_trials().filter(|_| row.verdict == Verdict::Noisy);
    if let (Some(estimate), Some(all)) = (&mut row.estimate, all) {
        estimate.interval = Some(Interval { low: all.low, high: all.high, coverage: Coverage::AllValues });
    }
    row
}

/// The row of a side that may be used, and its value.
pub(crate) fn usable<'r>(side: &Operand, rows: &'r [Row]) -> Result<(&'r Row, Measured), Untested> {
    let id = id_of(side);
    let Some(row) = find(rows, &id) else {
        return Err(Untested::NotMeasured(id));
    };
    let measured = Measured::from_row(row, side.words);
    measured
        .filter(|_| row.verdict.has_number())
        .map(|measured| (row, measured))
        .ok_or(Untested::NoNumber(id, row.verdict))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::fixtures::{noisy, range, row, without_interval};

    const SIDE: Operand = Operand { words: "a call", operation: "call", point: "arguments=0" };

    fn call() -> Row {
        row("call", "arguments=0", Quantity::Size, (1.0, 2.0, 3.0))
    }

    #[test]
    fn only_an_answer_has_a_range() {
        for is_decided in [true, false] {
            let finding = Finding::new(is_decided, range((1.0, 2.0, 3.0)), Numbers::Fastest(Vec::new()));
            assert_eq!(finding.range(), Some(range((1.0, 2.0, 3.0))));
            assert_eq!(matches!(finding, Finding::Decided(_)), is_decided);
        }
        assert_eq!(Finding::Untested(Untested::NoReach).range(), None);
    }

    #[test]
    fn side_is_usable_where_its_row_may_have_a_number_and_has_one() {
        let id = PointId::new("call", "arguments=0");
        for (row, is_noisy) in [(call(), false), (noisy(call(), &[0.5]), true)] {
            let measured = Measured {
                name: "a call".to_owned(),
                typical: 2.0,
                states: Vec::new(),
                interval: Some(Interval::at_level(1.0, 3.0, 0.95)),
                quantity: Quantity::Size,
                is_noisy,
            };
            assert_eq!(usable(&SIDE, std::slice::from_ref(&row)), Ok((&row, measured)));
        }
        let contradicted = Row { verdict: Verdict::Contradicted, ..call() };
        let untried = Row { estimate: None, ..call() };
        for row in [contradicted, untried] {
            let why = Untested::NoNumber(id.clone(), row.verdict);
            assert_eq!(usable(&SIDE, &[row]), Err(why));
        }
        assert_eq!(usable(&SIDE, &[]), Err(Untested::NotMeasured(id)));
    }

    #[test]
    fn only_a_noisy_row_has_the_interval_of_all_that_was_seen() {
        let noisy = noisy(call(), &[0.5, 2.5]);
        let measured = Row { verdict: Verdict::Measured, ..noisy.clone() };
        let all = Interval { low: 0.5, high: 2.5, coverage: Coverage::AllValues };
        for (row, expected) in [
            (without_interval(noisy.clone()), all),
            (noisy, all),
            (measured, Interval::at_level(1.0, 3.0, 0.95)),
        ] {
            assert_eq!(cautious(&row).estimate.unwrap().interval, Some(expected));
        }
    }
}
