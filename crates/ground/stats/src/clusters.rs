//! Groups found in the distances of pairs: those within a group are near, those between groups are far, on one level or on several
//! within each other.

/// The distance of two items, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// The items.
    pub pair: (usize, usize),
    /// How far they are from each other.
    pub value: f64,
}

/// A partition of the items: on a level below, its groups are parts of these.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The groups, each with its items in rising order; the first items rise.
    pub groups: Vec<Vec<usize>>,
    /// The median distance within groups.
    pub within: f64,
    /// The median distance between groups.
    pub between: f64,
}

/// Limits that are tried for a level, at most: the distances of the pairs, evenly in rank.
const MOST_LIMITS: usize = 400;

/// What is known within groups is nearer than the limit for this share of the pairs: single pairs are disturbed while they are
/// measured.
const PURITY: f64 = 0.9;

/// Between groups is this many times further than within, or noise divides them.
const LEAST_FACTOR: f64 = 1.15;

/// The levels of `count` items from the smallest groups on. Pairs may be missing; items without a near pair are groups of one.
pub fn levels(count: usize, distances: &[Distance]) -> Vec<Level> {
    let mut sorted: Vec<Distance> = distances
        .iter()
        .copied()
        .filter(|one| one.value.is_finite() && one.pair.0.max(one.pair.1) < count)
        .collect();
    sorted.sort_by(|one, other| one.value.total_cmp(&other.value));
    let mut found: Vec<Level> = Vec::new();
    let mut sets = Sets::new(count);
    let step = sorted.len().div_ceil(MOST_LIMITS).max(1);
    for (below, next) in sorted.chunks(step).scan(0, |end, chunk| {
        *end += chunk.len();
        Some((*end, chunk))
    }) {
        next.iter().for_each(|one| sets.join(one.pair));
        let Some(level) = level(&mut sets, &sorted, below) else { continue };
        match found.last_mut() {
            // The same groups with a wider limit.
            Some(last) if last.groups == level.groups => *last = level,
            _ => found.push(level),
        }
    }
    found.retain(|level| level.between > LEAST_FACTOR * level.within);
    // Of partitions that noise alone parts, the next one has the same distances within.
    found.dedup_by(|wide, narrow| {
        wide.within < LEAST_FACTOR * narrow.within && {
            *narrow = wide.clone();
            true
        }
    });
    found
}

/// The partition by the first `below` distances; `None` where it is none, or not a pure one.
fn level(sets: &mut Sets, sorted: &[Distance], below: usize) -> Option<Level> {
    let groups = sets.groups();
    if groups.len() < 2 {
        return None;
    }
    let mut within = Vec::new();
    let mut between = Vec::new();
    for one in sorted {
        let side = if sets.root(one.pair.0) == sets.root(one.pair.1) { &mut within } else { &mut between };
        side.push(one.value);
    }
    // All of the first distances are within groups.
    let is_pure = below as f64 >= PURITY * within.len() as f64;
    let middle = |values: &[f64]| values.get(values.len() / 2).copied();
    is_pure.then_some(())?;
    Some(Level { groups, within: middle(&within)?, between: middle(&between)? })
}

/// Sets of items that are joined pair by pair.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, item: usize) -> usize {
        let mut at = item;
        while let Some(&parent) = self.0.get(at).filter(|&&parent| parent != at) {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(entry) = self.0.get_mut(at) {
                *entry = above;
            }
            at = parent;
        }
        at
    }

    fn join(&mut self, (one, other): (usize, usize)) {
        let (one, other) = (self.root(one), self.root(other));
        if let Some(parent) = self.0.get_mut(one.max(other)) {
            *parent = one.min(other);
        }
    }

    fn groups(&mut self) -> Vec<Vec<usize>> {
        let mut groups: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
        for item in 0..self.0.len() {
            groups.entry(self.root(item)).or_default().push(item);
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine: CPUs that share what a level divides have its distance, with ± 4 % noise; one pair of 50 is disturbed, and
    /// `known` of them are measured.
    fn machine(cpus: usize, sizes: &[(usize, f64)], furthest: f64, known: f64) -> Vec<Distance> {
        let mut random = fastrand::Rng::with_seed(cpus as u64);
        let mut all = Vec::new();
        for one in 0..cpus {
            for other in one + 1..cpus {
                let nearest = sizes.iter().find(|(size, _)| one / size == other / size);
                let true_value = nearest.map_or(furthest, |(_, value)| *value);
                let noise = 0.96 + 0.08 * random.f64();
                let disturbed = if random.f64() < 0.02 { 1.0 + 3.0 * random.f64() } else { 1.0 };
                if random.f64() < known {
                    all.push(Distance { pair: (one, other), value: true_value * noise * disturbed });
                }
            }
        }
        all
    }

    fn sizes(levels: &[Level]) -> Vec<usize> {
        levels.iter().map(|level| level.groups.iter().map(Vec::len).max().unwrap_or(0)).collect()
    }

    #[test]
    fn groups_of_simulated_machines_are_found_on_every_level() {
        for (cpus, structure, furthest, known) in [
            // Cores of two threads, complexes of 8 cores, a socket, and another one.
            (64, &[(2, 20.0), (16, 60.0), (32, 180.0)][..], 400.0, 1.0),
            // Cores of one thread, two nodes.
            (16, &[(8, 110.0)], 260.0, 1.0),
            // One mesh with hardware threads.
            (48, &[(2, 15.0)], 130.0, 1.0),
            // Of 576 CPUs three quarters of the pairs.
            (576, &[(16, 60.0), (96, 180.0), (288, 250.0)], 600.0, 0.76),
            (1024, &[(128, 100.0)], 300.0, 0.2),
        ] {
            let found = levels(cpus, &machine(cpus, structure, furthest, known));
            let expected: Vec<usize> = structure.iter().map(|(size, _)| *size).collect();
            assert_eq!(sizes(&found), expected, "{cpus}");
            for (level, (size, value)) in found.iter().zip(structure) {
                // A pair that is disturbed may leave two CPUs without their group.
                let is_right = |group: &&Vec<usize>| {
                    let start = group.first().map_or(0, |first| first / size * size);
                    group.len() == *size && group.iter().zip(start..).all(|(item, place)| *item == place)
                };
                let right = level.groups.iter().filter(is_right).count();
                assert!(right * size * 10 >= cpus * 9, "{cpus} {size}: {right}");
                assert!((level.within / value - 1.0).abs() < 0.35, "{cpus} {size}: {}", level.within);
            }
        }
    }

    #[test]
    fn machines_without_groups_have_no_level() {
        for cpus in [1, 2, 3, 4, 8, 32] {
            let found = levels(cpus, &machine(cpus, &[], 100.0, 1.0));
            assert!(found.is_empty(), "{cpus}: {found:?}");
        }
        assert!(levels(0, &[]).is_empty());
        assert!(levels(2, &[Distance { pair: (0, 7), value: 1.0 }]).is_empty());
    }
}
