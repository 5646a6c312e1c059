//! Durations by bucket, as HDR histograms have them: three significant digits, and a bounded size.

use record::Durations;

/// The longest duration that has a bucket of its own, in nanoseconds: an hour. Longer ones are in the last bucket.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// Significant digits.
const DIGITS: u8 = 3;

pub(super) struct Histogram {
    /// `None` if the bounds above were wrong, which a test excludes.
    counts: Option<hdrhistogram::Histogram<u64>>,
    longest_ns: u64,
}

impl Histogram {
    pub(super) fn new() -> Self {
        let counts = hdrhistogram::Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).ok();
        Self { counts, longest_ns: 0 }
    }

    /// Adds a duration; a negative one, which clocks of different CPUs can give, counts as none.
    pub(super) fn add(&mut self, ns: i64) {
        let ns = ns.max(0).unsigned_abs();
        self.longest_ns = self.longest_ns.max(ns);
        if let Some(counts) = &mut self.counts {
            counts.saturating_record(ns);
        }
    }

    /// The number of durations.
    pub(super) fn len(&self) -> u64 {
        self.counts.as_ref().map_or(0, hdrhistogram::Histogram::len)
    }

    /// The median; `None` without durations.
    pub(super) fn median(&self) -> Option<u64> {
        let counts = self.counts.as_ref().filter(|counts| !counts.is_empty())?;
        Some(counts.value_at_quantile(0.5))
    }

    /// The buckets that are not empty.
    pub(super) fn durations(&self) -> Durations {
        let recorded = self.counts.iter().flat_map(|counts| {
            let lowest = |value| counts.lowest_equivalent(value);
            counts.iter_recorded().map(move |one| (lowest(one.value_iterated_to()), one.count_at_value()))
        });
        let (ns, count) = recorded.unzip();
        Durations { ns, count, longest_ns: self.longest_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_a_thousandth_wide_and_none_is_lost() {
        let mut histogram = Histogram::new();
        let values = [-5, 0, 7, 2_047, 2_048, 83_123, 1_000_003, 59_999_999_999, i64::MAX];
        values.into_iter().for_each(|ns| histogram.add(ns));
        let durations = histogram.durations();
        assert_eq!((durations.total(), histogram.len()), (9, 9));
        assert_eq!(durations.longest_ns, i64::MAX as u64);
        assert_eq!(durations.count[0], 2, "negative durations are none");
        let sorted = [0, 7, 2_047, 2_048, 83_123, 1_000_003, 59_999_999_999_u64];
        for (bucket, value) in durations.ns.iter().zip(sorted) {
            assert!(*bucket <= value && (value - bucket) as f64 <= value as f64 * 1e-3, "{bucket} {value}");
        }
        assert!(durations.ns.last().is_some_and(|last| *last <= LONGEST_NS * 2));
        assert_eq!(Histogram::new().median(), None);
    }
}
