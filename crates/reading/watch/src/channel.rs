//! A channel: one point with what was read of it, in bounded memory.

use crate::level::{Better, Level, LevelReading, Shift};
use crate::usual::Usual;
use quantity::Quantity;
use record::PointId;
use stats::order::Sorted;
use std::collections::VecDeque;

/// Readings that are kept with their samples: three hours at one reading in ten seconds.
const MOST_READINGS: usize = 1_024;

/// Samples of a reading that are kept.
const MOST_SAMPLES: usize = 32;

/// Minutes of which a summary is kept: a day.
const MOST_MINUTES: usize = 1_440;

/// Upper bounds of the histogram's buckets: this many for each factor of ten from one nanosecond to ten seconds.
const PER_DECADE: [f64; 3] = [1.0, 2.0, 5.0];
const DECADES: i32 = 10;

/// What a channel needs of the machine, besides a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Needs {
    /// Bytes of memory that a trial touches.
    pub touched_bytes: f64,
    /// Whether it waits for a disk.
    pub disk: bool,
    /// Whether the kernel counts nothing that shows what disturbs it.
    pub uncounted: bool,
}

/// What a channel is.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSpec {
    /// The point.
    pub id: PointId,
    /// What the screen calls it.
    pub label: String,
    /// What is measured.
    pub quantity: Quantity,
    /// `cpu`, `os`, `memory`, `network` or `file`.
    pub area: String,
    /// What a trial of it needs.
    pub needs: Needs,
    /// Its readings of earlier days, if they were kept.
    pub usual: Option<Usual>,
}

/// What one worker read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Its samples in the base unit, those included that met another task.
    pub samples: Vec<f64>,
    /// Share of its time for which others had the core.
    pub shared: f64,
    /// The clock of the core beside it, in hertz.
    pub core_hz: Option<f64>,
    /// How long its worker took, in seconds.
    pub lasted_s: f64,
}

/// A trial that gave no reading.
#[derive(Debug, Clone, PartialEq)]
pub struct NoReading {
    /// What it is worth: anything but [`TrialVerdict::Measured`].
    pub verdict: TrialVerdict,
    /// Why.
    pub why: String,
}

/// What one trial is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrialVerdict {
    /// It gave a reading.
    Measured,
    /// Its evidence shows that other work was done, or it cannot be true.
    Contradicted,
    /// It needs what the machine lacks now.
    Skipped,
    /// It ended with an error.
    Failed,
}

impl TrialVerdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Contradicted => "contradicted",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}

/// A reading as it is kept.
#[derive(Debug, Clone, PartialEq)]
struct Kept {
    at_s: f64,
    median: f64,
    shared: f32,
    samples: Box<[f32]>,
}

/// Readings of one minute, summarised.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Minute {
    minute: i64,
    /// The largest median of a reading; the smallest of a bandwidth.
    worst: f64,
    shared: f32,
}

/// Statistics of the readings of a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowStatistics {
    /// Readings.
    pub readings: usize,
    /// Median of their samples.
    pub median: f64,
    /// 99th percentile of their samples; the first percentile of a bandwidth.
    pub p99: f64,
    /// Mean share of the time for which the core was shared.
    pub shared: f64,
}

/// A channel with its readings.
#[derive(Debug, Clone)]
pub struct Channel {
    /// What it is.
    pub spec: ChannelSpec,
    /// Its level: the factor of the last reading and of an open shift is relative to it.
    pub(crate) level: Level,
    /// How far the newest readings lie from the level, while they are beyond the threshold.
    pub shifted: Option<f64>,
    /// Readings, and trials that gave none.
    pub readings: u64,
    /// Trials that gave no reading.
    pub failures: u64,
    /// Why the last trial gave no reading, if it gave none.
    pub failure: Option<NoReading>,
    /// Counts of samples up to each bound of [`Channel::bounds`], and above all of them.
    pub(crate) histogram: Vec<u64>,
    pub(crate) sum: f64,
    kept: VecDeque<Kept>,
    minutes: VecDeque<Minute>,
}

impl Channel {
    /// A channel without readings.
    pub fn new(spec: ChannelSpec) -> Self {
        Self {
            level: Level::new(better(&spec)),
            spec,
            shifted: None,
            readings: 0,
            failures: 0,
            failure: None,
            histogram: vec![0; Self::bounds().count() + 1],
            sum: 0.0,
            kept: VecDeque::new(),
            minutes: VecDeque::new(),
        }
    }

