//! The associativity of the L1 data cache, from lines that map to one set.

use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use sys::chase::{Cycle, Order};
use sys::memory::Mapping;
use workloads::memory::quiet_sampler::QuietSampler;

/// Lines of one set that the L1 data cache holds.
pub static ASSOCIATIVITY: Operation = Operation {
    id: "memory.associativity",
    area: Area::Memory,
    title: "associativity of the L1 data cache, measured without reported values",
    one_iteration: "one dependent load from one of n lines 16 KiB apart",
    quantity: Quantity::Count,
    method: "A random cycle through n lines 16 KiB apart, for n from 2 to 33. They map to one set of any L1 cache whose \
             ways are at most 16 KiB, so the cost per load is flat while the set holds all of them. The associativity \
             is the last n before the cost rises by an eighth and stays there. Minimum of several walks at three \
             offsets.",
    confounds: "A way larger than 16 KiB shows as more ways. Ways lost to partitioning are not counted. A busy sibling \
                hardware thread makes the set look smaller: such samples are repeated.",
    sources: &[("Saavedra and Smith 1995", "strides up to half of the array")],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| vec![Point::only().with("level", 1)],
    predict: &["hardware t0 reported = cache.l1d.ways"],
    evidence: &["every line visited"],
    run,
    spend_ns: 10_000_000,
    ..Operation::NEW
};

/// Bytes between the lines: the largest way of an L1 cache in use (Apple, 128 KiB in 8 ways).
const DISTANCE: usize = 16 << 10;

const MAX_LINES: usize = 33;

/// The cost beyond the associativity exceeds that of few lines by this factor.
const RISE: f64 = 1.125;

const OFFSETS: usize = 3;
const REPEATS: usize = 6;
const TURNS: u64 = 32;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
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
            let mut cycle =
                cycle.ok_or_else(|| Failure::Failed("the lines do not fit into the mapping".to_owned()))?;
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
        let machine = |ways| move |lines| (lines, if lines > ways { 6.0 } else { 1.7 });
        for ways in [2, 4, 8, 12, 16] {
            let costs: Vec<_> = (2..=MAX_LINES).map(machine(ways)).collect();
            assert_eq!(knee(&costs), Some(ways));
        }
        let flat: Vec<_> = (2..=MAX_LINES).map(machine(64)).collect();
        assert_eq!(knee(&flat), None);
    }
}
