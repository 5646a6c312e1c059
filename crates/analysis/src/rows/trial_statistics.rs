//! The statistics that the reports' tables have: smallest, mean, largest and standard deviation over trials.

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
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        Some(TrialStatistics {
            minimum: *sorted.first()?,
            mean: values.iter().sum::<f64>() / values.len() as f64,
            maximum: *sorted.last()?,
            deviation: spread::deviation(&values),
        })
    }
}
