//! Percentiles of many counted values of several processes, with intervals that assume no distribution and are never
//! extrapolated.

use crate::normal::{beyond, student_of_normal};
use std::collections::BTreeMap;

/// The values of one process: each distinct value, ascending, with how often it was seen.
pub type Counts = [(u64, u64)];

/// Processes that an interval needs: fewer say little of how much processes differ.
pub const MIN_PROCESSES: usize = 6;

/// Most expected values on the thinner side of a percentile for which the binomial distribution is summed; beyond it the
/// normal one differs by less than a rank in a thousand.
const MAX_SUMMED: f64 = 2_000.0;

/// A percentile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentile {
    /// Its share, below 1.
    pub share: f64,
    /// The value of which at least this share of all values is at most as large.
    pub value: u64,
    /// Its interval; `None` with fewer than [`MIN_PROCESSES`] processes.
    pub interval: Option<PercentileInterval>,
    /// The number of independent values that say as much of it as these do: fewer where processes differ.
    pub effective: f64,
}

/// The range that holds the true percentile with the asked probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PercentileInterval {
    /// Lower end.
    pub low: u64,
    /// Upper end; `None` where the values are too few for one: the truth may lie above all of them.
    pub high: Option<u64>,
}

/// Values are too few for a percentile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFew {
    /// How many it needs.
    pub needed: u64,
    /// How many there are.
    pub available: u64,
}

/// The fewest values of which at least one lies beyond the percentile with this probability: 1 − shareⁿ ≥ level.
pub fn fewest(share: f64, level: f64) -> u64 {
    ((1.0 - level).ln() / share.ln()).ceil() as u64
}

/// A percentile of all values of these processes, with an interval at this level.
///
/// Within processes: order statistics, whose ranks are binomial (David and Nagaraja, "Order Statistics", 3rd edition, section
/// 7.1). Between processes: the share of values above the percentile varies from process to process; where it varies by more
/// than independent values would, the interval is that of as many fewer values (Woodruff, "Confidence intervals for medians
/// and other position measures", 1952; the design effect of Kish). The wider one counts.
///
/// # Errors
/// When the values are fewer than [`fewest`].
pub fn percentile(processes: &[&Counts], share: f64, level: f64) -> Result<Percentile, TooFew> {
    let merged = merge(processes);
    let available: u64 = merged.iter().map(|(_, count)| count).sum();
    let needed = fewest(share, level);
    if available < needed {
        return Err(TooFew { needed, available });
    }
    let total = available as f64;
    let value = value_at_rank(&merged, (share * total).ceil());
    let above: Vec<(f64, f64)> = processes
        .iter()
        .map(|counts| {
            let size = |counts: &mut dyn Iterator<Item = &(u64, u64)>| {
                counts.map(|(_, count)| *count).sum::<u64>() as f64
            };
            (size(&mut counts.iter().filter(|(one, _)| *one > value)), size(&mut counts.iter()))
        })
        .collect();
    let effective = total / design_effect(&above, level);
    let interval = (processes.len() >= MIN_PROCESSES).then(|| {
        let (below, from_top) = ranks(effective, share, level);
        let scale = total / effective;
        PercentileInterval {
            low: value_at_rank(&merged, (below * scale).floor().max(1.0)),
            high: from_top.map(|rank| value_at_rank(&merged, total + 1.0 - (rank * scale).floor().max(1.0))),
        }
    });
    Ok(Percentile { share, value, interval, effective })
}

/// The values of all processes.
pub fn merge(processes: &[&Counts]) -> Vec<(u64, u64)> {
    let mut merged = BTreeMap::new();
    for (value, count) in processes.iter().copied().flatten() {
        *merged.entry(*value).or_insert(0) += count;
    }
    merged.into_iter().collect()
}

