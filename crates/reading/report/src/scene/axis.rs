//! An axis: where a value stands on it, and which values are named beside it.

use quantity::{Quantity, show};
use record::Scale;

/// Labels that an axis of values aims at.
const LABELS: f64 = 5.0;
/// Steps between labels of a linear axis, in powers of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
/// Above this many powers of ten only these are labelled.
const MANY_DECADES: f64 = 3.0;
/// Labels of an axis, at most.
const MOST_LABELS: usize = 64;

/// The least and the largest of these values: infinite of none.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// An axis from its least to its largest value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    /// An axis over these values; `None` without one, or where a value has no place on such an axis.
    pub(crate) fn over(values: impl Iterator<Item = f64>, scale: Scale) -> Option<Self> {
        let (low, high) = ends(values);
        let placed = low.is_finite() && high.is_finite() && (scale == Scale::Linear || low > 0.0);
        placed.then_some(Self { scale, low, high })
    }

    /// This axis from the ground on where it is linear, with a little room above.
    pub(crate) fn with_room(self) -> Self {
        /// Share of the axis that stays free above its largest value.
        const ROOM: f64 = 0.05;
        match self.scale {
            Scale::Linear => {
                let low = self.low.min(0.0);
                let high = self.high.max(0.0);
                Self { low, high: high + ROOM * (high - low).max(f64::MIN_POSITIVE), ..self }
            }
            Scale::Logarithmic => {
                let factor = (self.high / self.low).powf(ROOM).max(1.01);
                Self { low: self.low / factor, high: self.high * factor, ..self }
            }
        }
    }

    /// Where a value stands, from 0 at the least to 1 at the largest; values beyond stand at the ends.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        };
        // An axis of one value has it in the middle.
        if share.is_nan() { 0.5 } else { share.clamp(0.0, 1.0) }
    }

    /// Its least and its largest value.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Whether a value lies between the ends.
    pub(crate) fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// The same axis in another unit; `factor` of them are one unit of the axis.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor, ..self }
    }

    /// Round values on the axis with their names, from the least on.
    pub(crate) fn labels(&self, quantity: Quantity) -> Vec<(f64, String)> {
        let base = if quantity == Quantity::Size { 2.0 } else { 10.0 };
        self.labels_by(base, |value, half| show(value, half, quantity))
    }

    /// Values that are round by this base with the names that `text` gives them, from the least on.
    pub(crate) fn labels_by(
        &self,
        base: f64,
        text: impl Fn(f64, Option<f64>) -> String,
    ) -> Vec<(f64, String)> {
        let values = match self.scale {
            Scale::Linear => self.even(base),
            Scale::Logarithmic => self.powers(base),
        };
        let labels = values.into_iter().map(|value| {
            // Three times the value leaves its first digit, which is all that a round one has.
            (value, text(value, Some(value.abs() * 3.0).filter(|half| *half > 0.0)))
        });
        let mut labels: Vec<(f64, String)> = labels.collect();
        if self.scale == Scale::Linear {
            let step = labels.get(1).zip(labels.first()).map(|(one, before)| one.0 - before.0);
            labels.iter_mut().for_each(|(value, name)| *name = text(*value, step.map(|step| step * 3.0)));
        }
        labels
    }

    /// Multiples of a round step.
    fn even(&self, base: f64) -> Vec<f64> {
        let about = (self.high - self.low) / LABELS;
        let step = if base == 2.0 {
            about.log2().ceil().exp2()
        } else {
            let decade = 10f64.powf(about.log10().floor());
            decade * STEPS.iter().find(|step| **step * decade >= about * 0.999).copied().unwrap_or(10.0)
        };
        if !step.is_finite() || step <= 0.0 {
            return vec![self.low];
        }
        let first = (self.low / step).ceil();
        let values = (0..MOST_LABELS).map(|index| (first + index as f64) * step);
        values.take_while(|value| *value <= self.high).collect()
    }

    /// Powers of the base, and of ten the halves and fifths of them where there are few.
    fn powers(&self, base: f64) -> Vec<f64> {
        let (first, last) = (self.low.log(base).floor(), self.high.log(base).ceil());
        let between: &[f64] =
            if base == 10.0 && last - first <= MANY_DECADES { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let stride = ((last - first) / (2.0 * LABELS)).ceil().max(1.0);
        let powers = (0..MOST_LABELS).map(|index| first + index as f64 * stride);
        powers
            .take_while(|power| *power <= last)
            .flat_map(|power| between.iter().map(move |part| part * base.powf(power)))
            .filter(|value| self.holds(*value))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(values: &[f64], scale: Scale, quantity: Quantity) -> Vec<String> {
        let axis = Axis::over(values.iter().copied(), scale).unwrap().with_room();
        axis.labels(quantity).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn labels_are_round_and_have_units() {
        let (log, linear) = (Scale::Logarithmic, Scale::Linear);
        assert_eq!(
            names(&[1.6, 113.0], log, Quantity::Latency),
            ["2 ns", "5 ns", "10 ns", "20 ns", "50 ns", "100 ns"]
        );
        assert_eq!(
            names(&[1.6, 2.3e6], log, Quantity::Latency),
            ["1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms"]
        );
        assert_eq!(names(&[1800.0, 2720.0], linear, Quantity::Latency), ["0 ns", "1 µs", "2 µs"]);
        assert_eq!(names(&[0.31, 0.35], linear, Quantity::Latency), ["0.0 ns", "0.1 ns", "0.2 ns", "0.3 ns"]);
        let sizes = names(&[4096.0, 4e6], Scale::Linear, Quantity::Size);
        assert_eq!(sizes, ["0 B", "1 MiB", "2 MiB", "3 MiB", "4 MiB"]);
    }

    #[test]
    fn places_are_shares_of_the_axis() {
        let axis = Axis::over([1.0, 100.0].into_iter(), Scale::Logarithmic).unwrap();
        assert_eq!([0.1, 1.0, 10.0, 1e9].map(|value| axis.share(value)), [0.0, 0.0, 0.5, 1.0]);
        let one = Axis::over([3.0].into_iter(), Scale::Linear).unwrap();
        assert_eq!(one.share(3.0), 0.5);
        assert_eq!(Axis::over([].into_iter(), Scale::Linear), None);
        assert_eq!(Axis::over([0.0, 1.0].into_iter(), Scale::Logarithmic), None);
    }
}
