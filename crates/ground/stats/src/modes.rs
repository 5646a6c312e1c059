//! Modes: the peaks of the distribution of positive samples, and their shares.
//!
//! The density is estimated on a logarithmic scale, where a distance is a ratio, with a kernel that
//! reaches as far as the nearest twelfth of the sample, so that a tail is as smooth as the centre.
//! A peak is reported if it holds enough samples, is far enough from the next, and has a deep valley
//! on both sides: noise must not be called a mode, a missed faint mode does less harm.

use crate::order::Sorted;

/// A peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Where the density is largest, in the unit of the samples.
    pub at: f64,
    /// Share of the samples between the valleys on both sides.
    pub share: f64,
}

/// Least share of a mode.
const MIN_SHARE: f64 = 0.1;
/// Modes closer than this are one: 8 %.
const MIN_RATIO: f64 = 1.08;
/// Deepest density between two modes, as a share of the lower.
const DEEPEST_VALLEY: f64 = 0.5;
/// Fewer samples show no shape.
const MIN_SAMPLES: usize = 20;
/// More samples are thinned out evenly, in order of size: work grows with the square of the number.
const MAX_SAMPLES: usize = 512;
/// The kernel reaches as far as this part of the samples.
const NEIGHBOURHOOD: usize = 12;
/// Fewest samples that the kernel reaches.
const MIN_NEIGHBOURS: usize = 10;
/// The kernel falls off towards its end: with this it weighs about as many samples as it is meant to.
const REACH_FACTOR: f64 = 1.5;
/// Width of the narrowest third of the standard normal distribution: 2 Φ⁻¹(2/3).
const THIRD_OF_NORMAL: f64 = 0.861_454_6;
/// A biweight kernel of this reach smooths like a normal one of deviation 1: ratio of the canonical
/// bandwidths, Marron and Nolan, 1988.
const REACH_OF_BIWEIGHT: f64 = 2.62;
/// Least reach of the kernel, in logarithms: half of the least distance of two modes.
const MIN_REACH: f64 = 0.04;

/// The modes in ascending order, at least one for any positive sample. Samples that are not positive are
/// left out. `resolution` is the step in which the samples were read, in their unit, 0 if unknown: a
/// lattice of readings is not taken for modes.
pub fn modes(samples: &[f64], resolution: f64) -> Vec<Mode> {
    let sorted = Sorted::from_values(samples.iter().filter(|sample| **sample > 0.0 && sample.is_finite()));
    let Some(median) = sorted.median() else {
        return Vec::new();
    };
    let single = vec![Mode { at: median, share: 1.0 }];
    let step = resolution.max(own_step(sorted.values()).unwrap_or(0.0));
    if sorted.values().len() < MIN_SAMPLES || step > 2.0 * median {
        return single;
    }
    let logs = thinned(&spread_ties(sorted.values(), step));
    let density = Density::estimate(&logs);
    let found = large(deep(density.peaks()), &logs);
    if found.is_empty() { single } else { found }
}

/// Spreads samples evenly over the step in which they were read; gives logarithms, ascending.
fn spread_ties(sorted: &[f64], step: f64) -> Vec<f64> {
    // Multiples of the golden ratio fill the step evenly however many samples share it.
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let spread = sorted.iter().enumerate().map(|(index, &value)| {
        let moved = value + step * ((index as f64 * golden).fract() - 0.5);
        moved.max(value.min(step) / 4.0).ln()
    });
    Sorted::from_values(spread).values().to_vec()
}

/// The step of samples that are exactly on a lattice: most distinct neighbours are one step apart.
fn own_step(sorted: &[f64]) -> Option<f64> {
    let mut distinct = sorted.to_vec();
    distinct.dedup();
    if distinct.len() < 3 || distinct.len() > sorted.len() / 2 {
        return None;
    }
    let gaps: Vec<f64> = distinct.windows(2).filter_map(|pair| Some(pair.get(1)? - pair.first()?)).collect();
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let alike = gaps.iter().filter(|&&gap| gap < least * 1.01).count();
    (2 * alike > gaps.len()).then_some(least)
}

fn thinned(sorted: &[f64]) -> Vec<f64> {
    let kept = sorted.len().min(MAX_SAMPLES);
    let places = (0..kept).map(|index| (2 * index + 1) * sorted.len() / (2 * kept));
    places.filter_map(|place| sorted.get(place).copied()).collect()
}

