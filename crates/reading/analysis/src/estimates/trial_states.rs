//! States that fresh processes fall into: the layout of their code and memory, kept from start to end.
//!
//! A processor that predicts returns by addresses, or pages that are large or small, make some processes slower than others
//! by a fixed amount. A median over two such groups is the value of neither, and which of them it takes is chance. Where the
//! trials of a point lie in groups that are apart, the group of most trials makes the estimate, and the others are named: the
//! next run is most likely to find the same group the largest, while a rare one may not occur in it at all.

use crate::samples::summary::Summary;
use crate::thresholds;
use crate::thresholds::{
    OVERLAPPING_GAP, STATE_DISTANCE, STATE_GAP, STATE_GAP_BY_CHANCE, STATE_LEAD, STATE_SHARE, STATE_TRIALS,
    TRIALS_FOR_STATES,
};
use quantity::Quantity;
use stats::modes::Mode;
use stats::order::{Sorted, median};

/// Trials at either end of a group that say nothing of where it ends: the outermost of many lie further out than those of few,
/// and a rule that looks at them finds groups apart in short runs and together in long ones.
const OUTERMOST: f64 = 0.1;

/// The states into which the trials of a point fall.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrialStates {
    /// All of them in the order of their values, with the shares of the trials in them; none where there is one.
    pub(crate) modes: Vec<Mode>,
    /// Whether they are apart, and one has clearly more trials than any other and enough for an interval, so that its trials
    /// were kept. Otherwise a median is that of a mixture.
    pub(crate) are_apart: bool,
}

/// Keeps the trials of the largest group, where groups are apart and it is clearly the largest and can have an interval. Gives
/// all groups.
pub(crate) fn keep_most_frequent(summaries: &mut Vec<Summary<'_>>, quantity: Quantity) -> TrialStates {
    if !matches!(quantity, Quantity::Latency | Quantity::Bandwidth) {
        return TrialStates::default();
    }
    let sorted = Sorted::from_values(summaries.iter().map(|summary| summary.value.typical));
    let (count, least) = (summaries.len(), least_of(summaries.len()));
    let apart = groups(sorted.values(), least);
    let groups = match (apart.len(), split(sorted.values(), least, OVERLAPPING_GAP)) {
        (2.., _) => apart,
        (_, Some((low, high))) => vec![low, high],
        (_, None) => return TrialStates::default(),
    };
    let largest = clearly_largest(&groups).filter(|group| group.len() >= thresholds::LEAST_TRIALS);
    let are_apart = largest.is_some() && split(sorted.values(), least, 1.0).is_some();
    let bounds = largest.and_then(|group| group.first().copied().zip(group.last().copied()));
    if let Some((low, high)) = bounds.filter(|_| are_apart) {
        summaries.retain(|summary| (low..=high).contains(&summary.value.typical));
    }
    let modes = groups
        .iter()
        .filter_map(|group| Some(Mode { at: median(*group)?, share: group.len() as f64 / count as f64 }));
    TrialStates { modes: modes.collect(), are_apart }
}

/// The group of most trials, where another run would find it the largest, too.
fn clearly_largest<'g>(groups: &[&'g [f64]]) -> Option<&'g [f64]> {
    let mut by_size = groups.to_vec();
    by_size.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let [largest, second, ..] = *by_size else { return None };
    let lead = (largest.len() - second.len()) as f64;
    (lead >= STATE_LEAD * ((largest.len() + second.len()) as f64).sqrt()).then_some(largest)
}

/// The fewest trials of a group among all of a point.
fn least_of(trials: usize) -> usize {
    ((STATE_SHARE * trials as f64).ceil() as usize).max(STATE_TRIALS)
}

/// Ascending values in groups that are apart, none of which has fewer values than this.
fn groups(sorted: &[f64], least: usize) -> Vec<&[f64]> {
    match split(sorted, least, 1.0) {
        None => vec![sorted],
        Some((low, high)) => [groups(low, least), groups(high, least)].concat(),
    }
}

/// The two parts of ascending values that vary least within themselves, where the gap between them is this share of what groups
/// that are apart have.
fn split(sorted: &[f64], least: usize, share: f64) -> Option<(&[f64], &[f64])> {
    if sorted.len() < TRIALS_FOR_STATES || sorted.first().is_none_or(|low| *low <= 0.0) {
        return None;
    }
    let (low, high) = sorted.split_at_checked(least_variance(sorted, least)?)?;
    let (below, above) = (inner(low)?, inner(high)?);
    let gap = above.0 - below.1;
    let width = (below.1 - below.0) + (above.1 - above.0);
    let distance = median(high)? / median(low)? - 1.0;
    let apart = share * STATE_GAP.max(STATE_GAP_BY_CHANCE / sorted.len() as f64);
    (gap > apart * width && distance >= STATE_DISTANCE).then_some((low, high))
}

