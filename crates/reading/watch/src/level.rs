//! The level of a channel, and whether its newest readings have left it.

use crate::thresholds::{
    ADOPTED_AFTER_S, BETTER_AFTER_S, CONSECUTIVE, DEVIATIONS, LEAST_LEVEL, URGENT_AFTER_S,
};
use stats::order::median;
use std::collections::VecDeque;

/// Readings of which a level is made: an hour at one reading in a minute.
const MOST_READINGS: usize = 64;

/// Least deviation of the logarithm of readings: that of a quiet channel, below which differences are of no use.
const LEAST_DEVIATION: f64 = 0.01;

/// From the median absolute deviation to the standard deviation of a normal distribution.
const NORMAL: f64 = 1.4826;

/// Where a channel is relative to its level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shift {
    /// Within the threshold, or not known yet.
    None,
    /// The newest reading is beyond, and too few before it are.
    Suspected,
    /// The newest readings are beyond it on one side, by this factor.
    Shifted(f64),
}

/// What is better: a level that was found beside a disturbance is left for it soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Better {
    /// As of a time.
    #[default]
    Lower,
    /// As of a bandwidth.
    Higher,
}

impl Better {
    /// Whether a reading of this factor is better than the level.
    pub(crate) fn is_better(self, factor: f64) -> bool {
        (factor < 1.0) == (self == Self::Lower)
    }
}

/// A reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelReading {
    /// The median of its samples.
    pub(crate) value: f64,
    /// The least sample, and the most.
    pub(crate) ends: (f64, f64),
    /// How long it took.
    pub(crate) lasted_s: f64,
}

impl From<f64> for LevelReading {
    fn from(value: f64) -> Self {
        Self { value, ends: (value, value), lasted_s: 0.0 }
    }
}

/// The level of a positive quantity.
#[derive(Debug, Clone, Default)]
pub(crate) struct Level {
    /// Logarithms of readings within the threshold, the oldest first.
    within: VecDeque<f64>,
    /// Those beyond it, one after the other, with the time of the first.
    beyond: Vec<f64>,
    began_s: f64,
    /// As how many readings in a row those beyond it count.
    count: usize,
    center: Option<f64>,
    deviation: f64,
    better: Better,
}

impl Level {
    /// A level without readings.
    pub(crate) fn new(better: Better) -> Self {
        Self { better, ..Self::default() }
    }

    /// The level, once it is known.
    pub(crate) fn value(&self) -> Option<f64> {
        self.center.map(f64::exp)
    }

    /// The newest reading relative to the level.
    pub(crate) fn factor(&self, value: f64) -> Option<f64> {
        Some(value / self.value()?)
    }

    /// Takes in a reading; `threshold` is the least change of interest, as a share.
    ///
    /// One that takes longer than the wait for the next one counts for as many, where all of its samples are beyond.
    pub(crate) fn add(&mut self, reading: impl Into<LevelReading>, at_s: f64, threshold: f64) -> Shift {
        let LevelReading { value, ends, lasted_s } = reading.into();
        if !(value.is_finite() && value > 0.0) {
            return Shift::None;
        }
        let log = value.ln();
        let Some(center) = self.center else {
            self.keep(log);
            return Shift::None;
        };
        let limit = self.limit(threshold);
        let off = log - center;
        if off.abs() <= limit {
            self.beyond.clear();
            self.keep(log);
            return Shift::None;
        }
        if self.beyond.first().is_some_and(|first| (first - center).signum() != off.signum()) {
            self.beyond.clear();
        }
        if self.beyond.is_empty() {
            (self.began_s, self.count) = (at_s, 0);
        }
        if self.beyond.len() == MOST_READINGS {
            self.beyond.remove(0);
        }
        self.beyond.push(log);
        let nearest = if off > 0.0 { ends.0 } else { ends.1 };
        let is_whole = (nearest.ln() - center) * off.signum() > limit;
        self.count += if is_whole { 1 + (lasted_s / URGENT_AFTER_S) as usize } else { 1 };
        if self.count < CONSECUTIVE {
            return Shift::Suspected;
        }
        let factor = median(&self.beyond).map_or(1.0, |now| (now - center).exp());
        let after_s = if self.better.is_better(factor) { BETTER_AFTER_S } else { ADOPTED_AFTER_S };
        if at_s - self.began_s >= after_s && self.beyond.len() >= LEAST_LEVEL {
            self.within = self.beyond.drain(..).collect();
            self.settle();
            return Shift::None;
        }
        Shift::Shifted(factor)
    }