/// The density at every sample and half way between neighbours.
struct Density {
    places: Vec<f64>,
    heights: Vec<f64>,
}

impl Density {
    fn estimate(logs: &[f64]) -> Self {
        let halves = logs.windows(2).map(|pair| pair.iter().sum::<f64>() / 2.0);
        let places = Sorted::from_values(logs.iter().copied().chain(halves)).values().to_vec();
        let mut heights = vec![0.0; places.len()];
        for (&log, reach) in logs.iter().zip(reaches(logs)) {
            let first = places.partition_point(|&place| place < log - reach);
            let last = places.partition_point(|&place| place <= log + reach);
            let within = places.iter().zip(&mut heights).take(last).skip(first);
            for (place, height) in within {
                *height += (1.0 - ((place - log) / reach).powi(2)).max(0.0).powi(2) / reach;
            }
        }
        Self { places, heights }
    }

    /// All local maxima, each with the lowest place between it and the one before.
    fn peaks(&self) -> Vec<Peak> {
        let mut peaks = Vec::new();
        let mut bottom = Extreme { at: f64::NEG_INFINITY, height: 0.0 };
        let mut top = Extreme { at: f64::NEG_INFINITY, height: 0.0 };
        let mut rising = true;
        for (&at, &height) in self.places.iter().zip(&self.heights) {
            let here = Extreme { at, height };
            match rising {
                true if height >= top.height => top = here,
                true => {
                    peaks.push(Peak { top, valley: bottom });
                    (rising, bottom) = (false, here);
                }
                false if height <= bottom.height => bottom = here,
                false => (rising, top) = (true, here),
            }
        }
        if rising {
            peaks.push(Peak { top, valley: bottom });
        }
        peaks
    }
}

/// How far the kernel of each sample reaches: to its neighbours, and never less than the floor.
fn reaches(logs: &[f64]) -> impl Iterator<Item = f64> {
    let count = (logs.len() / NEIGHBOURHOOD).max(MIN_NEIGHBOURS).min(logs.len() / 2);
    let floor = MIN_REACH.max(rule_of_thumb(logs));
    logs.iter().enumerate().map(move |(at, here)| {
        // The nearest `count` neighbours lie in one of the windows of that many around the sample.
        let windows = logs.iter().zip(logs.iter().skip(count)).take(at + 1).skip(at.saturating_sub(count));
        let distances = windows.map(|(low, high)| (here - low).max(high - here));
        floor.max(REACH_FACTOR * distances.fold(f64::INFINITY, f64::min))
    })
}

/// The reach that suits a normal distribution as narrow as the narrowest third of the samples.
///
/// Silverman, "Density Estimation", 1986, equation 3.31; a third instead of the quartiles, which two
/// modes tear apart.
fn rule_of_thumb(logs: &[f64]) -> f64 {
    let third = logs.len() / 3;
    let width = logs.iter().zip(logs.iter().skip(third)).map(|(low, high)| high - low);
    let deviation = width.fold(f64::INFINITY, f64::min) / THIRD_OF_NORMAL;
    REACH_OF_BIWEIGHT * 0.9 * deviation * (logs.len() as f64).powf(-0.2)
}

/// A local extreme of the density.
#[derive(Debug, Clone, Copy)]
struct Extreme {
    at: f64,
    height: f64,
}

/// A local maximum and the minimum before it.
#[derive(Debug, Clone, Copy)]
struct Peak {
    top: Extreme,
    valley: Extreme,
}

/// How far from being two modes neighbouring peaks are: above 1 they are one.
fn equality(left: &Peak, right: &Peak) -> f64 {
    let valley = right.valley.height / left.top.height.min(right.top.height) / DEEPEST_VALLEY;
    let near = MIN_RATIO.ln() / (right.top.at - left.top.at);
    valley.max(near)
}

/// Joins neighbouring peaks without a deep valley between them, the closest first.
fn deep(mut peaks: Vec<Peak>) -> Vec<Peak> {
    for _ in 1..peaks.len() {
        let pairs = peaks.windows(2).enumerate().filter_map(|(at, pair)| match pair {
            [left, right] => {
                let lower = if left.top.height <= right.top.height { at } else { at + 1 };
                Some((lower, equality(left, right)))
            }
            _ => None,
        });
        let Some((lower, same)) = pairs.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            break;
        };
        if same <= 1.0 {
            break;
        }
        let gone = peaks.remove(lower);
        if let Some(next) = peaks.get_mut(lower).filter(|next| gone.valley.height <= next.valley.height) {
            next.valley = gone.valley;
        }
    }
    peaks
}

