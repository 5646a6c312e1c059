//! What delayed the slowest iterations of a point.

use crate::tails::cause::{Ordinary, TailCause};
use crate::tails::distribution::{TailDistribution, TailTrial};
use crate::thresholds::TAIL_STANDS_OUT;
use record::PointId;
use std::collections::BTreeMap;

/// The percentiles beyond which outliers are explained: the first that stands out from the median.
const EXPLAINED_BEYOND: [f64; 3] = [0.9, 0.99, 0.999];
/// Where none stands out: the highest of these of which there is a value.
const OTHERWISE: [f64; 2] = [0.999, 0.99];

/// Operations of which each iteration creates a task.
const CREATING: [&str; 2] = ["process.", "thread."];

/// One of the slowest iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct SlowIteration {
    /// When it began, in seconds since the run began.
    pub at_s: f64,
    /// What it took, in nanoseconds.
    pub took_ns: u64,
    /// What delayed it.
    pub cause: TailCause,
}

/// What delayed the slowest iterations of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct TailCauses {
    /// The percentile beyond which iterations are explained.
    pub share: f64,
    /// Its value in nanoseconds.
    pub beyond_ns: u64,
    /// The iterations beyond it around which counters were read, the slowest first: those that the record keeps.
    pub outliers: Vec<SlowIteration>,
    /// How many iterations beyond it there were: a record keeps the slowest of each trial.
    pub beyond: u64,
    /// How many of them had which cause, the most frequent first; other tasks are one cause.
    pub counts: Vec<(TailCause, usize)>,
    /// The other tasks that were seen, the most frequent first.
    pub tasks: Vec<String>,
    /// Median time of one reading of all counters, in nanoseconds, outside of the timed iterations.
    pub look_ns: u64,
    /// Counters that could not be read, each with the reason.
    pub unread: BTreeMap<String, String>,
}

impl TailCauses {
    /// The causes of the outliers of these trials; `None` where counters were not read, or no percentile has a value.
    pub(crate) fn from_trials(
        id: &PointId,
        service: &TailDistribution,
        looked: &[&TailTrial],
    ) -> Option<Self> {
        let has_children = CREATING.iter().any(|creating| id.operation.starts_with(creating));
        let typical_ns = service.percentile(0.5)?.value as f64;
        let value = |share: f64| Some((share, service.percentile(share)?.value));
        let mut standing_out = EXPLAINED_BEYOND.into_iter().filter_map(value);
        let (share, beyond_ns) = standing_out
            .find(|(_, ns)| *ns as f64 >= TAIL_STANDS_OUT * typical_ns)
            .or_else(|| OTHERWISE.into_iter().find_map(value))?;
        let (mut slow, mut costs, mut unread) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut beyond = 0;
        for TailTrial { tail, started_ns, quiet_ratio, tick_ns } in looked {
            let Some(looks) = &tail.looks else { continue };
            let (quiet_ratio, tick_ns) = (*quiet_ratio, *tick_ns);
            let ordinary = Ordinary { looks, typical_ns, quiet_ratio, tick_ns, has_children };
            let outliers = looks.outliers.iter().filter(|outlier| outlier.took_ns > beyond_ns);
            let slower =
                tail.service.buckets().filter(|(ns, _)| *ns > beyond_ns).map(|(_, count)| count).sum::<u64>();
            // Iterations are exact, and their buckets are not.
            beyond += slower.max(outliers.clone().count() as u64);
            slow.extend(outliers.map(|outlier| SlowIteration {
                at_s: (started_ns + outlier.at_ns) as f64 * 1e-9,
                took_ns: outlier.took_ns,
                cause: ordinary.cause(outlier),
            }));
            costs.push(looks.cost_ns);
            unread.extend(looks.unread.clone());
        }
        costs.sort_unstable();
        let look_ns = *costs.get(costs.len() / 2)?;
        let counts = by_frequency(slow.iter().map(|one: &SlowIteration| match &one.cause {
            TailCause::OtherTask(_) => TailCause::OtherTask(None),
            cause => cause.clone(),
        }));
        let tasks = by_frequency(slow.iter().filter_map(|one| match &one.cause {
            TailCause::OtherTask(name) => name.clone(),
            _ => None,
        }));
        let tasks = tasks.into_iter().map(|(name, _)| name).collect();
        slow.sort_by_key(|one| std::cmp::Reverse(one.took_ns));
        Some(Self { share, beyond_ns, outliers: slow, beyond, counts, tasks, look_ns, unread })
    }
}

/// Each once with how often it is there, the most frequent first.
fn by_frequency<T: Ord>(all: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    all.for_each(|one| *counts.entry(one).or_default() += 1);
    let mut counts: Vec<(T, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
