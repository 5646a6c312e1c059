//! Statistics like those of R0's tables (5.1.3, 5.3.3, 6.2.3, 6.3.3): smallest, mean, largest and standard deviation over trials.

use crate::rows::row::Row;
use stats::spread;

/// Statistics over the trials of a point that count, each by its median sample, in the base unit of its quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialStatistics {
    /// Smallest.
    pub minimum: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Largest.
    pub maximum: f64,
    /// Standard deviation, with n − 1; `None` with one trial.
    pub deviation: Option<f64>,
}

impl Row {
    /// The statistics over its trials; `None` where it has no number.
    pub fn trial_statistics(&self) -> Option<TrialStatistics> {
        self.estimate.as_ref()?;
        let values: Vec<f64> = self.trials.iter().map(|trial| trial.typical).collect();
        Some(TrialStatistics {
            minimum: values.iter().copied().min_by(f64::total_cmp)?,
            mean: spread::mean(&values)?,
            maximum: values.iter().copied().max_by(f64::total_cmp)?,
            deviation: spread::deviation(&values),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::row::{Estimate, TrialValue};

    #[test]
    fn statistics_are_those_of_the_medians_of_trials() {
        let trials = [4.0, 2.0, 6.0].map(|typical| TrialValue { round: 1, typical, best: 0.0 });
        let mut row = Row { trials: trials.to_vec(), ..Row::default() };
        assert_eq!(row.trial_statistics(), None, "no number");
        row.estimate = Some(Estimate::default());
        let expected = TrialStatistics { minimum: 2.0, mean: 4.0, maximum: 6.0, deviation: Some(2.0) };
        assert_eq!(row.trial_statistics(), Some(expected));
        row.trials.clear();
        assert_eq!(row.trial_statistics(), None);
    }
}
