//! Two records beside each other: what is asked, and what is said.

use super::machines::FactsCompared;
use crate::rows::reason::Reason;
use crate::rows::row::{Row, Verdict};
use crate::run::analysis::Analysis;
use crate::tails::change::TailChange;
use crate::thresholds::{CHANGE_COVERAGE, LEAST_CHANGE, MOMENT_S, WIDEST_SAME};
use quantity::Quantity;
use record::{Machine, Plan, PointId, Range};

/// One of the records that are compared.
#[derive(Debug, Clone, Copy)]
pub struct Compare<'a> {
    /// Where it was measured.
    pub machine: &'a Machine,
    /// What was decided before the first trial.
    pub plan: &'a Plan,
    /// What came of it.
    pub analysis: &'a Analysis,
    /// When it began and ended, in seconds of one clock; `None` where that is not known.
    pub period: Option<[f64; 2]>,
}

/// Whether all of these runs lie within [`MOMENT_S`]: what lasts for longer was the same for all of them.
pub(super) fn is_of_a_moment(runs: &[Compare<'_>]) -> bool {
    let periods: Option<Vec<[f64; 2]>> = runs.iter().map(|run| run.period).collect();
    periods.is_some_and(|periods| {
        let began = periods.iter().fold(f64::INFINITY, |least, [began, _]| least.min(*began));
        let ended = periods.iter().fold(f64::NEG_INFINITY, |most, [_, ended]| most.max(*ended));
        ended - began < MOMENT_S
    })
}

/// How sure and how large a change must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Probability with which the interval of a change covers it. One point of a hundred without a change may be
    /// called different at 0.99, and there may be hundreds.
    pub level: f64,
    /// Smallest change that counts, as a share. Two runs on one machine differ by some tenths of a percent.
    pub least: f64,
    /// Widest limit within which two values are called the same, as a share.
    pub same: f64,
    /// Whether both are of one run, so that the trials of a round were made right after each other.
    pub paired: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { level: CHANGE_COVERAGE, least: LEAST_CHANGE, same: WIDEST_SAME, paired: false }
    }
}

/// What may be said of a point of two records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// It takes longer, or moves less in a time.
    Slower,
    /// It takes less time, or moves more in a time.
    Faster,
    /// The value, which is neither a time nor a rate, is larger.
    Larger,
    /// The value, which is neither a time nor a rate, is smaller.
    Smaller,
    /// The change is less than this share.
    Same {
        /// The share.
        within: f64,
    },
    /// The interval of the change is too wide.
    Unclear,
    /// The values do not mean the same, or one is missing.
    Incomparable,
}

/// Why nothing can be said of a point of two records.
#[derive(Debug, Clone, PartialEq)]
pub enum NoDecision {
    /// The operation has another revision in the second record.
    Revision(u32, u32),
    /// The values are of another kind, or of another payload.
    Quantity,
    /// The samples were made in another way.
    Estimator,
    /// One of the runs timed every iteration, and excluded nothing.
    Tails,
    /// One of the records has no number, because of this verdict with its reasons.
    NoNumber(Position, Verdict, Vec<Reason>),
    /// The value of one of the records is that of a state of the machine, for this reason.
    MachineState(Position, Reason),
    /// The host had the CPUs of the actors in placements in which a cache line takes these nanoseconds from one to the other
    /// and back.
    Placements(f64, f64),
    /// The runs found these numbers of caches, so that a level of the one may be another level of the other.
    Levels(usize, usize),
    /// Too few trials for an interval.
    TooFewTrials,
    /// The interval of the change is too wide.
    TooWide,
}

/// Which of two records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// The first.
    First,
    /// The second.
    Second,
}

impl Decision {
    /// The word for it, in tables and for scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Larger => "larger",
            Self::Smaller => "smaller",
            Self::Same { .. } => "same",
            Self::Unclear => "undecided",
            Self::Incomparable => "not comparable",
        }
    }

    /// Whether something was found: a change, or that there is none.
    pub fn is_decided(self) -> bool {
        !matches!(self, Self::Unclear | Self::Incomparable)
    }

    /// Whether a change was found.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Slower | Self::Faster | Self::Larger | Self::Smaller)
    }
}

