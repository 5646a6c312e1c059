//! What an analysis says of each point: one row of the table.

use crate::rows::core_use::CoreUse;
use crate::rows::distribution::Distribution;
use crate::rows::earlier_runs::BetweenRuns;
use crate::rows::failure::{Cause, Unread};
use crate::rows::note::Note;
use crate::rows::reason::{Broken, Reason};
use crate::thresholds::{MAIN_STATE, SECOND_STATE, STATE_DISTANCE};
use quantity::Quantity;
use record::{PlannedPoint, PointId, Range, Term, Unevaluated, Witness};
use stats::interval::Interval;
use stats::modes::Mode;

/// What may be said of a point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The interval is narrow enough and the evidence agrees.
    Measured,
    /// The interval is wider than asked, or no steady state was found.
    Noisy,
    /// The evidence says that something else happened: there is no number.
    Contradicted,
    /// A need was not met.
    #[default]
    Skipped,
    /// It went wrong.
    Failed,
}

impl Verdict {
    /// All, in the order in which they are counted.
    pub const ALL: [Self; 5] = [Self::Measured, Self::Noisy, Self::Contradicted, Self::Failed, Self::Skipped];

    /// That of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// Whether a row may have a number.
    pub fn has_number(self) -> bool {
        matches!(self, Self::Measured | Self::Noisy)
    }

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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Estimate {
    /// Median over the trials of each trial's median sample.
    pub typical: f64,
    /// Ends of the interval of `typical`: order statistics over trials, at least 95 %. `None` with
    /// fewer than six trials.
    pub interval: Option<Interval>,
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
    /// Round trip of a cache line between the CPUs of the actors in nanoseconds, in the placement that the value is of; `None`
    /// where it was not probed.
    pub line_ns: Option<f64>,
}

impl Estimate {
    /// The typical value with its interval; `None` with too few trials for one.
    pub fn range(&self) -> Option<Range> {
        let Interval { low, high, .. } = self.interval?;
        Some(Range { low, value: self.typical, high })
    }

    /// The typical value with the range of these trials.
    pub(crate) fn range_of(&self, trials: &[TrialValue]) -> Range {
        let value = self.typical;
        let low = trials.iter().fold(value, |low, trial| low.min(trial.typical));
        Range { low, value, high: trials.iter().fold(value, |high, trial| high.max(trial.typical)) }
    }

    /// The ends of its interval, or the typical value for both with too few trials for one.
    pub fn ends(&self) -> (f64, f64) {
        self.interval.map_or((self.typical, self.typical), Interval::ends)
    }

    /// Half the interval's width as a share of the typical value; infinite for an interval around 0.
    pub fn half_width(&self) -> Option<f64> {
        let Interval { low, high, .. } = self.interval?;
        if low == high {
            return Some(0.0);
        }
        Some((high - low) / 2.0 / self.typical.abs())
    }
}

/// Batches or trials that do not count, by their named cause.
#[derive(Debug, Clone, PartialEq)]
pub struct SetAside {
    /// The cause.
    pub cause: Cause,
    /// How many batches.
    pub batches: usize,
}

/// A witness and what it saw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judged {
    /// The expectation.
    pub witness: Witness,
    /// Count per iteration, the median over trials; `None` when it could not be read.
    pub counted: Option<f64>,
    /// Why it could not be read.
    pub unavailable: Option<Unread>,
    /// In how many trials (or rehearsals) it was read.
    pub read: usize,
    /// In how many it was outside the expectation.
    pub broken: usize,
    /// Count per iteration, the median over those; `None` where it never was.
    pub counted_where_broken: Option<f64>,
}

impl Judged {
    /// Whether it was counted and as expected.
    pub fn is_kept(&self) -> bool {
        self.counted.is_some() && self.broken == 0
    }

    /// How it is broken, if it ever was.
    pub fn breach(&self) -> Option<Broken> {
        let counted = self.counted_where_broken.or(self.counted);
        (self.broken > 0).then_some(Broken {
            witness: self.witness.clone(),
            counted: counted?,
            broken: self.broken,
            read: self.read,
        })
    }
}

/// From which tier a prediction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// T0: facts and constants.
    Facts,
    /// T1: parts measured in the same run.
    Parts,
}

/// A term of a prediction that has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Unpredicted {
    /// The tier that it is missing from.
    pub tier: Tier,
    /// Its name.
    pub term: String,
    /// Why.
    pub why: NoValue,
}

/// Why a term has no value.
#[derive(Debug, Clone, PartialEq)]
pub enum NoValue {
    /// It is predicted from itself.
    FromItself,
    /// A prediction from facts uses this measured part.
    MeasuredPart(PointId),
    /// Its formula cannot be evaluated.
    Unevaluated(Unevaluated),
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
    /// The facts in them that are assumptions, each once.
    pub assumed: Vec<String>,
    /// The measured parts in them that are not known well enough to predict anything, each once.
    pub uncertain_parts: Vec<PointId>,
}

