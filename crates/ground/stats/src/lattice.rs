//! Whether a clock advances in steps: the quantum of whole-numbered samples.
//!
//! Such a clock shows as samples on a lattice, some of them one tick off where it counts on by one to
//! stay monotonic: 26, 27, 52, 53. What is tested are the gaps between neighbouring distinct samples,
//! so that a quantum that is no whole number (1000/24 ns) does not run out of phase.

/// Smaller steps cannot be distinguished from jitter.
const MIN_QUANTUM: f64 = 4.0;
/// Fewest samples from which a quantum is read.
const MIN_SAMPLES: usize = 10;
/// From this quantum on samples may be off by a tick; below, that would not be a lattice.
const MIN_WITH_JITTER: f64 = 8.0;
/// Readings of one moment differ by one tick at most, their differences by two: closer samples are one.
const JITTER: i64 = 2;
/// Samples of one place on the lattice are at most this far apart: jitter and a tick of rounding.
const WIDEST_GROUP: i64 = 3;
/// Gaps of more quanta than this are left out, because an error of the quantum adds up in them.
const LARGEST_MULTIPLE: f64 = 8.0;
/// Share of the gaps that must be multiples of the quantum.
const MATCHING_SHARE: f64 = 0.85;
/// Largest probability that gaps of a smooth clock look like this.
const LARGEST_CHANCE: f64 = 1e-3;
/// As many samples per distinct value cannot be chance if the values are far apart.
const CROWDED: usize = 6;

/// The step by which the clock advances, in units of the samples, when it is 4 or more; `None` when no
/// lattice is seen. Give it durations of one kind: those of n and of 2n iterations are multiples of each
/// other by themselves.
pub fn quantum(samples: &[i64]) -> Option<f64> {
    if samples.len() < MIN_SAMPLES {
        return None;
    }
    let places = distinct(samples)?;
    let crowded = samples.len() >= CROWDED * places.len();
    let gaps: Vec<f64> = places.windows(2).filter_map(|pair| Some(pair.get(1)? - pair.first()?)).collect();
    let mut candidates: Vec<f64> =
        starts(&gaps).into_iter().filter_map(|start| refine(&gaps, start)).collect();
    candidates.sort_unstable_by(|a, b| b.total_cmp(a));
    candidates.into_iter().find(|&candidate| fits(&gaps, candidate, crowded))
}

/// By which share of a step a difference may be off: a clock that is steered adjusts each step a little.
const STEERED: f64 = 1e-3;

/// The smallest of these differences, when it is 4 or more and nearly all of them are multiples of it; `None`
/// otherwise. For differences that would not be alike if the clock had finer steps: work of changing length
/// lies between the readings.
pub fn common_step(differences: &[i64]) -> Option<f64> {
    let smallest = differences.iter().copied().filter(|&step| step > 0).min()? as f64;
    let leeway = (STEERED * smallest).max(JITTER as f64).min(smallest / LARGEST_MULTIPLE);
    let enough = differences.len() >= MIN_SAMPLES && smallest >= MIN_QUANTUM;
    let multiples = differences.iter().filter(|&&difference| {
        let multiple = (difference as f64 / smallest).round();
        multiple >= 1.0 && (difference as f64 - multiple * smallest).abs() <= leeway * multiple.min(2.0)
    });
    let multiples = multiples.count();
    (enough && multiples as f64 >= MATCHING_SHARE * differences.len() as f64).then_some(smallest)
}

/// The distinct samples, ascending, those within jitter taken for one; and 0, which is on every
/// lattice of durations. `None` when samples lie too close for a lattice.
fn distinct(samples: &[i64]) -> Option<Vec<f64>> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let zero = sorted.first().is_some_and(|&first| first > 1).then_some(0.0);
    let groups: Vec<&[i64]> = sorted.chunk_by(|a, b| b.saturating_sub(*a) <= JITTER).collect();
    let wide = groups.iter().filter(|group| match group {
        [first, .., last] => last.saturating_sub(*first) > WIDEST_GROUP,
        _ => false,
    });
    let crammed: usize = wide.map(|group| group.len()).sum();
    let centres =
        groups.iter().map(|group| group.iter().map(|&tick| tick as f64).sum::<f64>() / group.len() as f64);
    let places = zero.into_iter().chain(centres).collect();
    (crammed as f64 <= (1.0 - MATCHING_SHARE) * samples.len() as f64).then_some(places)
}