/// How a value changed from the first record to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// The second divided by the first.
    Factor(Range),
    /// The second less the first, in the base unit: where values are not all above zero there is no factor.
    Difference(Range),
}

/// A point of two records.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Which.
    pub id: PointId,
    /// `cpu`, `os`, `memory`, `network` or `file`.
    pub area: String,
    /// What is measured.
    pub quantity: Quantity,
    /// Typical value in the first record.
    pub first: Option<f64>,
    /// Typical value in the second.
    pub second: Option<f64>,
    /// How it changed; `None` where that is unknown.
    pub change: Option<Change>,
    /// What may be said.
    pub decision: Decision,
    /// Why nothing can be said.
    pub reason: Option<NoDecision>,
    /// Whether the row of either record is noisy.
    pub noisy: bool,
    /// The part of half the interval, as the change itself is shown on a scale of logarithms or as a share of the first value,
    /// that no further trial of these runs makes smaller: by what runs differ. Infinite where the runs themselves make the
    /// interval.
    pub between: f64,
}

impl Compared {
    /// The second cost divided by the first: above 1 it costs more. `None` for what is not a cost.
    pub fn cost(&self) -> Option<f64> {
        let is_cost = matches!(self.quantity, Quantity::Latency | Quantity::Bandwidth);
        match self.of_cost()? {
            Change::Factor(factor) if is_cost => Some(factor.value),
            _ => None,
        }
    }

    /// How the cost changed: of a bandwidth, how the time for a byte did, so that up is always slower. Of what is no cost,
    /// how the value changed.
    pub fn of_cost(&self) -> Option<Change> {
        Some(match (self.change?, self.quantity) {
            (Change::Factor(factor), Quantity::Bandwidth) => Change::Factor(inverse(factor)),
            (change, _) => change,
        })
    }

    /// The change of the cost, or of what is no cost, as a factor: a difference counts as a share of the first value.
    pub fn relative_cost(&self) -> Option<Range> {
        let relative = self.relative()?;
        Some(if self.quantity == Quantity::Bandwidth { inverse(relative) } else { relative })
    }

    /// The change of the value as a factor: a difference counts as a share of the first value.
    pub(super) fn relative(&self) -> Option<Range> {
        let scale = self.first.unwrap_or(1.0).abs();
        Some(match self.change? {
            Change::Factor(factor) => factor,
            Change::Difference(by) => by.map(|by| 1.0 + by / scale),
        })
    }

    /// For this reason nothing is said of a change.
    pub(super) fn cannot_be_compared(&mut self, reason: NoDecision) {
        self.change = None;
        self.decision = Decision::Incomparable;
        self.reason = Some(reason);
    }

    /// Whether the first record has a number and the second has none.
    pub fn is_lost(&self) -> bool {
        matches!(self.reason, Some(NoDecision::NoNumber(Position::Second, ..)))
    }

    /// How large the change is, on a scale on which half and double are alike.
    pub(super) fn size(&self) -> f64 {
        match self.change {
            Some(Change::Factor(factor)) => factor.value.ln().abs(),
            Some(Change::Difference(by)) => by.value.abs() / self.first.unwrap_or(1.0).abs(),
            None => 0.0,
        }
    }
}

/// The clocks of two records that ran at different ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clocks {
    /// The highest that the core reached in the first record, in hertz.
    pub first_hz: f64,
    /// The highest that it reached in the second.
    pub second_hz: f64,
    /// The clock to which the points of both were carried; `None` where each record has the values of its own clock.
    pub at_hz: Option<f64>,
    /// Points with a number in both records.
    pub points: usize,
    /// Those of them that have the value at that clock in both. The others do not follow the clock, or not measurably.
    pub carried: usize,
}

/// All that two records say together.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What the facts of the machines say together.
    pub facts: FactsCompared,
    /// The points that both have: changes first, the largest first, then what is unclear, then the rest in the
    /// order of the first record.
    pub points: Vec<Compared>,
    /// Points that only the first has.
    pub only_first: Vec<PointId>,
    /// Points that only the second has.
    pub only_second: Vec<PointId>,
    /// Those of the points that only the first has that have a number there.
    pub absent: Vec<PointId>,
    /// Median factor of cost over the points of which something was found: where it is not 1, the machine as a whole changed.
    pub common: Option<f64>,
    /// The clocks of both; `None` where they were the same, or one is not known.
    pub clocks: Option<Clocks>,
    /// Whether all runs of a side lie within [`MOMENT_S`], so that none tells what others would find minutes later.
    pub is_of_a_moment: bool,
    /// The percentiles of points of which both timed every iteration, in the order of the first record.
    pub tails: Vec<(PointId, Vec<TailChange>)>,
}