impl Predicted {
    /// The part of which the sum of its terms is an exact multiple.
    pub fn same_as(&self) -> Option<&PointId> {
        record::same_as(self.terms.iter().map(|(term, _)| &term.formula))
    }

    /// The term that is more than half of a predicted time.
    pub fn main_term(&self) -> Option<&Term> {
        let main = self.terms.iter().find(|(_, range)| range.value > self.total.value / 2.0);
        main.map(|(term, _)| term)
    }

    /// Measured divided by this prediction; `None` without a measured number.
    pub fn ratio(&self, row: &Row) -> Option<f64> {
        Some(row.typical()? / self.total.value)
    }
}

/// One row of the table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// What was planned.
    pub point: PlannedPoint,
    /// What may be said.
    pub verdict: Verdict,
    /// Why it is not simply measured.
    pub reasons: Vec<Reason>,
    /// How the cores of its actors were used; `None` where they were not probed.
    pub core: Option<CoreUse>,
    /// The numbers; `None` for contradicted, skipped, failed and untried points.
    pub estimate: Option<Estimate>,
    /// T0, where it has a value.
    pub from_facts: Option<Predicted>,
    /// T1, where it has a value.
    pub from_parts: Option<Predicted>,
    /// The terms of declared tiers that have no value.
    pub unpredicted: Vec<Unpredicted>,
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
    /// Whether more trials would not make it narrow: what makes it noisy is not their number, or it would be too large.
    pub is_beyond_more_time: bool,
    /// The deviation between earlier runs on the same machine; `None` where there are too few.
    pub by_earlier_runs: Option<BetweenRuns>,
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
    /// The row of a point of which nothing is known yet.
    pub fn new(point: PlannedPoint) -> Self {
        Self { point, ..Self::default() }
    }

    /// The typical value; `None` without a number.
    pub fn typical(&self) -> Option<f64> {
        Some(self.estimate.as_ref()?.typical)
    }

    /// The typical value with its interval, or with all that its trials saw where they are too few for one.
    pub(crate) fn range(&self) -> Option<Range> {
        self.estimate.as_ref()?.range().or_else(|| self.range_of_trials())
    }

    /// The typical value with the range of its trials.
    pub(crate) fn range_of_trials(&self) -> Option<Range> {
        Some(self.estimate.as_ref()?.range_of(&self.trials))
    }

    /// Whether there are trials enough to say that they agree: an interval, or at least two.
    pub(crate) fn trials_agree(&self) -> bool {
        self.estimate.as_ref().is_some_and(|estimate| estimate.interval.is_some()) || self.trials.len() > 1
    }

    /// The prediction to compare with: T1 where it has a value, is not the same as a part, and all of its parts are known
    /// well enough; otherwise T0; T1 from uncertain parts where there is no other.
    pub fn predicted(&self) -> Option<&Predicted> {
        let of_its_own = self.from_parts.as_ref().filter(|parts| parts.same_as().is_none());
        let certain = of_its_own.filter(|parts| parts.uncertain_parts.is_empty());
        certain.or(self.from_facts.as_ref()).or(of_its_own)
    }

    /// The part of which T1 is an exact multiple: the prediction would compare a cost with itself.
    pub fn same_as(&self) -> Option<&PointId> {
        self.from_parts.as_ref()?.same_as()
    }

    /// Measured divided by predicted.
    pub fn ratio(&self) -> Option<f64> {
        self.predicted()?.ratio(self)
    }

    /// Measured divided by this value: one factor, or one of each of its states where none is decided.
    pub fn factors_of(&self, value: f64) -> Vec<f64> {
        let states = self.undecided_states();
        let measured = if states.is_empty() { self.typical().into_iter().collect() } else { states };
        measured.into_iter().map(|measured| measured / value).collect()
    }

    /// Measured less predicted: what nothing known explains.
    pub fn residual(&self) -> Option<f64> {
        Some(self.typical()? - self.predicted()?.total.value)
    }

    /// Its typical value with those of its lowest and highest state.
    pub(crate) fn range_of_states(&self) -> Range {
        let value = self.typical().unwrap_or_default();
        self.large_states().fold(Range::exactly(value), |range, mode| Range {
            low: range.low.min(mode.at),
            high: range.high.max(mode.at),
            ..range
        })
    }

    fn large_states(&self) -> impl Iterator<Item = &Mode> {
        self.modes.iter().filter(|mode| mode.share >= SECOND_STATE)
    }

    /// The values of its states, in ascending order, where its median may lie between them and be the value of none.
    pub fn undecided_states(&self) -> Vec<f64> {
        let is_decided = self.notes.iter().any(|note| matches!(note, Note::States(_)));
        let large = || self.large_states();
        let has_main = large().any(|mode| mode.share >= MAIN_STATE && self.is_value_of(mode, large()));
        let mut states: Vec<f64> = large().map(|mode| mode.at).collect();
        states.sort_by(f64::total_cmp);
        let (low, high) = (states.first().copied(), states.last().copied());
        let are_apart = low.zip(high).is_some_and(|(low, high)| high - low > STATE_DISTANCE * low.abs());
        match self.verdict {
            Verdict::Noisy if are_apart && !has_main && !is_decided => states,
            _ => Vec::new(),
        }
    }

    /// Whether its value lies at this state, and not at another one of these.
    fn is_value_of<'m>(&self, state: &Mode, mut all: impl Iterator<Item = &'m Mode>) -> bool {
        let distance = |mode: &Mode, value: f64| (mode.at / value).ln().abs();
        let is_nearest = |value| all.all(|other| distance(state, value) <= distance(other, value));
        self.typical().is_none_or(is_nearest)
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
    pub sweep: PointId,
    /// What the slope is called.
    pub slope_name: String,
    /// Slope, in the base unit per unit of the parameter.
    pub slope: f64,
    /// Ends of the interval of the slope, at least 95 %; `None` where a point has too few trials for one.
    pub slope_interval: Option<Interval>,
    /// What the intercept is called.
    pub intercept_name: String,
    /// Intercept, in the base unit.
    pub intercept: f64,
    /// Ends of the interval of the intercept, as for the slope.
    pub intercept_interval: Option<Interval>,
    /// Largest distance of a point from the line, as a share of the point.
    pub worst: f64,
}