    /// Upper bounds of the histogram's buckets, in nanoseconds.
    pub(crate) fn bounds() -> impl Iterator<Item = f64> {
        (0..DECADES).flat_map(|decade| PER_DECADE.map(|step| step * 10f64.powi(decade)))
    }

    /// Takes in a reading; what it says of the level.
    pub(crate) fn add(&mut self, at_s: f64, reading: &Reading, threshold: f64) -> Shift {
        let sorted = Sorted::from_values(reading.samples.iter().filter(|sample| sample.is_finite()));
        let Some(median) = sorted.median() else { return Shift::None };
        (self.readings, self.failure) = (self.readings + 1, None);
        for &sample in sorted.values() {
            let bucket = Self::bounds().position(|bound| sample <= bound).unwrap_or(self.histogram.len() - 1);
            if let Some(count) = self.histogram.get_mut(bucket) {
                *count += 1;
            }
            self.sum += sample;
        }
        let count = sorted.values().len();
        let few = count.min(MOST_SAMPLES);
        // Evenly by rank, both ends included, so that the quantiles stay.
        let ranks = (0..few).map(|at| if few > 1 { at * (count - 1) / (few - 1) } else { 0 });
        let samples = ranks.filter_map(|rank| sorted.values().get(rank)).map(|&sample| sample as f32);
        if self.kept.len() == MOST_READINGS {
            self.kept.pop_front();
        }
        let shared = reading.shared as f32;
        self.kept.push_back(Kept { at_s, median, shared, samples: samples.collect() });
        self.add_to_minute(at_s, median, shared);
        let ends = match sorted.values() {
            [least, .., most] => (*least, *most),
            _ => (median, median),
        };
        let shift =
            self.level.add(LevelReading { value: median, ends, lasted_s: reading.lasted_s }, at_s, threshold);
        self.shifted = match shift {
            Shift::Shifted(factor) => Some(factor),
            Shift::Suspected => self.shifted,
            Shift::None => None,
        };
        shift
    }

    fn add_to_minute(&mut self, at_s: f64, median: f64, shared: f32) {
        let minute = (at_s / 60.0).floor() as i64;
        let is_bandwidth = self.spec.quantity == Quantity::Bandwidth;
        if let Some(last) = self.minutes.back_mut().filter(|last| last.minute == minute) {
            last.worst = if is_bandwidth { last.worst.min(median) } else { last.worst.max(median) };
            last.shared = last.shared.max(shared);
            return;
        }
        if self.minutes.len() == MOST_MINUTES {
            self.minutes.pop_front();
        }
        self.minutes.push_back(Minute { minute, worst: median, shared });
    }

    /// A trial gave no reading.
    pub(crate) fn fail(&mut self, failure: NoReading) {
        self.failures += 1;
        self.failure = Some(failure);
    }

    /// What its newest trial is worth; `None` before the first.
    pub(crate) fn verdict(&self) -> Option<TrialVerdict> {
        match &self.failure {
            Some(failure) => Some(failure.verdict),
            None => (self.readings > 0).then_some(TrialVerdict::Measured),
        }
    }

    /// Whether a value of this factor lies beyond the threshold.
    pub(crate) fn is_beyond(&self, factor: f64, threshold: f64) -> bool {
        self.level.is_beyond(factor, threshold)
    }

    /// Whether a change by this factor is for the better.
    pub(crate) fn is_better(&self, factor: f64) -> bool {
        better(&self.spec).is_better(factor)
    }

    /// The level that was found for it, in its base unit.
    pub fn level(&self) -> Option<f64> {
        self.level.value()
    }

    /// The median of the last reading, and when it was.
    pub fn last(&self) -> Option<(f64, f64)> {
        self.kept.back().map(|kept| (kept.at_s, kept.median))
    }

    /// Statistics of the readings since a moment.
    pub fn window(&self, from_s: f64) -> Option<WindowStatistics> {
        let kept: Vec<&Kept> = self.kept.iter().filter(|kept| kept.at_s >= from_s).collect();
        let samples = kept.iter().flat_map(|kept| kept.samples.iter().map(|&sample| f64::from(sample)));
        let sorted = Sorted::from_values(samples);
        let tail = if self.spec.quantity == Quantity::Bandwidth { 0.01 } else { 0.99 };
        let shared: f64 = kept.iter().map(|kept| f64::from(kept.shared)).sum();
        Some(WindowStatistics {
            readings: kept.len(),
            median: sorted.median()?,
            p99: sorted.quantile(tail)?,
            shared: shared / kept.len().max(1) as f64,
        })
    }