/// Where a group begins and ends without its outermost values.
fn inner(group: &[f64]) -> Option<(f64, f64)> {
    let sorted = Sorted::from_values(group);
    Some((sorted.quantile(OUTERMOST)?, sorted.quantile(1.0 - OUTERMOST)?))
}

/// How many of ascending values belong to the lower of two parts that together vary least (Otsu 1979), on logarithms, where
/// outliers count as far out as a twentieth of the values lies. `None` where one part would have fewer values than this.
fn least_variance(sorted: &[f64], least: usize) -> Option<usize> {
    let all = Sorted::from_values(sorted.iter().map(|value| value.ln()));
    let (low, high) = (all.quantile(OUTERMOST / 2.0)?, all.quantile(1.0 - OUTERMOST / 2.0)?);
    let logs: Vec<f64> = all.values().iter().map(|log| log.clamp(low, high)).collect();
    let (count, total) = (logs.len(), logs.iter().sum::<f64>());
    let mut below = 0.0;
    let between = (1..count).zip(&logs).map(|(at, log)| {
        below += log;
        let distance = below / at as f64 - (total - below) / (count - at) as f64;
        (at, distance * distance * (at * (count - at)) as f64)
    });
    let (at, _) = between.max_by(|one, other| one.1.total_cmp(&other.1))?;
    (least..=count.checked_sub(least)?).contains(&at).then_some(at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::samples::summary::TrialSamples;
    use crate::samples::tests::kept_of_values;

    fn of_draws(count: usize, seed: u64, draw: impl Fn(&mut fastrand::Rng) -> f64) -> usize {
        let mut random = fastrand::Rng::with_seed(seed);
        let values: Vec<f64> = (0..count).map(|_| draw(&mut random)).collect();
        groups(Sorted::from_values(&values).values(), least_of(count)).len()
    }

    fn normal(random: &mut fastrand::Rng) -> f64 {
        (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
    }

    /// One of two states, 100 and 115, of which the lower one has this share, with noise of this deviation.
    fn of_two_states(random: &mut fastrand::Rng, low: f64, deviation: f64) -> f64 {
        let state = if random.f64() < low { 100.0 } else { 115.0 };
        state * (1.0 + deviation * normal(random))
    }

    /// A shape of noise, and how many of 1 000 draws of it may be taken for states.
    type Shape = (&'static str, fn(&mut fastrand::Rng) -> f64, usize);

    #[test]
    fn noise_of_any_shape_is_one_state() {
        let shapes: [Shape; 4] = [
            ("normal", |random| 100.0 + 5.0 * normal(random), 5),
            ("even", |random| 100.0 + 20.0 * random.f64(), 20),
            ("exponential", |random| 100.0 - 10.0 * (1.0 - random.f64()).ln(), 25),
            (
                "outliers",
                |random| {
                    if random.f64() < 0.05 { 200.0 } else { 100.0 + normal(random) }
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
            for count in [24, 60] {
                let found = (0..200)
                    .filter(|&seed| of_draws(count, seed, |random| of_two_states(random, low, 0.008)) == 2)
                    .count();
                assert!(found >= 180, "{low}: {found} of 200 with {count} trials");
            }
        }
    }

    #[test]
    fn groups_are_as_far_apart_in_long_runs_as_in_short_ones() {
        for count in [24, 60, 120] {
            let found = (0..200)
                .filter(|&seed| of_draws(count, seed, |random| of_two_states(random, 0.45, 0.015)) == 2)
                .count();
            assert!(found >= 190, "{found} of 200 with {count} trials");
        }
    }

    /// Thirty values around each of 100 and 115, between whose groups a gap is too narrow to be that of states.
    fn overlapping() -> Vec<f64> {
        // A triangle: as far from its middle as the root of what is left of its half.
        let offsets = (0..15).map(|n| 0.0686 * (1.0 - (f64::from(n) / 15.0 + 1.0 / 30.0).sqrt()));
        let offsets: Vec<f64> = offsets.flat_map(|off| [-off, off]).collect();
        [100.0, 115.0]
            .into_iter()
            .flat_map(|state| offsets.iter().map(move |off| state * (1.0 + off)))
            .collect()
    }

    #[test]
    fn states_that_overlap_are_named_and_none_is_chosen() {
        let values = overlapping();
        let sorted = Sorted::from_values(&values);
        let least = least_of(values.len());
        assert_eq!(groups(sorted.values(), least).len(), 1);
        assert!(split(sorted.values(), least, OVERLAPPING_GAP).is_some());
        let (states, kept) = kept(&values, Quantity::Latency);
        assert_eq!((states.modes.len(), states.are_apart, kept.len()), (2, false, 60));
    }

    /// The states of trials of these values, and the values of those that are kept.
    fn kept(values: &[f64], quantity: Quantity) -> (TrialStates, Vec<f64>) {
        let trials: Vec<TrialSamples> = values.iter().map(|value| kept_of_values(1, &[*value])).collect();
        let summaries = trials.iter().map(|trial| trial.summary(|_, _| true).unwrap());
        let mut summaries: Vec<Summary<'_>> = summaries.collect();
        let states = keep_most_frequent(&mut summaries, quantity);
        (states, summaries.iter().map(|summary| summary.value.typical).collect())
    }

    #[test]
    fn trials_of_the_largest_state_are_kept_where_it_is_clearly_the_largest() {
        for (low, high, kept_value) in [(12, 4, Some(4.0)), (4, 12, Some(5.0)), (5, 11, None), (11, 5, None)]
        {
            let values = [vec![4.0; low], vec![5.0; high]].concat();
            let modes =
                [(4.0, low), (5.0, high)].map(|(at, trials)| Mode { at, share: trials as f64 / 16.0 });
            let expected = kept_value.map_or_else(|| values.clone(), |value| vec![value; 12]);
            for quantity in [Quantity::Latency, Quantity::Bandwidth] {
                let (states, found) = kept(&values, quantity);
                assert_eq!(
                    (states.are_apart, &states.modes[..]),
                    (kept_value.is_some(), &modes[..]),
                    "{low}"
                );
                assert_eq!(found, expected, "{low} {quantity:?}");
            }
        }
        let values = [[4.0; 8], [5.0; 8]].concat();
        let (states, found) = kept(&values, Quantity::Frequency);
        assert_eq!((states.modes, states.are_apart, found), (Vec::new(), false, values));
    }

    #[test]
    fn groups_need_twelve_trials_and_medians_that_differ_by_two_hundredths() {
        for (low, high, at, expected) in [
            (6, 6, 125.0, 2),
            (5, 6, 125.0, 1),
            (9, 3, 125.0, 2),
            (10, 2, 125.0, 1),
            (6, 6, 102.5, 2),
            (6, 6, 101.5, 1),
        ] {
            let values = [vec![100.0; low], vec![at; high]].concat();
            assert_eq!(groups(&values, 3).len(), expected, "{low} {high} {at}");
        }
    }

    #[test]
    fn a_gap_of_half_the_width_of_both_groups_is_none() {
        // Twenty-one values that are 8 from the third to the third last: a width of 16 for both.
        let inner = (0..17).map(|at| 0.5 * f64::from(at));
        let group: Vec<f64> = [0.0; 2].into_iter().chain(inner).chain([8.0; 2]).collect();
        for (from, expected) in [(116.0, 1), (116.5, 2)] {
            let both: Vec<f64> =
                [100.0, from].into_iter().flat_map(|from| group.iter().map(move |at| from + at)).collect();
            assert_eq!(groups(&both, 7).len(), expected, "{from}");
        }
    }

    #[test]
    fn an_outlier_among_twenty_one_counts_no_further_out_than_the_next_value() {
        // How often each value is there, and how many values the lower part has.
        for (values, expected) in [
            (&[(1.0, 10), (2.0, 10), (9e9, 1)][..], Some(10)),
            (&[(1.0, 10), (2.0, 9), (9e9, 2)], Some(19)),
            (&[(1e-9, 1), (1.0, 9), (2.0, 11)], Some(10)),
            (&[(1e-9, 2), (1.0, 8), (2.0, 11)], Some(2)),
            // Many values weigh more than a few that are as far out, and one part has two at least.
            (&[(1.0, 10), (2.0, 3), (3.0, 2)], Some(10)),
            (&[(1.0, 10), (2.0, 1)], None),
        ] {
            let values: Vec<f64> = values.iter().flat_map(|&(value, count)| vec![value; count]).collect();
            assert_eq!(least_variance(&values, 2), expected, "{values:?}");
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
            groups(&[-5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 50.0, 51.0, 52.0], 3).len(),
            1
        );
        assert_eq!(groups(&[], 3).len(), 1);
    }
}