/// The peaks that hold enough samples.
fn large(peaks: Vec<Peak>, logs: &[f64]) -> Vec<Mode> {
    let ends = peaks.iter().skip(1).map(|next| next.valley.at).chain([f64::INFINITY]);
    let modes = peaks.iter().zip(ends).map(|(peak, end)| {
        let [from, to] = [peak.valley.at, end].map(|end| logs.partition_point(|&log| log < end) as f64);
        Mode { at: peak.top.at.exp(), share: (to - from) / logs.len() as f64 }
    });
    modes.filter(|mode| mode.share >= MIN_SHARE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn normal(random: &mut fastrand::Rng) -> f64 {
        (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (TAU * random.f64()).cos()
    }

    /// In how many of 100 samples of each size this many modes are found, at the worst size.
    fn agreeing(expected: usize, draw: impl Fn(&mut fastrand::Rng) -> f64) -> usize {
        let agreeing = [60, 200, 700].map(|size| {
            let found = (0..100).map(|seed| {
                let mut random = fastrand::Rng::with_seed(seed);
                modes(&(0..size).map(|_| draw(&mut random)).collect::<Vec<_>>(), 0.0).len()
            });
            found.filter(|found| *found == expected).count()
        });
        agreeing.into_iter().min().unwrap_or(0)
    }

    #[test]
    fn one_mode_for_any_unimodal_shape() {
        for (name, found) in [
            ("narrow", agreeing(1, |random| 100.0 + normal(random))),
            ("normal", agreeing(1, |random| 100.0 + 15.0 * normal(random))),
            ("lognormal", agreeing(1, |random| normal(random).exp())),
            ("wide lognormal", agreeing(1, |random| (3.0 * normal(random)).exp())),
            ("exponential", agreeing(1, |random| -(1.0 - random.f64()).ln())),
            ("Pareto", agreeing(1, |random| (1.0 - random.f64()).powf(-1.0))),
            ("Cauchy", agreeing(1, |random| (100.0 + normal(random) / normal(random)).abs())),
            ("equal", agreeing(1, |_| 5.0)),
        ] {
            assert!(found >= 98, "{name}: {found} of 100");
        }
    }

    #[test]
    fn a_lattice_is_one_mode() {
        for (name, found) in [
            ("fine", agreeing(1, |random| (100.0 + 15.0 * normal(random)).round())),
            ("coarse", agreeing(1, |random| ((100.0 + 15.0 * normal(random)) / 10.0).round() * 10.0)),
            ("very coarse", agreeing(1, |random| ((100.0 + 15.0 * normal(random)) / 20.0).round() * 20.0)),
        ] {
            assert!(found >= 98, "{name}: {found} of 100");
        }
        let jittered: Vec<f64> = [26.0, 27.0, 52.0, 53.0, 52.0].into_iter().cycle().take(100).collect();
        assert_eq!(modes(&jittered, 26.0).len(), 1);
    }

    /// Draws of which this share lies around the lower of two values.
    fn mix(share: f64, low: f64, high: f64, noise: f64) -> impl Fn(&mut fastrand::Rng) -> f64 {
        move |random| {
            let centre = if random.f64() < share { low } else { high };
            centre * (noise * normal(random)).exp()
        }
    }

    #[test]
    fn two_modes_that_are_apart() {
        for (name, found) in [
            ("0.5 and 40", agreeing(2, mix(0.5, 0.5, 40.0, 0.05))),
            ("few slow", agreeing(2, mix(0.75, 0.5, 40.0, 0.2))),
            ("12 % apart", agreeing(2, mix(0.5, 100.0, 112.0, 0.01))),
            ("exact", agreeing(2, mix(0.6, 0.5, 40.0, 0.0))),
            ("a rare one does not count", 100 - agreeing(2, mix(0.98, 0.5, 40.0, 0.05)).min(100)),
        ] {
            assert!(found >= 85, "{name}: {found} of 100");
        }
    }

    #[test]
    fn positions_and_shares_are_those_of_the_mixture() {
        let mut random = fastrand::Rng::with_seed(1);
        let samples: Vec<f64> = (0..500)
            .map(|at| if at % 10 < 3 { 0.5 } else { 40.0 } * (0.03 * normal(&mut random)).exp())
            .collect();
        let found = modes(&samples, 0.0);
        let [low, high] = found[..] else { unreachable!("{found:?}") };
        assert!((low.at / 0.5 - 1.0).abs() < 0.05 && (low.share - 0.3).abs() < 0.02, "{low:?}");
        assert!((high.at / 40.0 - 1.0).abs() < 0.05 && (high.share - 0.7).abs() < 0.02, "{high:?}");
    }

    /// Samples of a shape that any program can draw: Park and Miller's generator, two numbers for each.
    fn drawn(shape: &str, size: usize) -> Vec<f64> {
        let mut state = 1_u64;
        let samples = (0..size).map(|at| {
            let [first, second] = [(); 2].map(|()| {
                state = state * 48_271 % 2_147_483_647;
                state as f64 / 2_147_483_647.0
            });
            let centred = first + second - 1.0;
            match shape {
                "three" => [1.0, 2.0, 5.0, 1.0, 2.0][at % 5] * (0.3 * centred).exp(),
                "near" => [100.0, 118.0][at % 2] * (0.05 * centred).exp(),
                "close" => [100.0, 105.0][at % 2] * (0.01 * centred).exp(),
                "whole" => 500.0 + (0.5 + 100.0 * centred).floor(),
                "skew" => [13.0, 10.0, 10.0][at % 3] * (1.0 + 2.0 * centred * centred),
                _ => [70.0, 30.0, 30.0][at % 3] + (0.5 + 8.0 * centred).floor(),
            }
        });
        samples.collect()
    }

    #[test]
    fn modes_are_those_of_another_program() {
        // Of a program in another language, written from the descriptions above.
        for (shape, size, resolution, expected) in [
            ("three", 60, 0.0, vec![(0.956234996, 0.4), (2.06279121, 0.4), (4.83263157, 0.2)]),
            (
                "three",
                700,
                0.0,
                vec![(0.993391232, 0.400390625), (2.0106802, 0.400390625), (4.90102936, 0.19921875)],
            ),
            ("near", 100, 0.0, vec![(100.133564, 0.5), (118.448569, 0.5)]),
            ("near", 31, 0.0, vec![(100.208939, 0.516129032), (119.09784, 0.483870968)]),
            ("close", 90, 0.0, vec![(104.983415, 1.0)]),
            ("whole", 41, 0.0, vec![(516.0, 1.0)]),
            ("near", 20, 0.0, vec![(110.053742, 1.0)]),
            ("near", 19, 0.0, vec![(104.454974, 1.0)]),
            ("near", 60, 150.0, vec![(140.411592, 1.0)]),
            ("skew", 200, 0.0, vec![(10.2808921, 1.0)]),
            ("skew", 41, 0.0, vec![(10.5603834, 1.0)]),
            ("steps", 90, 0.0, vec![(30.4680373, 0.666666667), (70.2345152, 0.333333333)]),
            ("steps", 90, 6.0, vec![(30.3707298, 0.666666667), (70.2399067, 0.333333333)]),
            ("steps", 41, 12.0, vec![(30.5773809, 0.658536585), (70.0758281, 0.341463415)]),
            ("steps", 41, 130.0, vec![(32.0, 1.0)]),
        ] {
            let found = modes(&drawn(shape, size), resolution);
            assert_eq!(found.len(), expected.len(), "{shape} {size} {resolution}: {found:?}");
            for (mode, (at, share)) in found.iter().zip(&expected) {
                let is_near = (mode.at / at - 1.0).abs() < 1e-8 && (mode.share - share).abs() < 1e-8;
                assert!(is_near, "{shape} {size} {resolution}: {found:?}");
            }
        }
    }

    #[test]
    fn short_and_invalid_samples_give_no_modes() {
        assert_eq!(modes(&[], 0.0), []);
        assert_eq!(modes(&[-1.0, 0.0, f64::NAN, f64::INFINITY], 0.0), []);
        assert_eq!(modes(&[3.0, 4.0, -5.0], 0.0), [Mode { at: 3.5, share: 1.0 }]);
        assert_eq!(modes(&[1e-300; 30], 1e300).len(), 1);
    }
}
