//! How the samples of a point are distributed: counts in bars of equal width, from the few that are kept.

use stats::order::Sorted;

/// Bars, at most. More would be finer than the samples of a quick run can fill.
const MOST_BARS: usize = 32;
/// Samples beyond these quantiles are counted, but do not stretch the bars: one interrupt would.
const INSIDE: (f64, f64) = (0.01, 0.99);
/// Nor do samples further outside the quartiles than this many times the distance of these.
const FURTHEST: f64 = 3.0;
/// Fewer samples than this have no shape.
const LEAST_SAMPLES: usize = 12;

/// Samples of all trials that count, evenly over time, counted in bars of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Lower end of the first bar, in the base unit of the quantity.
    pub low: f64,
    /// Upper end of the last bar.
    pub high: f64,
    /// Samples in each bar.
    pub counts: Vec<usize>,
    /// Samples below the first bar.
    pub below: usize,
    /// Samples above the last bar.
    pub above: usize,
}

impl Distribution {
    /// Counts these samples; `None` with too few, or with all alike. No bar is narrower than `resolution`,
    /// the step of the samples: between two steps there would be gaps that mean nothing.
    pub fn from_samples(samples: &[f64], resolution: f64) -> Option<Self> {
        let sorted = Sorted::from_values(samples);
        let (low, high) = ends(&sorted)?;
        let wide = high > low && (high - low).is_finite();
        if samples.len() < LEAST_SAMPLES || !wide {
            return None;
        }
        let bars = match resolution > 0.0 {
            true => (((high - low) / resolution) as usize).clamp(1, MOST_BARS),
            false => MOST_BARS,
        };
        let mut this = Self { low, high, counts: vec![0; bars], below: 0, above: 0 };
        samples.iter().for_each(|sample| this.count(*sample));
        Some(this)
    }

    /// Samples in all.
    pub fn samples(&self) -> usize {
        self.counts.iter().sum::<usize>() + self.below + self.above
    }

    fn count(&mut self, sample: f64) {
        if sample < self.low {
            self.below += 1;
        } else if sample > self.high {
            self.above += 1;
        } else {
            let bars = self.counts.len();
            let bar = (sample - self.low) / (self.high - self.low) * bars as f64;
            // The upper end belongs to the last bar.
            let bar = (bar as usize).min(bars.saturating_sub(1));
            if let Some(count) = self.counts.get_mut(bar) {
                *count += 1;
            }
        }
    }
}

/// Where the bars begin and end.
fn ends(sorted: &Sorted) -> Option<(f64, f64)> {
    let (first, third) = (sorted.quantile(0.25)?, sorted.quantile(0.75)?);
    let reach = FURTHEST * (third - first);
    let (low, high) = (sorted.quantile(INSIDE.0)?, sorted.quantile(INSIDE.1)?);
    // Where half of the samples are alike, the quartiles are no measure.
    Some(if reach > 0.0 { (low.max(first - reach), high.min(third + reach)) } else { (low, high) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_sample_is_counted_once() {
        let mut samples: Vec<f64> = (0..1000).map(|at| f64::from(at % 100)).collect();
        samples.extend([1e9, 1e9]);
        let all = Distribution::from_samples(&samples, 0.0).unwrap();
        assert_eq!(all.samples(), 1002);
        assert_eq!((all.counts.len(), all.above), (MOST_BARS, 2));
        assert!(all.high < 100.0, "{all:?}");
    }

    #[test]
    fn bars_are_no_narrower_than_the_step_of_the_samples() {
        let samples: Vec<f64> = (0..100).map(|at| f64::from(at % 5) * 10.0).collect();
        let all = Distribution::from_samples(&samples, 10.0).unwrap();
        assert_eq!(all.counts, [20, 20, 20, 40]);
    }

    #[test]
    fn few_samples_or_equal_ones_have_no_shape() {
        assert_eq!(Distribution::from_samples(&[1.0; 100], 0.0), None);
        assert_eq!(Distribution::from_samples(&[1.0, 2.0], 0.0), None);
        assert_eq!(Distribution::from_samples(&[], 0.0), None);
    }

    /// Samples of 0 to 100, of which the bars leave out one at either end.
    #[test]
    fn bars_reach_from_the_first_to_the_last_percentile() {
        let samples: Vec<f64> = (0..=100).map(f64::from).collect();
        let all = Distribution::from_samples(&samples, 24.5).unwrap();
        assert_eq!((all.low, all.high), (1.0, 99.0));
        // From 1, 25.5, 50 and 74.5 on; the last holds its upper end, too.
        assert_eq!((all.counts.as_slice(), all.below, all.above), (&[25, 24, 25, 25][..], 1, 1));
        assert_eq!(all.samples(), 101);
        let wider = Distribution::from_samples(&samples, 1000.0).unwrap();
        assert_eq!(wider.counts, [99]);
        assert_eq!(Distribution::from_samples(&samples, 0.001).unwrap().counts.len(), MOST_BARS);
        assert_eq!(Distribution::from_samples(&samples, -1.0).unwrap().counts.len(), MOST_BARS);
    }

    /// Quartiles of 10 and 20: nothing beyond 20 − 3 × 10 and 20 + 3 × 10 stretches the bars.
    #[test]
    fn bars_reach_no_further_than_three_times_the_quartiles() {
        for (values, expected) in [
            (&[-1000.0, 10.0, 15.0, 20.0, 1000.0][..], Some((-20.0, 50.0))),
            (&[5.0; 4], Some((5.0, 5.0))),
            (&[], None),
        ] {
            assert_eq!(ends(&Sorted::from_values(values)), expected, "{values:?}");
        }
        // Where the quartiles are equal, the percentiles are taken.
        let (low, high) = ends(&Sorted::from_values([0.0, 5.0, 5.0, 5.0, 10.0])).unwrap();
        assert!((low - 0.2).abs() < 1e-9 && (high - 9.8).abs() < 1e-9, "{low} {high}");
    }

    #[test]
    fn twelve_samples_have_a_shape() {
        let samples: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(Distribution::from_samples(&samples, 0.0).map(|all| all.samples()), Some(12));
        assert_eq!(Distribution::from_samples(&samples[1..], 0.0), None);
        let mut infinite = samples;
        infinite.extend([f64::INFINITY; 12]);
        assert_eq!(Distribution::from_samples(&infinite, 0.0), None);
    }

    #[test]
    fn bars_are_as_many_as_steps_between_the_ends_wherever_these_are() {
        let samples: Vec<f64> = (1_000..=1_100).map(f64::from).collect();
        assert_eq!(Distribution::from_samples(&samples, 24.5).map(|all| all.counts.len()), Some(4));
        let widest = [[-1.7e308; 6], [1.7e308; 6]].concat();
        assert_eq!(Distribution::from_samples(&widest, 0.0), None);
    }
}