/// The row of this point.
pub(crate) fn find<'r>(rows: &'r [Row], id: &PointId) -> Option<&'r Row> {
    rows.iter().find(|row| row.point.id == *id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Formula, TermSide};

    #[test]
    fn verdicts_with_a_number_and_their_words() {
        use Verdict::{Contradicted, Failed, Measured, Noisy, Skipped};
        let all = [Measured, Noisy, Contradicted, Skipped, Failed];
        assert_eq!(all.map(Verdict::has_number), [true, true, false, false, false]);
        let words = ["measured", "noisy", "contradicted", "skipped", "failed"];
        assert_eq!(all.map(Verdict::word), words);
    }

    #[test]
    fn half_width_is_a_share_of_the_value() {
        for (typical, interval, half, ends) in [
            (8.0, Some((6.0, 10.0)), Some(0.25), (6.0, 10.0)),
            (-8.0, Some((-11.0, -5.0)), Some(0.375), (-11.0, -5.0)),
            (0.0, Some((-1.0, 1.0)), Some(f64::INFINITY), (-1.0, 1.0)),
            (0.0, Some((0.0, 0.0)), Some(0.0), (0.0, 0.0)),
            (8.0, None, None, (8.0, 8.0)),
        ] {
            let of_95 = interval.map(|(low, high)| Interval::at_level(low, high, 0.95));
            let estimate = Estimate { typical, interval: of_95, ..Estimate::default() };
            assert_eq!((estimate.half_width(), estimate.ends()), (half, ends));
            assert_eq!(estimate.range(), interval.map(|(low, high)| Range { low, value: typical, high }));
        }
    }

    #[test]
    fn a_breach_is_by_what_was_counted_where_it_was_broken() {
        for (counted_where_broken, broken, expected) in
            [(Some(5.0), 2, Some((5.0, 2, 3))), (None, 1, Some((1.0, 1, 3))), (Some(5.0), 0, None)]
        {
            let counted = Some(1.0);
            let judged = Judged { broken, read: 3, counted, counted_where_broken, ..Judged::default() };
            let breach = judged.breach().map(|breach| (breach.counted, breach.broken, breach.read));
            assert_eq!(breach, expected);
        }
    }

    #[test]
    fn value_is_that_of_each_state_where_none_holds_two_thirds() {
        let two = |low: f64, high_at| vec![(16.6, low), (high_at, 1.0 - low)];
        for (modes, verdict, expected) in [
            (two(0.5, 59.3), Verdict::Noisy, &[16.6, 59.3][..]),
            (two(0.39, 59.3), Verdict::Noisy, &[16.6, 59.3]),
            (two(0.7, 59.3), Verdict::Noisy, &[]),
            (two(0.5, 16.8), Verdict::Noisy, &[]),
            (two(0.5, 59.3), Verdict::Measured, &[]),
            (vec![(59.3, 0.4), (16.6, 0.5), (99.0, 0.1)], Verdict::Noisy, &[16.6, 59.3]),
        ] {
            let modes: Vec<Mode> = modes.into_iter().map(|(at, share)| Mode { at, share }).collect();
            let mut row = Row { verdict, modes: modes.clone(), ..Row::default() };
            assert_eq!(row.undecided_states(), expected, "{modes:?}");
            // A main state is the value only where the median lies at it.
            row.estimate = Some(Estimate { typical: 16.9, ..Estimate::default() });
            assert_eq!(row.undecided_states(), expected, "{modes:?}");
            assert_eq!(row.factors_of(10.0).len(), expected.len().max(1));
            row.notes = vec![Note::States(modes)];
            assert!(row.undecided_states().is_empty(), "the value is that of a state");
        }
        let modes = [(16.6, 0.7), (59.3, 0.3)].map(|(at, share)| Mode { at, share }).to_vec();
        let estimate = Some(Estimate { typical: 57.0, ..Estimate::default() });
        let row = Row { verdict: Verdict::Noisy, modes, estimate, ..Row::default() };
        assert_eq!(row.undecided_states(), [16.6, 59.3], "the median lies at the rarer one");
    }

    fn predicted(values: &[f64], formula: &Formula) -> Predicted {
        let terms = values.iter().map(|value| {
            let (name, side) = (value.to_string(), TermSide::Software);
            (Term { name, side, formula: formula.clone() }, Range::exactly(*value))
        });
        let (terms, assumed) = (terms.collect(), Vec::new());
        let total = Range::exactly(values.iter().sum());
        let zero = Range::exactly(0.0);
        Predicted {
            tier: Tier::Parts,
            hardware: zero,
            software: zero,
            total,
            terms,
            assumed,
            uncertain_parts: Vec::new(),
        }
    }

    #[test]
    fn the_main_term_is_more_than_half() {
        for (values, expected) in
            [(&[1.0, 5.0, 3.0][..], Some("5")), (&[4.0, 4.0], None), (&[1.0, 3.0, 3.0], None), (&[], None)]
        {
            let predicted = predicted(values, &Formula::exactly(1.0));
            assert_eq!(predicted.main_term().map(|term| term.name.as_str()), expected);
        }
    }

    #[test]
    fn measured_is_compared_with_parts_unless_they_are_one_part() {
        let estimate = Some(Estimate { typical: 6.0, ..Estimate::default() });
        let from_facts = Some(predicted(&[1.0, 1.0], &Formula::exactly(1.0)));
        let mut row = Row { estimate, from_facts, ..Row::default() };
        assert_eq!((row.ratio(), row.residual(), row.same_as()), (Some(3.0), Some(4.0), None));
        row.from_parts = Some(predicted(&[4.0], &Formula::exactly(4.0)));
        assert_eq!((row.ratio(), row.residual(), row.same_as()), (Some(1.5), Some(2.0), None));
        let part = Formula::part("a.part", "");
        row.from_parts = Some(predicted(&[4.0], &part));
        assert_eq!((row.ratio(), row.same_as()), (Some(3.0), Some(&PointId::new("a.part", ""))));
        let mut uncertain = predicted(&[4.0], &Formula::exactly(4.0));
        uncertain.uncertain_parts = vec![PointId::new("a.part", "")];
        row.from_parts = Some(uncertain);
        assert_eq!(row.ratio(), Some(3.0), "T1 from uncertain parts is no better than T0");
        row.from_facts = None;
        assert_eq!(row.ratio(), Some(1.5), "but better than nothing");
        row.estimate = None;
        assert_eq!((row.typical(), row.ratio(), row.residual()), (None, None, None));
    }

    #[test]
    fn without_an_interval_a_row_has_the_range_that_its_trials_saw() {
        let trials = [7.0, 3.0, 5.0].map(|typical| TrialValue { round: 1, typical, best: 0.0 });
        let mut row = Row { trials: trials.to_vec(), ..Row::default() };
        assert_eq!((row.range(), row.range_of_trials()), (None, None));
        row.estimate = Some(Estimate { typical: 5.0, ..Estimate::default() });
        let seen = Some(Range { low: 3.0, value: 5.0, high: 7.0 });
        assert_eq!((row.range(), row.range_of_trials()), (seen, seen));
        row.estimate
            .iter_mut()
            .for_each(|estimate| estimate.interval = Some(Interval::at_level(4.0, 6.0, 0.95)));
        assert_eq!(
            (row.range(), row.range_of_trials()),
            (Some(Range { low: 4.0, value: 5.0, high: 6.0 }), seen)
        );
        row.trials.clear();
        assert_eq!(row.range_of_trials(), Some(Range::exactly(5.0)));
        row.point = PlannedPoint { quantity: Quantity::Size, ..PlannedPoint::new(PointId::new("a.x", "")) };
        assert_eq!(row.quantity(), Quantity::Size);
        let rows = [Row::default(), row.clone()];
        assert_eq!(find(&rows, &row.point.id), Some(&row));
        assert_eq!(find(&rows, &PointId::new("a.y", "")), None);
    }
}
