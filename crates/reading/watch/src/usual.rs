//! What is usual for a channel on this machine: its readings of earlier days.

use crate::thresholds::{USUAL_HOURS, USUAL_OUTSIDE};
use quantity::{Quantity, show};
use stats::order::Sorted;
use std::collections::BTreeSet;

/// Seconds in an hour.
const HOUR_S: i64 = 3_600;

/// The readings of earlier days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usual {
    /// Their median.
    pub median: f64,
    /// One in twenty is below.
    pub low: f64,
    /// One in twenty is above.
    pub high: f64,
    /// Readings.
    pub readings: usize,
}

impl Usual {
    /// What readings say that were made at these seconds; `None` where they are of fewer than [`USUAL_HOURS`] hours.
    pub fn from_readings(readings: &[(i64, f64)]) -> Option<Self> {
        let finite = readings.iter().filter(|(_, value)| value.is_finite());
        let hours: BTreeSet<i64> = finite.clone().map(|(at_s, _)| at_s.div_euclid(HOUR_S)).collect();
        let sorted = Sorted::from_values(finite.map(|(_, value)| value));
        let [median, low, high] =
            [0.5, USUAL_OUTSIDE, 1.0 - USUAL_OUTSIDE].map(|share| sorted.quantile(share));
        let usual = Self { median: median?, low: low?, high: high?, readings: sorted.values().len() };
        (hours.len() >= USUAL_HOURS).then_some(usual)
    }

    /// Its range in words.
    pub(crate) fn range(&self, quantity: Quantity) -> String {
        let [low, high] = [self.low, self.high].map(|value| show(value, None, quantity));
        match (low.rsplit_once(' '), high.rsplit_once(' ')) {
            (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}–{high}"),
            _ => format!("{low}–{high}"),
        }
    }

    /// Whether a value lies outside of the range.
    pub(crate) fn is_outside(&self, value: f64) -> bool {
        !(self.low..=self.high).contains(&value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn minutes(hours: i64) -> Vec<(i64, f64)> {
        (0..60 * hours).map(|minute| (60 * minute, 115.0 + (minute % 41) as f64 / 10.0)).collect()
    }

    #[test]
    fn range_leaves_one_reading_in_ten_outside() {
        let usual = Usual::from_readings(&minutes(30)).unwrap();
        assert_eq!((usual.median, usual.low, usual.high), (117.0, 115.2, 118.8));
        assert_eq!(usual.range(Quantity::Latency), "115–119 ns");
        assert!(usual.is_outside(115.1) && !usual.is_outside(115.3) && usual.is_outside(130.0));
        let wide = Usual { low: 900.0, high: 1_500.0, ..usual };
        assert_eq!(wide.range(Quantity::Latency), "900 ns–1.50 µs");
    }

    #[test]
    fn less_than_a_day_is_not_usual() {
        assert_eq!(Usual::from_readings(&minutes(23)), None);
        assert_eq!(Usual::from_readings(&[]), None);
        assert_eq!(Usual::from_readings(&[(0, f64::NAN)]), None);
    }
}
