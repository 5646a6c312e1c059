//! The associativity of the first cache: lines that all belong into one set.

use super::workloads::quiet::Quiet;
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use sys::chase::{Cycle, Order};
use sys::memory::Mapping;

/// How many lines of one set the first cache holds.
pub static ASSOCIATIVITY: Operation = Operation {
    id: "memory.associativity",
    area: Area::Memory,
    title: "associativity of the first cache, found blind",
    one_iteration: "a load from one of n lines that are 16 KiB apart",
    quantity: Quantity::Count,
    method: "A random cycle through n lines that are 16 KiB apart, for n from 2 to 33. They all belong into one set of \
             any first cache whose ways are no longer than that, so n of them cost what few cost as long as the set \
             holds them. The knee is the last n before the cost rises by an eighth for good. The least of several \
             walks at three places counts.",
    confounds: "A way longer than 16 KiB would show as more ways. Ways that the system or a neighbour on the same core \
                took away are missing: a busy hardware thread makes a set look smaller, so such samples are taken \
                again.",
    sources: &[("Saavedra and Smith 1995", "strides up to half of the array")],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| vec![Point::only().with("level", 1)],
    predict: &["hardware t0 as the machine tells = cache.l1d.ways"],
    evidence: &["every line visited"],
    run,
    spend_ns: 10_000_000,
    ..Operation::NEW
};

/// Bytes between the lines: the longest way of a first cache that is built (Apple's, 128 KiB of 8 ways).
const APART: usize = 16 << 10;

/// Most lines that are tried.
const MOST: usize = 33;

/// A cost above that of few lines by this factor is a knee.
const RISE: f64 = 1.125;

const PLACES: usize = 3;
const REPEATS: usize = 6;
const TURNS: u64 = 32;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let page = sys::memory::page_size();
    let mut mapping = Mapping::private(MOST * APART + PLACES * page)?;
    mapping.touch(bench.seed());
    let mut quiet = Quiet::new();
    let (mut costs, mut visited, mut asked) = (Vec::new(), 0, 0);
    for lines in 2..=MOST {
        let mut least = f64::INFINITY;
        for place in 0..PLACES {
            // Another set at every place, and other pages.
            let start = place * (page + 64 * 5);
            let order = Order::Random(bench.seed() ^ (lines * PLACES + place) as u64);
            let cycle = Cycle::link(&mut mapping, start, lines, APART, order);
            let mut cycle = cycle.ok_or_else(|| Failure::Failed("the lines do not fit".to_owned()))?;
            visited += cycle.distinct();
            asked += cycle.lines();
            cycle.walk(TURNS);
            for _ in 0..REPEATS {
                least = least.min(quiet.per_load(|| cycle.walk(TURNS)));
            }
        }
        costs.push((lines, least));
        bench.sample_core_state();
    }
    match knee(&costs) {
        Some(ways) => bench.values(vec![ways as f64]),
        None => {
            return Err(Failure::skipped(
                format!("{MOST} lines of one set cost no more than two"),
                "expected; no action needed: the first cache has more ways than are tried",
            ));
        }
    }
    bench.count("lines.visited", visited as f64, asked as f64);
    Ok(())
}

/// The largest number of lines before the cost rises for good.
fn knee(costs: &[(usize, f64)]) -> Option<usize> {
    let few = costs.iter().take(3).map(|(_, cost)| *cost);
    let few = few.fold(f64::INFINITY, f64::min);
    let last = costs.iter().rposition(|(_, cost)| *cost <= few * RISE)?;
    // The last ones tried must be dearer, or no knee was reached.
    (last + 2 < costs.len()).then(|| costs.get(last).map(|(lines, _)| *lines))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_the_last_that_costs_little() {
        let machine = |ways| move |lines| (lines, if lines > ways { 6.0 } else { 1.7 });
        for ways in [2, 4, 8, 12, 16] {
            let costs: Vec<_> = (2..=MOST).map(machine(ways)).collect();
            assert_eq!(knee(&costs), Some(ways));
        }
        let flat: Vec<_> = (2..=MOST).map(machine(64)).collect();
        assert_eq!(knee(&flat), None);
    }
}
