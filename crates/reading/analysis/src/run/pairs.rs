//! What was measured between every two CPUs: the values of all pairs, and the groups of CPUs that are found in them alone.

use crate::rows::row::Row;
use crate::thresholds::SAME_CORE;
use quantity::Quantity;
use record::{Machine, PointId, pair_at};
use stats::clusters::{Distance, Level, levels};
use stats::order::median;
use std::collections::BTreeMap;

/// The values of each pair, by the place of the pair on the curve of a trial.
pub(crate) type PairValues = BTreeMap<u64, Vec<f64>>;

/// What was measured between every two CPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// The point.
    pub of: PointId,
    /// What was measured.
    pub quantity: Quantity,
    /// The numbers of the CPUs, in rising order.
    pub cpus: Vec<u32>,
    /// The medians over the trials, by the places of the pair among the CPUs, the lower first.
    pub values: BTreeMap<(usize, usize), f64>,
    /// The groups that are found, from the smallest on: of times by their steps, of ratios those that share a core.
    pub levels: Vec<Level>,
    /// How many threads a core has, as the kernel reports.
    pub reported_threads: Option<u32>,
}

impl Pairs {
    /// The value of two CPUs by their places, in either order.
    pub fn value(&self, one: usize, other: usize) -> Option<f64> {
        self.values.get(&(one.min(other), one.max(other))).copied()
    }

    /// The least and the largest value.
    pub fn ends(&self) -> Option<(f64, f64)> {
        let first = *self.values.values().next()?;
        Some(
            self.values
                .values()
                .fold((first, first), |(low, high), &value| (low.min(value), high.max(value))),
        )
    }

    /// How many of all pairs have a value.
    pub fn known(&self) -> f64 {
        let cpus = self.cpus.len() as f64;
        self.values.len() as f64 / (cpus * (cpus - 1.0) / 2.0).max(1.0)
    }
}

/// The pairs of all rows that have some.
pub(crate) fn pairs(rows: &[Row], kept: &BTreeMap<usize, PairValues>, machine: &Machine) -> Vec<Pairs> {
    let with_rows = kept.iter().filter_map(|(place, values)| Some((rows.get(*place)?, values)));
    with_rows
        .filter(|(row, _)| row.verdict.has_number())
        .map(|(row, values)| of_row(row, values, machine))
        .collect()
}

fn of_row(row: &Row, kept: &PairValues, machine: &Machine) -> Pairs {
    let mut cpus: Vec<u32> = kept.keys().flat_map(|&place| pair_at(place)).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let at = |cpu: u32| cpus.binary_search(&cpu).unwrap_or(0);
    let values: BTreeMap<(usize, usize), f64> = kept
        .iter()
        .filter_map(|(&place, values)| {
            let [low, high] = pair_at(place).map(at);
            Some(((low, high), median(values)?))
        })
        .collect();
    let quantity = row.quantity();
    let distances = values.iter().map(|(&pair, &value)| Distance { pair, value });
    let levels = match quantity {
        Quantity::Ratio => shared_cores(cpus.len(), distances),
        _ => levels(cpus.len(), &distances.collect::<Vec<_>>()),
    };
    let reported_threads = machine.number("cpus.threads_per_core").map(|threads| threads as u32);
    Pairs { of: row.point.id.clone(), quantity, cpus, values, levels, reported_threads }
}

/// The CPUs that slow each other down as threads of one core do; no level where none do.
fn shared_cores(count: usize, ratios: impl Iterator<Item = Distance>) -> Vec<Level> {
    // A nearer pair is one that is slowed down more; whatever is below the threshold is equally far.
    let distances: Vec<Distance> =
        ratios.map(|one| Distance { value: if one.value >= SAME_CORE { 1.0 } else { 2.0 }, ..one }).collect();
    if distances.iter().all(|one| one.value < 2.0) && !distances.is_empty() {
        return vec![Level { groups: vec![(0..count).collect()], within: 1.0, between: 2.0 }];
    }
    levels(count, &distances)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::answers::fixtures::row;
    use record::place_of_pair;

    /// A run on CPUs with these numbers, of each pair of which three trials have about this value.
    fn found(cpus: &[u32], quantity: Quantity, value: impl Fn(usize, usize) -> f64) -> Pairs {
        let mut kept = PairValues::new();
        for (one, low) in cpus.iter().enumerate() {
            for (other, high) in cpus.iter().enumerate().skip(one + 1) {
                let place = place_of_pair((*low, *high)) as u64;
                kept.insert(place, [0.97, 1.0, 3.0].map(|factor| factor * value(one, other)).to_vec());
            }
        }
        let rows = [row("pairs.x", "", quantity, (1.0, 1.0, 1.0))];
        let [pairs] =
            <[Pairs; 1]>::try_from(pairs(&rows, &BTreeMap::from([(0, kept)]), &Machine::default())).unwrap();
        pairs
    }

    #[test]
    fn threads_of_a_core_are_recognised_without_the_kernel_and_cores_are_not() {
        for (slowdown, expected) in
            [(1.95, vec![vec![0, 1]]), (1.5, vec![vec![0, 1]]), (1.1, Vec::new()), (1.0, Vec::new())]
        {
            let pairs = found(&[0, 1], Quantity::Ratio, |_, _| slowdown);
            let groups: Vec<Vec<usize>> = pairs.levels.into_iter().flat_map(|level| level.groups).collect();
            assert_eq!(groups, expected, "{slowdown}");
        }
        // Threads are n and n + 4.
        let eight =
            found(
                &[0, 1, 2, 3, 4, 5, 6, 7],
                Quantity::Ratio,
                |one, other| if one + 4 == other { 1.7 } else { 1.02 },
            );
        assert_eq!(eight.levels.first().unwrap().groups, [[0, 4], [1, 5], [2, 6], [3, 7]]);
    }

    #[test]
    fn complexes_are_found_in_times_and_named_by_the_numbers_of_their_cpus() {
        let cpus: Vec<u32> = (10..26).collect();
        let pairs =
            found(&cpus, Quantity::Latency, |one, other| if one / 8 == other / 8 { 60.0 } else { 190.0 });
        let [level] = <[Level; 1]>::try_from(pairs.levels.clone()).unwrap();
        assert_eq!(level.groups, [(0..8).collect::<Vec<_>>(), (8..16).collect()]);
        assert_eq!((pairs.cpus.first(), pairs.known()), (Some(&10), 1.0));
        assert_eq!(
            (pairs.value(9, 0), pairs.value(0, 1), pairs.value(0, 0)),
            (Some(190.0), Some(60.0), None)
        );
        assert_eq!(pairs.ends(), Some((60.0, 190.0)));
    }
}
