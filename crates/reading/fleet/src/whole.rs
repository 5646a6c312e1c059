//! Machines that are a little off in many points: the whole of a machine's distances against that of its siblings.

use crate::odd::Lie;
use crate::thresholds::{FALSE_SHARE, WHOLE_POINTS, WHOLE_SHARE};
use fastrand::Rng;
use stats::normal::{beyond, gamma_tail, normal_of_student, two_sided};
use stats::order::{Sorted, median};

/// Frequencies at which the distribution of distances is compared.
const FREQUENCIES: usize = 24;
/// Machines that are made by drawing each point from another machine.
const PERMUTATIONS: usize = 400;
/// Distances count up to this many standard deviations: single odd points have a test of their own.
const FURTHEST: f64 = 6.0;

/// The scale of what machines share is taken at this quantile, which no odd ones among the rest move.
const MOST: f64 = 0.7;
/// A deviation by that quantile is worth this share of the degrees of freedom of a classical one.
const EFFICIENCY: f64 = 0.37;

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

/// For each machine of a type the probability that it is as far from its siblings as a whole as it is; not a number where it
/// is not compared.
///
/// The distance is the maximum mean discrepancy between the machine's standardized distances and those of all siblings
/// (Gretton and others, "A kernel two-sample test", 2012). It counts when two tests agree: it is larger than chance gives
/// (by permutations in which each point is another machine's, with a gamma distribution for the tail), and larger than
/// what machines of this type differ by as wholes.
pub(crate) fn whole_p_values(machines: usize, lies: &[Lie]) -> Vec<f64> {
    let none = vec![f64::NAN; machines];
    if lies.len() < WHOLE_POINTS {
        return none;
    }
    let mut random = Rng::with_seed(0x05C0_9E21);
    let frequencies: Vec<f64> = (0..FREQUENCIES).map(|_| normal(&mut random)).collect();
    let embedded: Vec<Option<(Embedding, usize)>> = (0..machines)
        .map(|index| {
            let distances: Vec<f64> = lies.iter().filter_map(|lie| Some(lie.member(index)?.1)).collect();
            let is_whole = distances.len() as f64 >= lies.len() as f64 * WHOLE_SHARE;
            is_whole.then(|| (embedding(&distances, &frequencies), distances.len()))
        })
        .collect();
    let Some(centre) = centre(embedded.iter().flatten()) else {
        return none;
    };
    let sizes: Vec<Option<f64>> = embedded
        .iter()
        .map(|one| one.as_ref().map(|(embedding, points)| discrepancy(embedding, &centre) * *points as f64))
        .collect();
    let of_siblings = by_siblings(&sizes, &centre);
    // The other test only raises these, and none of them is small enough.
    if of_siblings.iter().all(|p| p.is_nan() || *p > FALSE_SHARE) {
        return of_siblings;
    }
    let (mean, variance) = chance(lies, &frequencies, &centre, &mut random);
    let each = sizes.iter().zip(of_siblings);
    each.map(|(size, p)| size.map_or(p, |size| p.max(gamma_tail(size, mean, variance)))).collect()
}

/// The probability of each size where machines of this type differ as wholes at random: by something that all points of a
/// machine share, normally distributed over machines. A size is then what chance gives and the square of that.
fn by_siblings(sizes: &[Option<f64>], centre: &Embedding) -> Vec<f64> {
    // The variance of one point's embedding is that of a sum over as many points as a machine has, times these.
    let by_chance = 1.0 - centre.iter().map(|part| part * part).sum::<f64>() / FREQUENCIES as f64;
    let shared: Vec<Option<f64>> =
        sizes.iter().map(|size| size.map(|size| (size - by_chance).max(0.0).sqrt())).collect();
    let sorted = Sorted::from_values(shared.iter().flatten());
    let most = sorted.quantile(MOST).unwrap_or_default();
    let deviation = (most / beyond((1.0 - MOST) / 2.0)).max(f64::MIN_POSITIVE);
    let freedom = sorted.values().len().saturating_sub(1) as f64 * EFFICIENCY;
    shared
        .iter()
        .map(|shared| {
            shared.map_or(f64::NAN, |shared| two_sided(normal_of_student(shared / deviation, freedom)))
        })
        .collect()
}

/// How the machine at this place lies as a whole.
pub(crate) fn whole(lies: &[Lie], index: usize) -> Option<Whole> {
    let off: Vec<f64> = lies.iter().filter_map(|lie| Some(lie.member(index)?.0)).collect();
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
        .map(|lie| lie.members.iter().flatten().map(|(_, distance)| *distance).collect())
        .collect();
    let permuted = (0..PERMUTATIONS).map(|_| {
        let drawn: Vec<f64> = known.iter().filter_map(|all| random.choice(all).copied()).collect();
        discrepancy(&embedding(&drawn, frequencies), centre) * drawn.len() as f64
    });
    let all: Vec<f64> = permuted.collect();
    let mean = stats::spread::mean(&all).unwrap_or_default();
    let deviation = stats::spread::deviation(&all).unwrap_or_default();
    (mean, (deviation * deviation).max(f64::MIN_POSITIVE))
}
