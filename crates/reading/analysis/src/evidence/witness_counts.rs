//! Witnesses against what was counted, trial by trial.

use crate::rows::failure::Unread;
use crate::rows::reason::Broken;
use crate::rows::row::Judged;
use crate::thresholds::{COVERAGE, LEAST_AGREEING, TOLERATED_BREACHES, TOLERATED_DISTURBANCES};
use record::{Breach, Counted, Evidence, Origin, Witness};
use stats::interval::Interval;
use stats::order::{self, Sorted};

/// The counter that the analysis itself makes from the triples of a trial.
pub const LINEARITY: &str = "linearity";

/// Rounding of a count divided by a number of iterations.
const ROUNDING: f64 = 1e-9;

/// A witness and all that it saw.
#[derive(Debug, Clone)]
pub(crate) struct WitnessCounts {
    /// The expectation.
    pub(crate) witness: Witness,
    /// Counts per iteration, one for each trial or rehearsal in which it was read.
    counts: Vec<f64>,
    /// Why it was not read, when it last was not.
    missing: Option<Unread>,
}

impl WitnessCounts {
    pub(crate) fn new(witness: &Witness) -> Self {
        Self { witness: witness.clone(), counts: Vec::new(), missing: None }
    }

    /// Takes in what was counted per iteration; returns whether it is within the expectation or unknown.
    pub(crate) fn see(&mut self, count: Result<f64, Unread>) -> bool {
        match count {
            Ok(count) => {
                self.counts.push(count);
                self.expects(count)
            }
            Err(why) => {
                self.missing = Some(why);
                true
            }
        }
    }

    /// Remembers why it could not be read.
    pub(crate) fn miss(&mut self, why: Unread) {
        self.missing = Some(why);
    }

    fn expects(&self, count: f64) -> bool {
        let Witness { low, high, .. } = self.witness;
        let [low_slack, high_slack] = [low, high].map(|limit| ROUNDING * limit.abs().max(1.0));
        count >= low - low_slack && count <= high + high_slack
    }

    /// Whether it was read at all.
    pub(crate) fn was_read(&self) -> bool {
        !self.counts.is_empty()
    }

    /// Whether it ever was outside the expectation.
    pub(crate) fn is_broken(&self) -> bool {
        self.counts.iter().any(|&count| !self.expects(count))
    }

    fn broken(&self) -> Vec<f64> {
        self.counts.iter().copied().filter(|&count| !self.expects(count)).collect()
    }

    /// Why it could not be read; `None` when it was.
    pub(crate) fn unavailable(&self) -> Option<Unread> {
        if self.was_read() {
            return None;
        }
        Some(match (&self.missing, self.witness.origin) {
            (Some(why), _) => why.clone(),
            (None, Origin::Trial) => Unread::NoTrial,
            (None, Origin::Rehearsal) => Unread::NoRehearsal,
        })
    }

    /// The witness and what was counted where it was broken, if it was too often.
    fn often_broken(&self) -> Option<Broken> {
        let tolerated = match self.witness.positive {
            true => TOLERATED_BREACHES,
            false => TOLERATED_DISTURBANCES,
        };
        self.judged().breach().filter(|breach| {
            // One of a few trials may be chance; a second one is not.
            let is_single = breach.broken == 1 && breach.read > 1;
            breach.broken * tolerated > breach.read && !is_single
        })
    }

    /// Whether the trials agree that the expectation does not hold: the distribution-free interval of the median
    /// over trials lies outside of it on one side. Of fewer trials than it needs, all lie there.
    fn is_consistent(&self) -> bool {
        let sorted = Sorted::from_values(&self.counts);
        let all = sorted.values().first().copied().zip(sorted.values().last().copied());
        let Some((low, high)) = sorted.median_interval(COVERAGE).map(Interval::ends).or(all) else {
            return false;
        };
        let one_side = high < self.witness.low || low > self.witness.high;
        self.counts.len() >= LEAST_AGREEING && one_side && !self.expects(low) && !self.expects(high)
    }

    /// Whether what was counted speaks against the work rather than against the quiet of the machine.
    fn is_against_the_work(&self) -> bool {
        match self.witness.breach {
            Breach::OtherWork => true,
            Breach::IfConsistent => self.is_consistent(),
            Breach::Noise => false,
        }
    }

    /// What speaks against the point, if the witness was broken too often.
    pub(crate) fn contradiction(&self) -> Option<Broken> {
        self.often_broken().filter(|_| self.is_against_the_work())
    }