    /// For each of `columns` equal parts of the time from one moment to another, the reading that is worst, relative to the
    /// level; `None` where there is none.
    pub fn strip(&self, from_s: f64, to_s: f64, columns: usize) -> Vec<Option<f64>> {
        let mut strip: Vec<Option<f64>> = vec![None; columns];
        let is_bandwidth = self.spec.quantity == Quantity::Bandwidth;
        let mut put = |at_s: f64, value: f64| {
            let Some(factor) = self.level.factor(value).or(self.last().map(|(_, last)| value / last)) else {
                return;
            };
            let column = ((at_s - from_s) / (to_s - from_s) * columns as f64).floor();
            if column >= 0.0
                && let Some(cell) = strip.get_mut(column as usize)
            {
                let worse = |old: f64| if is_bandwidth { old.min(factor) } else { old.max(factor) };
                *cell = Some(cell.map_or(factor, worse));
            }
        };
        let begin = self.kept.front().map_or(f64::INFINITY, |kept| kept.at_s);
        for minute in &self.minutes {
            let at_s = minute.minute as f64 * 60.0;
            if at_s + 60.0 < begin {
                put(at_s, minute.worst);
            }
        }
        self.kept.iter().for_each(|kept| put(kept.at_s, kept.median));
        strip
    }
}

/// What is better for a channel.
fn better(spec: &ChannelSpec) -> Better {
    if spec.quantity == Quantity::Bandwidth { Better::Higher } else { Better::Lower }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    pub(crate) fn spec(label: &str, area: &str) -> ChannelSpec {
        ChannelSpec {
            id: PointId::new(label, ""),
            label: label.to_owned(),
            quantity: Quantity::Latency,
            area: area.to_owned(),
            needs: Needs::default(),
            usual: None,
        }
    }

    #[test]
    fn window_has_the_quantiles_of_its_samples_and_the_histogram_all_of_them() {
        let mut channel = Channel::new(spec("a", "os"));
        for turn in 0..100 {
            let samples = (0..100).map(|sample| f64::from(sample + 1)).collect();
            channel.add(f64::from(turn), &Reading { samples, shared: 0.25, ..Reading::default() }, 0.2);
        }
        let window = channel.window(50.0).unwrap();
        assert_eq!(window.readings, 50);
        assert!((window.median - 50.5).abs() < 2.0 && window.p99 >= 97.0, "{window:?}");
        assert!((window.shared - 0.25).abs() < 1e-6);
        assert_eq!(channel.histogram.iter().sum::<u64>(), 10_000);
        // One sample of each hundred is 1, two are up to 2, five up to 5.
        assert_eq!(channel.histogram.get(..3).unwrap(), [100, 100, 300]);
        assert_eq!(channel.window(1e9), None);
    }

    #[test]
    fn memory_does_not_grow_with_time() {
        let mut channel = Channel::new(spec("a", "os"));
        for turn in 0..20_000 {
            let reading = Reading { samples: vec![100.0; 200], ..Reading::default() };
            channel.add(f64::from(turn) * 10.0, &reading, 0.2);
        }
        assert_eq!((channel.kept.len(), channel.minutes.len()), (MOST_READINGS, MOST_MINUTES));
        assert!(channel.kept.iter().all(|kept| kept.samples.len() <= MOST_SAMPLES));
    }

    #[test]
    fn strip_shows_the_worst_of_each_part_and_gaps_as_gaps() {
        let mut channel = Channel::new(spec("a", "os"));
        for turn in 0..20 {
            let value = if turn == 15 { 300.0 } else { 100.0 };
            if !(5..10).contains(&turn) {
                channel.add(f64::from(turn), &Reading { samples: vec![value; 3], ..Reading::default() }, 0.2);
            }
        }
        let strip = channel.strip(0.0, 20.0, 4);
        let rounded: Vec<Option<f64>> = strip.iter().map(|cell| cell.map(f64::round)).collect();
        assert_eq!(rounded, [Some(1.0), None, Some(1.0), Some(3.0)]);
    }
}
