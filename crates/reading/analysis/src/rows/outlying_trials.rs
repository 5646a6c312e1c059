//! Trials far from the others: a few of them make the standard deviation over trials, which then describes none.

use crate::rows::row::Row;
use crate::thresholds::{DEVIATION_BY_FEW, FAR_TRIAL};
use stats::order::median;
use stats::spread::{NORMAL_FROM_MEDIAN_DEVIATION, deviation, median_deviation};

/// The spread of the trials without a few that are far from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutlyingTrials {
    /// How many trials are far from the others.
    pub trials: usize,
    /// The robust deviation: 1.4826 times the median absolute deviation of the trials' medians.
    pub deviation: f64,
}

impl Row {
    /// The trials that make the standard deviation; `None` where it describes the trials.
    pub fn outlying_trials(&self) -> Option<OutlyingTrials> {
        self.estimate.as_ref()?;
        let values: Vec<f64> = self.trials.iter().map(|trial| trial.typical).collect();
        let (centre, robust) = (median(&values)?, NORMAL_FROM_MEDIAN_DEVIATION * median_deviation(&values)?);
        let trials = values.iter().filter(|value| (*value - centre).abs() > FAR_TRIAL * robust).count();
        let is_made_by_them = robust > 0.0 && trials > 0 && deviation(&values)? > DEVIATION_BY_FEW * robust;
        is_made_by_them.then_some(OutlyingTrials { trials, deviation: robust })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::{Estimate, TrialValue};

    fn row(values: &[f64]) -> Row {
        let trials = values.iter().map(|&typical| TrialValue { round: 1, typical, best: 0.0 });
        Row { trials: trials.collect(), estimate: Some(Estimate::default()), ..Row::default() }
    }

    #[test]
    fn far_trials_are_counted_and_do_not_count_in_the_deviation() {
        let found = row(&[10.0, 11.0, 9.0, 12.0, 8.0, 95.0, 70.0]).outlying_trials().unwrap();
        assert_eq!((found.trials, found.deviation), (2, 2.0 * NORMAL_FROM_MEDIAN_DEVIATION));
    }

    #[test]
    fn other_trials_have_their_standard_deviation() {
        for values in [&[10.0, 11.0, 9.0, 12.0, 8.0][..], &[10.0, 10.0, 10.0, 10.0, 95.0], &[10.0], &[]] {
            assert_eq!(row(values).outlying_trials(), None, "{values:?}");
        }
        // Two halves are two states, and no outliers.
        assert_eq!(row(&[10.0, 11.0, 9.0, 30.0, 31.0, 29.0]).outlying_trials(), None);
        assert_eq!(
            Row { estimate: None, ..row(&[10.0, 11.0, 9.0, 12.0, 8.0, 95.0]) }.outlying_trials(),
            None
        );
    }
}
