//! States that fresh processes fall into: the layout of their code and memory, kept from start to end.
//!
//! A processor that predicts returns by addresses, or pages that are large or small, make some processes slower than others
//! by a fixed amount. A median over two such groups is the value of neither, and which of them it takes is chance. Where the
//! trials of a point lie in groups that are apart, the cheapest group makes the estimate, and the others are named.

use crate::rows::distribution::Mode;
use crate::samples::summary::Summary;
use quantity::Quantity;
use stats::order::{Sorted, median};

/// Share of the trials that a group has at least: fewer are outliers, whatever they have in common.
const LEAST_SHARE: f64 = 0.15;

/// Trials of a group at least.
const LEAST_TRIALS: usize = 3;

/// Fewest trials in which groups are looked for.
const FEWEST: usize = 12;

/// Groups are apart when the gap between them is this many times as wide as both together, outermost trials left out: of
/// twelve values that lie evenly by chance, one set in a hundred does.
const APART: f64 = 1.25;

/// Groups whose medians differ by less are one.
const LEAST_DISTANCE: f64 = 0.02;

/// Outermost trials on either side that say nothing of a group's width.
const OUTERMOST: f64 = 0.1;

/// Keeps the trials of the cheapest group. Gives all groups in the order of their values, with the shares of the trials in
/// them; nothing where there is one.
pub(crate) fn keep_cheapest(summaries: &mut Vec<Summary>, quantity: Quantity) -> Vec<Mode> {
    if !matches!(quantity, Quantity::Latency | Quantity::Bandwidth) {
        return Vec::new();
    }
    let medians: Vec<f64> = summaries.iter().map(|summary| summary.value.typical).collect();
    let sorted = Sorted::of(&medians);
    let groups = groups(sorted.values(), least_of(medians.len()));
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return Vec::new();
    };
    if groups.len() < 2 {
        return Vec::new();
    }
    let cheapest = match quantity {
        Quantity::Bandwidth => *last,
        _ => *first,
    };
    let bounds = cheapest.first().copied().zip(cheapest.last().copied());
    summaries
        .retain(|summary| bounds.is_some_and(|(low, high)| (low..=high).contains(&summary.value.typical)));
    let all = medians.len() as f64;
    let of_group = |group: &&[f64]| {
        Some(Mode {
            at: median(group)?,
            share: group.len() as f64 / all,
        })
    };
    groups.iter().filter_map(of_group).collect()
}

/// The fewest trials of a group among all of a point.
fn least_of(trials: usize) -> usize {
    ((LEAST_SHARE * trials as f64).ceil() as usize).max(LEAST_TRIALS)
}

/// Ascending values in groups that are apart, none of which has fewer values than this.
fn groups(sorted: &[f64], least: usize) -> Vec<&[f64]> {
    match split(sorted, least) {
        None => vec![sorted],
        Some((low, high)) => [groups(low, least), groups(high, least)].concat(),
    }
}

/// The two halves of ascending values beside their widest gap, where they are apart.
fn split(sorted: &[f64], least: usize) -> Option<(&[f64], &[f64])> {
    if sorted.len() < FEWEST.max(2 * least) || sorted.first().is_none_or(|low| *low <= 0.0) {
        return None;
    }
    let gap = |at: &usize| Some(sorted.get(*at)? - sorted.get(at - 1)?);
    let at = (least..=sorted.len() - least).max_by(|one, other| {
        gap(one)
            .partial_cmp(&gap(other))
            .unwrap_or(std::cmp::Ordering::Equal)
    })?;
    let (low, high) = sorted.split_at_checked(at)?;
    let outermost = (OUTERMOST * sorted.len() as f64) as usize;
    let width = low.last()? - low.get(outermost.min(low.len() - 1))?
        + high.get((high.len() - 1).saturating_sub(outermost))?
        - high.first()?;
    let distance = median(high)? / median(low)? - 1.0;
    (gap(&at)? > APART * width && distance >= LEAST_DISTANCE).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_draws(count: usize, seed: u64, draw: impl Fn(&mut fastrand::Rng) -> f64) -> usize {
        let mut random = fastrand::Rng::with_seed(seed);
        let values: Vec<f64> = (0..count).map(|_| draw(&mut random)).collect();
        groups(Sorted::of(&values).values(), least_of(count)).len()
    }

    fn normal(random: &mut fastrand::Rng) -> f64 {
        (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
    }

    /// A shape of noise, and how many of 1 000 draws of it may be taken for states.
    type Shape = (&'static str, fn(&mut fastrand::Rng) -> f64, usize);

    #[test]
    fn noise_of_any_shape_is_one_state() {
        let shapes: [Shape; 4] = [
            ("normal", |random| 100.0 + 5.0 * normal(random), 5),
            ("even", |random| 100.0 + 20.0 * random.f64(), 20),
            (
                "exponential",
                |random| 100.0 - 10.0 * (1.0 - random.f64()).ln(),
                25,
            ),
            (
                "outliers",
                |random| {
                    if random.f64() < 0.05 {
                        200.0
                    } else {
                        100.0 + normal(random)
                    }
                },
                150,
            ),
        ];
        for (name, draw, most) in shapes {
            for count in [12, 16, 24, 60] {
                let taken = (0..1_000).filter(|&seed| of_draws(count, seed, draw) > 1).count();
                assert!(taken <= most, "{name}: {taken} of 1000 with {count} trials");
            }
        }
    }

    #[test]
    fn separate_states_are_distinguished() {
        for low in [0.3, 0.5, 0.7] {
            let draw = |random: &mut fastrand::Rng| {
                let state = if random.f64() < low { 100.0 } else { 115.0 };
                state * (1.0 + 0.008 * normal(random))
            };
            for count in [24, 60] {
                let found = (0..200).filter(|&seed| of_draws(count, seed, draw) == 2).count();
                assert!(found >= 180, "{low}: {found} of 200 with {count} trials");
            }
        }
    }

    #[test]
    fn a_group_within_a_group_has_its_share_of_all_trials() {
        let values: Vec<f64> = [1.0, 1.5, 3.0]
            .into_iter()
            .flat_map(|at| (0..7).map(move |n| at + 0.001 * f64::from(n)))
            .collect();
        assert_eq!(groups(&values, 3).len(), 3);
        assert_eq!(groups(&values, 8).len(), 1);
    }

    #[test]
    fn values_that_are_equal_or_not_positive_have_no_states() {
        assert_eq!(groups(&[5.0; 20], 3).len(), 1);
        assert_eq!(
            groups(
                &[
                    -5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 50.0, 51.0, 52.0
                ],
                3
            )
            .len(),
            1
        );
        assert_eq!(groups(&[], 3).len(), 1);
    }
}