    /// Why the point is noisy, if the witness was broken often and a neighbour can be the reason.
    pub(crate) fn noise(&self) -> Option<Broken> {
        self.often_broken().filter(|_| !self.is_against_the_work())
    }

    pub(crate) fn judged(&self) -> Judged {
        Judged {
            witness: self.witness.clone(),
            counted: order::median(&self.counts),
            unavailable: self.unavailable(),
            read: self.counts.len(),
            broken: self.broken().len(),
            counted_where_broken: order::median(self.broken()),
        }
    }
}

/// The count per iteration of one counter.
pub(crate) fn read(counter: &str, evidence: &[Evidence]) -> Result<f64, Unread> {
    let found = Evidence::find(evidence, counter).ok_or(Unread::NotReported)?;
    match (&found.counted, found.per_iteration()) {
        (Counted::Unavailable { reason }, _) => Err(Unread::Reported(reason.clone())),
        (_, Some(count)) if count.is_finite() => Ok(count),
        _ => Err(Unread::NotANumber),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was counted against a witness of 1 to 2.
    fn counts(positive: bool, breach: Breach, counts: &[f64]) -> WitnessCounts {
        let witness = Witness { low: 1.0, high: 2.0, positive, breach, ..Witness::default() };
        WitnessCounts { witness, counts: counts.to_vec(), missing: None }
    }

    #[test]
    fn counts_may_be_beyond_a_limit_by_rounding_which_grows_with_the_limit() {
        for (limit, within, beyond) in [(0.0, 5e-10, 2e-9), (1e6, 5e-4, 2e-3), (-1e6, 5e-4, 2e-3)] {
            let witness = Witness { low: limit, high: limit, ..Witness::default() };
            let mut seen = WitnessCounts::new(&witness);
            let expects =
                [within, beyond].map(|off| [limit - off, limit + off].map(|count| seen.see(Ok(count))));
            assert_eq!(expects, [[true; 2], [false; 2]], "{limit}");
        }
    }

    #[test]
    fn one_of_several_trials_and_a_tolerated_share_are_not_often_broken() {
        for (positive, broken, read, is_often) in [
            (true, 1, 1, true),
            (true, 1, 2, false),
            (true, 1, 4, false),
            (true, 2, 9, true),
            (true, 2, 10, false),
            (false, 1, 1, true),
            (false, 2, 3, true),
            (false, 2, 4, false),
            (false, 0, 4, false),
        ] {
            let mut seen = vec![1.5; read];
            seen[..broken].fill(3.0);
            let found = counts(positive, Breach::OtherWork, &seen).often_broken();
            let found = found.map(|found| (found.counted, found.broken, found.read));
            assert_eq!(found, is_often.then_some((3.0, broken, read)), "{positive} {broken} {read}");
        }
    }

    #[test]
    fn trials_agree_where_three_or_the_interval_of_their_median_are_beyond_one_limit() {
        for (seen, agree) in [
            (vec![], false),
            (vec![3.0; 2], false),
            (vec![3.0; 3], true),
            (vec![0.5; 3], true),
            (vec![1.5; 3], false),
            (vec![0.5, 3.0, 3.0], false),
            (vec![1.5, 3.0, 3.0], false),
            (vec![0.5, 0.5, 1.5], false),
            // The interval of nine is from the second to the eighth.
            ([&[3.0; 8][..], &[1.5]].concat(), true),
            ([&[3.0; 7][..], &[1.5; 2]].concat(), false),
        ] {
            assert_eq!(counts(true, Breach::IfConsistent, &seen).is_consistent(), agree, "{seen:?}");
        }
    }

    #[test]
    fn a_witness_that_is_often_broken_is_a_contradiction_or_noise_by_what_its_breach_means() {
        let (agree, differ) = ([3.0; 3], [0.5, 3.0, 3.0]);
        for (breach, seen, is_contradiction) in [
            (Breach::OtherWork, agree, true),
            (Breach::OtherWork, differ, true),
            (Breach::IfConsistent, agree, true),
            (Breach::IfConsistent, differ, false),
            (Breach::Noise, agree, false),
        ] {
            let seen = counts(true, breach, &seen);
            let found = [seen.contradiction(), seen.noise()].map(|found| found.map(|found| found.broken));
            let expected = if is_contradiction { [Some(3), None] } else { [None, Some(3)] };
            assert_eq!(found, expected, "{breach:?}");
        }
        let within = counts(true, Breach::Noise, &[1.5; 3]);
        assert_eq!((within.contradiction(), within.noise()), (None, None));
    }
}