/// Guesses at the quantum: the smaller gaps, and parts of them, since each may span several quanta.
fn starts(gaps: &[f64]) -> Vec<f64> {
    let sorted = crate::order::Sorted::from_values(gaps);
    let small = [0.0, 0.1, 0.25, 0.5].into_iter().filter_map(|share| sorted.quantile(share));
    small.flat_map(|gap| [gap, gap / 2.0, gap / 3.0]).filter(|&guess| guess >= MIN_QUANTUM).collect()
}

fn multiple(gap: f64, quantum: f64) -> Option<f64> {
    let multiple = (gap / quantum).round();
    (1.0..=LARGEST_MULTIPLE).contains(&multiple).then_some(multiple)
}

/// The quantum that fits the gaps best in least squares, near a guess.
fn refine(gaps: &[f64], guess: f64) -> Option<f64> {
    let near = gaps.iter().filter_map(|&gap| {
        let times = multiple(gap, guess)?;
        ((gap - times * guess).abs() <= tolerance(guess) + guess / 10.0).then_some((gap, times))
    });
    let (product, square) =
        near.fold((0.0, 0.0), |sum, (gap, times)| (sum.0 + gap * times, sum.1 + times * times));
    (square > 0.0).then_some(product / square).filter(|&quantum| quantum >= MIN_QUANTUM)
}

fn tolerance(quantum: f64) -> f64 {
    if quantum < MIN_WITH_JITTER { 0.25 } else { 1.5 }
}

