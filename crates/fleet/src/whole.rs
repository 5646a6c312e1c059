//! Machines that are a little off in many points: the whole of a machine's distances against that of its siblings.

use crate::odd::{FALSE_SHARE, Lie};
use crate::scale::scale;
use fastrand::Rng;
use stats::discoveries::discoveries;
use stats::normal::{gamma_tail, normal_of_student, two_sided};
use stats::order::median;

/// Frequencies at which the distribution of distances is compared.
const FREQUENCIES: usize = 24;
/// Machines that are made by drawing each point from another machine.
const PERMUTATIONS: usize = 400;
/// A machine without so large a share of the points is not compared as a whole.
const LEAST_SHARE: f64 = 0.8;
/// The least number of points of a whole.
const LEAST_POINTS: usize = 20;
/// Distances count up to this many standard deviations: single odd points have a test of their own.
const FURTHEST: f64 = 6.0;

/// How a machine as a whole lies among its siblings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Whole {
    /// What a point costs in the median, divided by what it costs on the median machine.
    pub ratio: f64,
    /// Share of the points that cost more than on the median machine.
    pub slower: f64,
}

/// A distribution of distances by its characteristic function at some frequencies: the mean embedding of a Gaussian kernel
/// (Rahimi and Recht, "Random features for large-scale kernel machines", 2007).
type Embedding = [f64; 2 * FREQUENCIES];

/// For each machine of a type how it lies as a whole, where that is odd.
///
/// The distance is the maximum mean discrepancy between the machine's standardized distances and those of all siblings
/// (Gretton and others, "A kernel two-sample test", 2012). It counts when two tests agree: it is larger than chance gives
/// (by permutations in which each point is another machine's, with a gamma distribution for the tail), and larger than
/// what machines of this type differ by as wholes. Both allow for the number of machines.
pub(crate) fn wholes(machines: usize, lies: &[Lie]) -> Vec<Option<Whole>> {
    let none = vec![None; machines];
    if lies.len() < LEAST_POINTS {
        return none;
    }
    let mut random = Rng::with_seed(0x05C0_9E21);
    let frequencies: Vec<f64> = (0..FREQUENCIES).map(|_| normal(&mut random)).collect();
    let mine = |index: usize| distances(lies, index);
    let embedded: Vec<Option<(Embedding, usize)>> = (0..machines)
        .map(|index| {
            let mine = mine(index);
            let is_whole = mine.len() as f64 >= lies.len() as f64 * LEAST_SHARE;
            is_whole.then(|| (embedding(&mine, &frequencies), mine.len()))
        })
        .collect();
    let Some(centre) = centre(embedded.iter().flatten()) else {
        return none;
    };
    let size = |(embedding, points): &(Embedding, usize)| discrepancy(embedding, &centre) * *points as f64;
    let sizes: Vec<Option<f64>> = embedded.iter().map(|one| one.as_ref().map(size)).collect();
    let by_chance = chance(lies, &frequencies, &centre, &mut random);
    let known: Vec<f64> = sizes.iter().flatten().map(|size| size.sqrt()).collect();
    let (Some(usual), Some(spread)) = (median(&known), scale(&known)) else {
        return none;
    };
    let p_value = |size: &Option<f64>| {
        let Some(size) = *size else { return f64::NAN };
        let by_chance = gamma_tail(size, by_chance.0, by_chance.1);
        let away = (size.sqrt() - usual) / spread.deviation.max(f64::MIN_POSITIVE);
        let by_siblings = match away > 0.0 {
            true => two_sided(normal_of_student(away, spread.freedom)) / 2.0,
            false => 1.0,
        };
        by_chance.max(by_siblings)
    };
    let found = discoveries(&sizes.iter().map(p_value).collect::<Vec<f64>>(), FALSE_SHARE);
    let of = |(index, is_found): (usize, bool)| is_found.then(|| whole(lies, index)).flatten();
    found.into_iter().enumerate().map(of).collect()
}

/// A machine's standardized distances.
fn distances(lies: &[Lie], index: usize) -> Vec<f64> {
    lies.iter().filter_map(|lie| Some(lie.at(index)?.1)).collect()
}

fn whole(lies: &[Lie], index: usize) -> Option<Whole> {
    let off: Vec<f64> = lies.iter().filter_map(|lie| Some(lie.at(index)?.0)).collect();
    let slower = off.iter().filter(|off| **off > 0.0).count();
    Some(Whole { ratio: median(&off)?.exp(), slower: slower as f64 / off.len() as f64 })
}

fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

fn embedding(distances: &[f64], frequencies: &[f64]) -> Embedding {
    let mut sums = [0.0; 2 * FREQUENCIES];
    for distance in distances {
        let at = distance.clamp(-FURTHEST, FURTHEST);
        for (pair, frequency) in sums.chunks_exact_mut(2).zip(frequencies) {
            let (sine, cosine) = (at * frequency).sin_cos();
            if let [of_cosine, of_sine] = pair {
                *of_cosine += cosine;
                *of_sine += sine;
            }
        }
    }
    sums.map(|sum| sum / distances.len().max(1) as f64)
}

/// The mean of the embeddings; `None` of none.
fn centre<'e>(embedded: impl Iterator<Item = &'e (Embedding, usize)>) -> Option<Embedding> {
    let mut sums = [0.0; 2 * FREQUENCIES];
    let mut count = 0.0;
    for (embedding, _) in embedded {
        count += 1.0;
        sums.iter_mut().zip(embedding).for_each(|(sum, one)| *sum += one);
    }
    (count > 0.0).then(|| sums.map(|sum| sum / count))
}

fn discrepancy(one: &Embedding, other: &Embedding) -> f64 {
    let squares = one.iter().zip(other).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>() / FREQUENCIES as f64
}

/// Mean and variance of the distance, times the points, of machines whose points are each another machine's.
fn chance(lies: &[Lie], frequencies: &[f64], centre: &Embedding, random: &mut Rng) -> (f64, f64) {
    let known: Vec<Vec<f64>> = lies
        .iter()
        .map(|lie| lie.machines.iter().flatten().map(|(_, distance)| *distance).collect())
        .collect();
    let mut one = |_| {
        let drawn: Vec<f64> = known.iter().filter_map(|all| random.choice(all).copied()).collect();
        discrepancy(&embedding(&drawn, frequencies), centre) * drawn.len() as f64
    };
    let all: Vec<f64> = (0..PERMUTATIONS).map(&mut one).collect();
    let mean = stats::spread::mean(&all).unwrap_or_default();
    let deviation = stats::spread::deviation(&all).unwrap_or_default();
    (mean, (deviation * deviation).max(f64::MIN_POSITIVE))
}
