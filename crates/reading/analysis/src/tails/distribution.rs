//! The durations of all iterations of several processes.

use crate::thresholds::COVERAGE;
use record::{Durations, Tail};
use stats::percentile::{Percentile, TooFew, merge, percentile};

/// The percentiles that are shown.
pub const PERCENTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];

/// Places of the curve of a distribution at most.
const MAX_CURVE: usize = 160;

/// One trial of a point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TailTrial {
    pub(crate) tail: Tail,
    /// When it began, in nanoseconds since the run began.
    pub(crate) started_ns: u64,
    /// The ratio of the probes of its CPU while that is quiet, if it is known.
    pub(crate) quiet_ratio: Option<f64>,
    /// The period of the kernel's tick in nanoseconds, if it is known.
    pub(crate) tick_ns: Option<f64>,
}

/// Durations of all iterations of several processes.
#[derive(Debug, Clone, PartialEq)]
pub struct TailDistribution {
    /// Iterations.
    pub samples: u64,
    /// Processes.
    pub processes: usize,
    /// For each of [`PERCENTILES`] its value, or how many iterations it needs.
    pub percentiles: Vec<Result<Percentile, TooFew>>,
    /// The longest, in nanoseconds.
    pub longest_ns: u64,
    /// Points of the curve: the share of iterations that took longer, and the duration in nanoseconds, ascending.
    pub curve: Vec<(f64, f64)>,
    /// The buckets: least duration in nanoseconds, and iterations.
    pub buckets: Vec<(u64, u64)>,
}

/// The values of a trial of which each is one iteration, as its tail.
pub(crate) fn tail_of_values(values: &[f64]) -> Tail {
    let mut ns: Vec<u64> = values.iter().map(|value| value.max(0.0).round() as u64).collect();
    ns.sort_unstable();
    let service = Durations {
        ns: ns.chunk_by(|one, next| one == next).filter_map(|alike| alike.first().copied()).collect(),
        count: ns.chunk_by(|one, next| one == next).map(|alike| alike.len() as u64).collect(),
        longest_ns: ns.last().copied().unwrap_or(0),
    };
    Tail { iterations: ns.len() as u64, service, ..Tail::default() }
}

impl TailDistribution {
    /// Of these durations; `None` where there is none.
    pub(crate) fn from_durations<'d>(all: impl Iterator<Item = &'d Durations>) -> Option<Self> {
        let all: Vec<&Durations> = all.filter(|durations| durations.total() > 0).collect();
        let counts: Vec<Vec<(u64, u64)>> =
            all.iter().map(|durations| durations.buckets().collect()).collect();
        let processes: Vec<&[(u64, u64)]> = counts.iter().map(Vec::as_slice).collect();
        let buckets = merge(&processes);
        let samples = buckets.iter().map(|(_, count)| count).sum();
        let shares = PERCENTILES.iter();
        (samples > 0).then(|| Self {
            samples,
            processes: processes.len(),
            percentiles: shares.map(|share| percentile(&processes, *share, COVERAGE)).collect(),
            longest_ns: all.iter().map(|durations| durations.longest_ns).max().unwrap_or(0),
            curve: curve(&buckets, samples),
            buckets,
        })
    }

    /// The value of a percentile; `None` where iterations are too few.
    pub fn percentile(&self, share: f64) -> Option<&Percentile> {
        self.percentiles.iter().flatten().find(|percentile| percentile.share == share)
    }
}

/// The share of iterations that took longer than each bucket, evenly over the logarithm of that share.
fn curve(buckets: &[(u64, u64)], samples: u64) -> Vec<(f64, f64)> {
    let step = (samples as f64).log10().max(0.1) / MAX_CURVE as f64;
    let (mut above, mut last, mut curve) = (samples, f64::INFINITY, Vec::new());
    for (ns, count) in buckets {
        above -= count;
        // The longest stands where one of all iterations lies.
        let share = (above as f64).max(1.0) / samples as f64;
        if share.log10() <= last - step || above == 0 {
            curve.push((share, *ns as f64));
            last = share.log10();
        }
    }
    curve
}