fn fits(gaps: &[f64], quantum: f64, crowded: bool) -> bool {
    let distances: Vec<f64> =
        gaps.iter().filter_map(|gap| Some((gap - multiple(*gap, quantum)? * quantum).abs())).collect();
    // A gap below half a quantum is a multiple of nothing: it speaks against the quantum.
    let against = gaps.iter().filter(|&&gap| gap < quantum / 2.0).count();
    let tolerance = tolerance(quantum);
    let matching = distances.iter().filter(|&&distance| distance <= tolerance).count();
    let judged = distances.len() + against;
    let chance = ((2.0 * tolerance).max(1.0) / quantum).min(1.0);
    // One gap gave the quantum and proves nothing.
    let by_chance = chance.powf(matching.saturating_sub(1) as f64);
    let rare = by_chance <= LARGEST_CHANCE || (crowded && quantum >= MIN_WITH_JITTER);
    matching >= 2 && matching as f64 >= MATCHING_SHARE * judged as f64 && rare
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{common_step, quantum};

    #[test]
    fn differences_of_one_step_are_that_step() {
        assert_eq!(common_step(&[1_000; 20]), Some(1_000.0));
        let ticks: Vec<i64> = (0..20).map(|i| 4_000_000 * (1 + i64::from(i % 5 == 0)) + i % 3).collect();
        assert!(common_step(&ticks).is_some_and(|step| (step - 4e6).abs() < 3.0));
    }

    #[test]
    fn differences_of_all_lengths_have_no_common_step() {
        let spread: Vec<i64> = (0..200).map(|i| 30 + (i * 37) % 101).collect();
        assert_eq!(common_step(&spread), None);
        assert_eq!(common_step(&[1_000; 9]), None);
        assert_eq!(common_step(&[1; 20]), None);
        assert_eq!(common_step(&[0; 20]), None);
    }

    #[test]
    fn steps_may_be_off_by_a_thousandth_and_nothing_may_come_between() {
        assert_eq!(common_step(&[1_000_000, 1_000_500].repeat(10)), Some(1e6));
        assert_eq!(common_step(&[1_000_000, 1_005_000].repeat(10)), None);
        assert_eq!(common_step(&[vec![0], vec![1_000; 19]].concat()), Some(1_000.0));
    }

    #[test]
    fn ten_samples_are_enough_and_few_values_need_six_of_each() {
        let lattice: Vec<i64> = (1..=10).map(|step| step * 1_000).collect();
        assert_eq!(quantum(&lattice), Some(1_000.0));
        assert_eq!(quantum(&lattice[..9]), None);
        assert_eq!(quantum(&[26, 52].repeat(6)), None);
        assert_eq!(quantum(&[26, 52].repeat(9)), Some(26.0));
    }

    /// Samples with these steps between them, from the first on.
    fn steps(first: i64, steps: &[i64]) -> Vec<i64> {
        let rest = steps.iter().scan(first, |at, step| {
            *at += step;
            Some(*at)
        });
        std::iter::once(first).chain(rest).collect()
    }

    #[test]
    fn every_step_may_span_several_quanta() {
        assert_eq!(quantum(&steps(3_000, &[300, 200].repeat(6))), Some(100.0));
        assert_eq!(quantum(&steps(3_500, &[300, 400, 500].repeat(4))), Some(100.0));
    }

    #[test]
    fn steps_below_half_a_quantum_speak_against_it() {
        let between = [vec![100; 12], vec![13, 29, 41, 23]].concat();
        assert_eq!(quantum(&steps(1_000, &between)), None);
        assert_eq!(quantum(&steps(1_000, &between[..12])), Some(100.0));
    }

    #[test]
    fn a_small_step_is_less_uncertain_than_jitter() {
        assert_eq!(common_step(&[10, 12].repeat(10)), None);
        assert_eq!(common_step(&[40, 42].repeat(10)), Some(40.0));
    }

    /// Durations around `centre` as a clock with this step tells them.
    fn ticks(step: f64, centre: f64, width: f64, count: usize, seed: u64) -> Vec<i64> {
        let mut random = fastrand::Rng::with_seed(seed);
        let durations = (0..count).map(|_| {
            let start = random.f64() * 1e6;
            let jitter = i64::from(step >= 8.0 && step.fract() == 0.0 && random.f64() < 0.3);
            let end = start + centre + (random.f64() - 0.5) * width;
            let [start, end] = [start, end].map(|time| ((time / step).floor() * step) as i64);
            end - start + jitter
        });
        durations.collect()
    }

    #[test]
    fn finds_the_step_of_a_coarse_clock() {
        for (step, centre) in [(26.0, 40_000.0), (500.0, 50_000.0), (1000.0 / 24.0, 20_000.0), (4.0, 900.0)] {
            for seed in 0..20 {
                let found = quantum(&ticks(step, centre, 20.0 * step, 60, seed)).unwrap();
                assert!((found / step - 1.0).abs() < 0.03, "{step}: {found}");
            }
        }
    }

    #[test]
    fn finds_the_step_from_few_distinct_values() {
        let samples: Vec<i64> = [26, 27, 52, 53, 26, 52].into_iter().cycle().take(40).collect();
        assert!((quantum(&samples).unwrap() - 26.0).abs() < 1.0);
        assert_eq!(quantum(&[26; 40]), None, "one value is on every lattice");
    }

    #[test]
    fn outliers_do_not_hide_the_lattice() {
        let mut samples = ticks(26.0, 4_000.0, 800.0, 60, 1);
        samples.extend([4_003, 3_990]);
        assert!((quantum(&samples).unwrap() - 26.0).abs() < 1.0);
    }

    #[test]
    fn sees_no_step_in_a_fine_clock() {
        for width in [3.0, 30.0, 300.0, 3_000.0, 30_000.0] {
            for seed in 0..100 {
                let samples = ticks(1.0, 40_000.0, width, 60, seed);
                assert_eq!(quantum(&samples), None, "width {width}, seed {seed}");
            }
        }
    }

    #[test]
    fn few_or_negative_samples_give_none() {
        assert_eq!(quantum(&[]), None);
        assert_eq!(quantum(&[26, 52, 78]), None);
        assert_eq!(quantum(&[i64::MIN, i64::MAX, 0, 1, -1, 5, 3, 2, 8, 13, 21, 34]), None);
    }
}