/// The value with this rank, from 1, or the last one.
fn value_at_rank(merged: &[(u64, u64)], rank: f64) -> u64 {
    let mut sum = 0.0;
    let reached = merged.iter().find(|(_, count)| {
        sum += *count as f64;
        sum >= rank
    });
    reached.or(merged.last()).map_or(0, |(value, _)| *value)
}

/// By how much the variance of the share of values above a percentile exceeds that of independent values, at least 1, from
/// `(above, all)` of each process; with few processes that variance itself is uncertain, and the factor larger.
fn design_effect(processes: &[(f64, f64)], level: f64) -> f64 {
    let number = processes.len() as f64;
    let (above, all) =
        processes.iter().fold((0.0, 0.0), |sum, process| (sum.0 + process.0, sum.1 + process.1));
    let share = above / all;
    if number < 2.0 || share <= 0.0 || share >= 1.0 {
        return 1.0;
    }
    let residuals: f64 = processes.iter().map(|process| (process.0 - share * process.1).powi(2)).sum();
    let variance = number / (number - 1.0) * residuals / (all * all);
    let z = beyond((1.0 - level) / 2.0);
    let widened = (student_of_normal(z, number - 1.0) / z).powi(2);
    (variance * widened / (share * (1.0 - share) / all)).max(1.0)
}

/// The ranks of the ends of the interval of a percentile among `n` independent values: the lower one from the bottom, and
/// the upper one from the top, where there is one.
fn ranks(n: f64, share: f64, level: f64) -> (f64, Option<f64>) {
    let tail = (1.0 - level) / 2.0;
    // Values below and above it.
    let below = quantile_rank(n, share, tail);
    let above = quantile_rank(n, 1.0 - share, tail);
    (below.unwrap_or(1.0), above)
}