    /// How far the logarithm of a reading may be off.
    fn limit(&self, threshold: f64) -> f64 {
        (1.0 + threshold).ln().max(DEVIATIONS * self.deviation)
    }

    /// Whether a value of this factor is one that changes are made of.
    pub(crate) fn is_beyond(&self, factor: f64, threshold: f64) -> bool {
        self.center.is_some() && factor.ln().abs() > self.limit(threshold)
    }

    fn keep(&mut self, log: f64) {
        if self.within.len() == MOST_READINGS {
            self.within.pop_front();
        }
        self.within.push_back(log);
        self.settle();
    }

    fn settle(&mut self) {
        if self.within.len() < LEAST_LEVEL {
            return;
        }
        let Some(center) = median(&self.within) else { return };
        let off = median(self.within.iter().map(|log| (log - center).abs()));
        self.deviation = off.map_or(LEAST_DEVIATION, |off| (NORMAL * off).max(LEAST_DEVIATION));
        self.center = Some(center);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn settled() -> Level {
        let mut level = Level::default();
        for turn in 0..LEAST_LEVEL {
            assert_eq!(level.add(100.0 + turn as f64 % 2.0, turn as f64, 0.2), Shift::None);
        }
        level
    }

    #[test]
    fn three_readings_on_one_side_are_a_shift_and_two_or_both_sides_are_none() {
        let mut level = settled();
        assert_eq!(level.add(150.0, 10.0, 0.2), Shift::Suspected);
        assert_eq!(level.add(100.0, 11.0, 0.2), Shift::None);
        for (turn, value) in [150.0, 60.0, 150.0, 60.0, 150.0].into_iter().enumerate() {
            assert_eq!(level.add(value, 12.0 + turn as f64, 0.2), Shift::Suspected);
        }
        let mut level = settled();
        level.add(150.0, 10.0, 0.2);
        level.add(150.0, 11.0, 0.2);
        let Shift::Shifted(factor) = level.add(160.0, 12.0, 0.2) else { panic!() };
        assert!((1.4..1.6).contains(&factor), "{factor}");
        assert_eq!(level.add(101.0, 13.0, 0.2), Shift::None);
    }

    #[test]
    fn a_reading_that_takes_as_long_as_three_counts_for_them_if_all_of_it_is_beyond() {
        let slow = LevelReading { value: 900.0, ends: (800.0, 950.0), lasted_s: 2.5 };
        assert!(matches!(settled().add(slow, 10.0, 0.2), Shift::Shifted(_)));
        for not in [LevelReading { lasted_s: 1.5, ..slow }, LevelReading { ends: (100.0, 950.0), ..slow }] {
            assert_eq!(settled().add(not, 10.0, 0.2), Shift::Suspected);
        }
    }

    #[test]
    fn what_lasts_for_an_hour_is_the_new_level() {
        let mut level = settled();
        let mut last = Shift::None;
        for turn in 0..200 {
            last = level.add(200.0, 10.0 + 30.0 * f64::from(turn), 0.2);
        }
        assert_eq!(last, Shift::None);
        assert!((level.value().unwrap() - 200.0).abs() < 1e-6);
    }

    #[test]
    fn a_better_level_is_taken_within_minutes() {
        let mut level = settled();
        let shifts: Vec<Shift> =
            (0..12).map(|turn| level.add(50.0, 10.0 + 40.0 * f64::from(turn), 0.2)).collect();
        assert_eq!(shifts.last(), Some(&Shift::None), "{shifts:?}");
        assert!((level.value().unwrap() - 50.0).abs() < 1e-6);
    }

    #[test]
    fn values_that_are_not_positive_numbers_leave_the_level_as_it_is() {
        let mut level = settled();
        for wrong in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            assert_eq!(level.add(wrong, 20.0, 0.2), Shift::None);
        }
        assert!((level.value().unwrap() - 100.5).abs() < 1.0);
    }
}
