//! Percentiles in what `cyclictest` and `fio` print.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// How a tool prints a distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The histogram of cyclictest (`-h`): a line for each whole number of microseconds, with how many values had it.
    Histogram,
    /// The percentiles of fio's JSON at this place, in nanoseconds.
    Fio(&'static str),
}

/// Values with how many there were of each, in rising order.
#[derive(Debug, Default, PartialEq)]
pub struct Distribution {
    values: Vec<(f64, u64)>,
    /// Values above the largest that the tool keeps.
    above: u64,
}

impl Distribution {
    /// That of cyclictest. A value is followed by a count of each thread: there is one.
    fn of_histogram(text: &str) -> Option<Self> {
        let mut found = Self::default();
        for line in text.lines() {
            if let Some(above) = line.strip_prefix("# Histogram Overflows:") {
                found.above = above.split_whitespace().next()?.parse().ok()?;
            }
            let mut words = line.split_whitespace();
            let value = words.next().and_then(|word| word.parse::<u32>().ok());
            let count = words.next().and_then(|word| word.parse::<u64>().ok());
            if let (Some(value), Some(count)) = (value, count) {
                // Cut to whole microseconds: on average half of one is missing.
                found.values.push((1e3 * (f64::from(value) + 0.5), count));
            }
        }
        (!found.values.is_empty()).then_some(found)
    }

    /// How many values there are.
    fn count(&self) -> u64 {
        self.above + self.values.iter().map(|(_, count)| count).sum::<u64>()
    }

    /// The least value that this share of all does not exceed; `None` where it is above what the tool keeps.
    fn percentile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.count() as f64).ceil() as u64;
        let mut below = 0;
        self.values.iter().find_map(|(value, count)| {
            below += count;
            (below >= rank.max(1)).then_some(*value)
        })
    }
}

/// These percentiles, in nanoseconds; `None` where the tool keeps none.
///
/// # Errors
/// When the text is not what the tool prints.
pub fn percentiles(source: Source, shares: &[f64], text: &str) -> Result<Vec<Option<f64>>> {
    match source {
        Source::Histogram => {
            let found = Distribution::of_histogram(text)
                .with_context(|| format!("no histogram: {}", last_line(text)))?;
            Ok(shares.iter().map(|&share| found.percentile(share)).collect())
        }
        Source::Fio(place) => {
            // Notes may stand before and behind the document.
            let document = text.find('{').zip(text.rfind('}')).and_then(|(start, end)| text.get(start..=end));
            let document: Value = serde_json::from_str(document.unwrap_or_default())
                .with_context(|| format!("no JSON: {}", last_line(text)))?;
            let found = document.pointer(place).with_context(|| format!("no {place} in the JSON of fio"))?;
            let named = |share: &f64| found.get(format!("{:.6}", 100.0 * share)).and_then(Value::as_f64);
            let values: Vec<Option<f64>> = shares.iter().map(named).collect();
            ensure!(values.iter().any(Option::is_some), "fio kept none of the percentiles");
            Ok(values)
        }
    }
}

fn last_line(text: &str) -> &str {
    text.lines().next_back().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn percentiles_of_a_histogram_are_its_least_values_with_enough_below() {
        let text = "# /dev/cpu_dma_latency set to 0us\nT: 0 ( 1) P: 0 I:1000 C: 10 Min: 5 Act: 6 Avg: 7 Max: 9000\n\
                    # Histogram\n000005 000004\n000006 000005\n# Total: 000000010\n# Min Latencies: 00005\n\
                    # Histogram Overflows: 00001\n";
        let found = percentiles(Source::Histogram, &[0.4, 0.5, 0.9, 0.99], text).unwrap();
        assert_eq!(found, [Some(5_500.0), Some(6_500.0), Some(6_500.0), None]);
        assert!(percentiles(Source::Histogram, &[0.5], "cyclictest: not found").is_err());
    }

    #[test]
    fn percentiles_of_fio_are_read_at_their_place() {
        let text = "note: both\n{\"jobs\": [{\"read\": {\"clat_ns\": {\"percentile\": {\"50.000000\": 66048, \
                    \"99.900000\": 440320}}}}]}\n";
        let place = Source::Fio("/jobs/0/read/clat_ns/percentile");
        assert_eq!(percentiles(place, &[0.5, 0.999], text).unwrap(), [Some(66_048.0), Some(440_320.0)]);
        assert!(percentiles(Source::Fio("/jobs/0/sync"), &[0.5], text).is_err());
        assert!(percentiles(place, &[0.5], "fio: command not found").is_err());
    }
}