/// One divided by it.
fn inverse(factor: Range) -> Range {
    Range { low: 1.0 / factor.high, value: 1.0 / factor.value, high: 1.0 / factor.low }
}

/// Whether a row has a number that others may be compared with.
pub(super) fn has_number(row: &Row) -> bool {
    row.verdict.has_number() && row.estimate.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(quantity: Quantity, change: Option<Change>, first: Option<f64>) -> Compared {
        Compared {
            id: PointId::default(),
            area: String::new(),
            quantity,
            first,
            second: None,
            change,
            decision: Decision::Unclear,
            reason: None,
            noisy: false,
            between: 0.0,
        }
    }

    #[test]
    fn cost_and_size_of_a_change() {
        let two = Some(Change::Factor(Range::exactly(2.0)));
        let less = Some(Change::Difference(Range::exactly(-6.0)));
        for (quantity, change, first, cost, size) in [
            (Quantity::Latency, two, None, Some(2.0), 2f64.ln()),
            (Quantity::Bandwidth, two, None, Some(0.5), 2f64.ln()),
            (Quantity::Size, two, None, None, 2f64.ln()),
            (Quantity::Latency, Some(Change::Factor(Range::exactly(0.5))), None, Some(0.5), 2f64.ln()),
            (Quantity::Latency, less, Some(-4.0), None, 1.5),
            (Quantity::Latency, less, None, None, 6.0),
            (Quantity::Latency, None, Some(4.0), None, 0.0),
        ] {
            let compared = compared(quantity, change, first);
            assert_eq!(compared.cost(), cost, "{compared:?}");
            assert!((compared.size() - size).abs() < 1e-12, "{compared:?}");
        }
    }

    #[test]
    fn a_change_of_a_bandwidth_is_one_of_its_cost() {
        let factor = Range { low: 1.0, value: 2.0, high: 4.0 };
        let inverse = Range { low: 0.25, value: 0.5, high: 1.0 };
        let difference = Range { low: -1.0, value: 2.0, high: 4.0 };
        let relative = Range { low: 0.75, value: 1.5, high: 2.0 };
        for (quantity, change, of_cost, relative_cost) in [
            (Quantity::Bandwidth, Change::Factor(factor), Change::Factor(inverse), inverse),
            (Quantity::Latency, Change::Factor(factor), Change::Factor(factor), factor),
            (Quantity::Size, Change::Factor(factor), Change::Factor(factor), factor),
            (Quantity::Latency, Change::Difference(difference), Change::Difference(difference), relative),
        ] {
            let compared = compared(quantity, Some(change), Some(4.0));
            assert_eq!(compared.of_cost(), Some(of_cost), "{quantity:?}");
            assert_eq!(compared.relative_cost(), Some(relative_cost), "{quantity:?}");
        }
    }

    #[test]
    fn a_number_needs_a_verdict_and_an_estimate() {
        let row =
            |verdict, has: bool| Row { verdict, estimate: has.then(Default::default), ..Row::default() };
        assert!(has_number(&row(Verdict::Measured, true)) && has_number(&row(Verdict::Noisy, true)));
        assert!(!has_number(&row(Verdict::Measured, false)) && !has_number(&row(Verdict::Failed, true)));
    }

    #[test]
    fn words_of_decisions() {
        use Decision::{Faster, Incomparable, Larger, Same, Slower, Smaller, Unclear};
        let all = [Slower, Faster, Larger, Smaller, Same { within: 0.1 }, Unclear, Incomparable];
        let words = ["slower", "faster", "larger", "smaller", "same", "undecided", "not comparable"];
        assert_eq!(all.map(Decision::word), words);
        assert_eq!(all.map(Decision::is_change), [true, true, true, true, false, false, false]);
        assert_eq!(all.map(Decision::is_decided), [true, true, true, true, true, false, false]);
    }
}