/// The largest rank r ≥ 1 with P(B < r) ≤ tail, B binomial with `n` trials and this probability; `None` where P(B < 1) is
/// larger already.
fn quantile_rank(n: f64, probability: f64, tail: f64) -> Option<f64> {
    let mean = n * probability;
    if mean > MAX_SUMMED {
        let deviation = (mean * (1.0 - probability)).sqrt();
        return Some((mean - beyond(tail) * deviation).floor());
    }
    // P(B = 0), then P(B = k) from P(B = k − 1); in logarithms, because (1 − p)^n vanishes.
    let odds = (probability / (1.0 - probability)).ln();
    let mut log_probability = n * (1.0 - probability).ln();
    let (mut sum, mut rank, mut k) = (log_probability.exp(), None, 0.0);
    while sum <= tail && k < n {
        k += 1.0;
        rank = Some(k);
        log_probability += ((n - k + 1.0) / k).ln() + odds;
        sum += log_probability.exp();
    }
    rank
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::order::Sorted;

    const LEVEL: f64 = 0.95;

    /// Counts of values, ascending.
    fn counts(mut values: Vec<u64>) -> Vec<(u64, u64)> {
        values.sort_unstable();
        values.chunk_by(|a, b| a == b).map(|alike| (alike[0], alike.len() as u64)).collect()
    }

    fn of(processes: &[Vec<(u64, u64)>], share: f64) -> Result<Percentile, TooFew> {
        percentile(&processes.iter().map(Vec::as_slice).collect::<Vec<_>>(), share, LEVEL)
    }

    #[test]
    fn percentiles_are_refused_below_their_minimum() {
        assert_eq!(
            [0.5, 0.9, 0.99, 0.999, 0.9999].map(|share| fewest(share, LEVEL)),
            [5, 29, 299, 2_995, 29_956]
        );
        let processes = vec![counts((1..=299).collect())];
        assert!(of(&processes, 0.99).is_ok());
        let refused = TooFew { needed: 2_995, available: 299 };
        assert_eq!(of(&processes, 0.999), Err(refused));
        assert_eq!(of(&[], 0.5), Err(TooFew { needed: 5, available: 0 }));
    }

    #[test]
    fn ranks_are_those_of_the_median_and_of_tables() {
        // As `Sorted::median_interval` for the values from 1 to n.
        for n in [6_u64, 9, 12, 20, 100, 1_000] {
            let sorted = Sorted::from_values((1..=n).map(|value| value as f64));
            let (low, high) = sorted.median_interval(LEVEL).unwrap().ends();
            let (below, above) = ranks(n as f64, 0.5, LEVEL);
            assert_eq!((below, n as f64 + 1.0 - above.unwrap()), (low, high), "{n}");
        }
        // P(B = 0) = 0.99^n falls below 2.5 % at 368 values.
        assert_eq!(ranks(367.0, 0.99, LEVEL).1, None);
        assert_eq!(ranks(368.0, 0.99, LEVEL).1, Some(1.0));
        // The sum and the normal distribution agree where they meet.
        let [sum, normal] =
            [MAX_SUMMED, MAX_SUMMED * 1.001].map(|mean| quantile_rank(mean / 0.01, 0.01, 0.025).unwrap());
        assert!((sum - normal).abs() < 5.0, "{sum} {normal}");
    }

    #[test]
    fn interval_without_an_upper_end_says_so() {
        let process = |_| counts((1..=55).collect());
        let processes: Vec<_> = (0..6).map(process).collect();
        let found = of(&processes, 0.99).unwrap();
        assert_eq!(found.interval.map(|interval| interval.high), Some(None));
        assert_eq!(of(&processes[..5], 0.5).unwrap().interval, None, "five processes have no interval");
    }

    /// Values that are exponentially distributed, times a factor of their process.
    fn process(rng: &mut fastrand::Rng, values: usize, spread: f64) -> Vec<(u64, u64)> {
        // The sum of twelve uniform variables is nearly normal.
        let normal = (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0;
        let factor = (spread * normal).exp();
        counts((0..values).map(|_| (-rng.f64().max(1e-12).ln() * factor * 10_000.0) as u64).collect())
    }

    /// How often the interval holds the truth, and how often it would if processes were not regarded.
    fn coverage(share: f64, spread: f64, runs: u64) -> [f64; 2] {
        let mut rng = fastrand::Rng::with_seed(7);
        let many: Vec<_> = (0..1_000).map(|_| process(&mut rng, 200, spread)).collect();
        let truth = of(&many, share).unwrap().value;
        let mut covered = [0_u64; 2];
        for _ in 0..runs {
            let processes: Vec<_> = (0..10).map(|_| process(&mut rng, 200, spread)).collect();
            // The same values, dealt out to ten processes at random: independent ones.
            let mut all: Vec<u64> =
                processes.iter().flatten().flat_map(|(value, count)| vec![*value; *count as usize]).collect();
            rng.shuffle(&mut all);
            let dealt: Vec<_> = all.chunks(200).map(|chunk| counts(chunk.to_vec())).collect();
            for (covered, processes) in covered.iter_mut().zip([&processes, &dealt]) {
                let interval = of(processes, share).unwrap().interval.unwrap();
                let holds = interval.low <= truth && interval.high.is_none_or(|high| truth <= high);
                *covered += u64::from(holds);
            }
        }
        covered.map(|covered| covered as f64 / runs as f64)
    }

    #[test]
    fn interval_covers_known_truth() {
        for share in [0.5, 0.9, 0.99] {
            let [covered, _] = coverage(share, 0.0, 60);
            assert!(covered >= 0.92, "{share}: {covered}");
        }
    }

    #[test]
    fn interval_covers_the_truth_where_processes_differ() {
        for share in [0.5, 0.9, 0.99] {
            let [covered, of_independent] = coverage(share, 0.3, 60);
            assert!(covered >= 0.88, "{share}: {covered}");
            assert!(covered > of_independent, "{share}: {covered} {of_independent}");
        }
        // At the median, where values are many, intervals for independent values would be wrong often.
        assert!(coverage(0.5, 0.3, 60)[1] < 0.75);
    }
}
