//! The associativity of a cache, from lines that map to one set.

use super::quiet_sampler::QuietSampler;
use measure::{Bench, Failure, Result, choice, parameters};
use sys::chase::{Cycle, Order};
use sys::memory::Mapping;

/// Bytes between the lines: the largest way of an L1 cache in use (Apple, 128 KiB in 8 ways).
const DISTANCE: usize = 16 << 10;

const MAX_LINES: usize = 33;

/// The cost beyond the associativity exceeds that of few lines by this factor.
const RISE: f64 = 1.125;

const OFFSETS: usize = 3;
const REPEATS: usize = 6;
const TURNS: u64 = 32;

choice! {
    /// A level of the caches.
    pub enum FirstLevel {
        /// The first.
        One = "1",
    }
}

parameters! {
    /// A cache.
    pub struct Ways {
        /// Its level.
        level: FirstLevel,
    }
}

/// The associativity of the first level.
///
/// # Errors
/// Skipped where the cost does not rise.
pub fn find_ways(bench: &mut Bench<'_>) -> Result<()> {
    let page = sys::memory::page_size();
    let mut mapping = Mapping::private(MAX_LINES * DISTANCE + OFFSETS * page)?;
    mapping.touch(bench.seed());
    let mut sampler = QuietSampler::calibrate();
    let (mut costs, mut visited, mut linked) = (Vec::new(), 0, 0);
    for lines in 2..=MAX_LINES {
        let mut minimum = f64::INFINITY;
        for offset in 0..OFFSETS {
            // Another set and other pages at each offset.
            let start = offset * (page + 64 * 5);
            let order = Order::Random(bench.seed() ^ (lines * OFFSETS + offset) as u64);
            let cycle = Cycle::link(&mut mapping, start, lines, DISTANCE, order);
            let mut cycle = cycle.ok_or_else(|| Failure::failed("the lines do not fit into the mapping"))?;
            visited += cycle.distinct();
            linked += cycle.lines();
            cycle.walk(TURNS);
            for _ in 0..REPEATS {
                minimum = minimum.min(sampler.per_load(|| cycle.walk(TURNS)));
            }
        }
        costs.push((lines, minimum));
        bench.sample_core_state();
    }
    match knee(&costs) {
        Some(ways) => bench.values(vec![ways as f64]),
        None => {
            return Err(Failure::skipped(
                format!("no knee up to {MAX_LINES} lines of one set"),
                "expected; no action needed: the L1 cache has more ways than the search covers",
            ));
        }
    }
    bench.count("lines.visited", visited as f64, linked as f64);
    Ok(())
}

/// The largest number of lines before the lasting rise in cost.
fn knee(costs: &[(usize, f64)]) -> Option<usize> {
    let few = costs.iter().take(3).map(|(_, cost)| *cost);
    let few = few.fold(f64::INFINITY, f64::min);
    let last = costs.iter().rposition(|(_, cost)| *cost <= few * RISE)?;
    // The last two must cost more, or there is no knee.
    (last + 2 < costs.len()).then(|| costs.get(last).map(|(lines, _)| *lines))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knee_is_the_last_line_count_without_misses() {
        for (ways, expected) in
            [2, 4, 8, 12, 16].map(|ways| (ways, Some(ways))).into_iter().chain([(64, None)])
        {
            let costs = (2..=MAX_LINES).map(|lines| (lines, if lines > ways { 6.0 } else { 1.7 }));
            assert_eq!(knee(&costs.collect::<Vec<_>>()), expected);
        }
    }
}
