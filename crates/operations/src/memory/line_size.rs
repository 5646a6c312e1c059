//! The size of a cache line: two adjacent loads at increasing distance.

use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use sys::chase::{Cycle, LOADS, shuffled};
use sys::memory::Mapping;
use workloads::memory::quiet_sampler::QuietSampler;

/// The distance from which the second of two loads misses.
pub static LINE_SIZE: Operation = Operation {
    id: "memory.line_size",
    revision: 2,
    area: Area::Memory,
    title: "line size of the L1 data cache, measured without reported values",
    one_iteration: "one load from one of 512 addresses and a second at a fixed distance",
    quantity: Quantity::Latency,
    quantity_of: Some(|point| match point.get("property") {
        Some("size") => Quantity::Size,
        _ => Quantity::Latency,
    }),
    method: "A cycle of dependent loads from 512 addresses 512 B apart in random order, each followed by a load at a \
             fixed distance. The addresses map to an eighth of the L1 cache, where they do not fit, and of L2, where they do: in 64 \
             pages they have, too, what a first-level TLB holds. Within one line the second \
             load hits L1; from the line size on every load goes to L2. Each distance is a point; the line size is the \
             first distance whose cost exceeds the geometric mean of minimum and maximum.",
    confounds: "Lines of 512 B or more are not found. The adjacent-line prefetcher fetches into L2, which already holds the \
                set; in memory the same experiment gives 128 or 512.",
    sources: &[("R0", "one pass through untouched memory: page faults and prefetching (E14)")],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| {
        let distances = DISTANCES.map(at_distance);
        distances.into_iter().chain([line_size()]).collect()
    },
    predict: &[
        "property=size: hardware t0 reported = cache.l1d.line",
        // The second load of a pair hits L1 if it is in the line of the first.
        "distance=*: let apart = min(1, max(0, 1 + ({distance} bytes − cache.l1d.line) / 1 byte))",
        "distance=*: let t0 near = family.l1_cycles × cycle_ns",
        "distance=*: let t1 near = [memory.levels level=1 property=latency]",
        "distance=*: let t0 far = family.l2_cycles × cycle_ns",
        "distance=*: let t1 far = [memory.levels level=2 property=latency]",
        "distance=*: hardware first load of a pair from L2 = 0.5 × far",
        "distance=*: hardware second load from L1, or L2 = 0.5 × (near + apart × (far − near))",
    ],
    evidence: &["every line visited"],
    run,
    spend_ns: 10_000_000,
    ..Operation::NEW
};

/// Distances in bytes.
const DISTANCES: [usize; 6] = [8, 16, 32, 64, 128, 256];

const ADDRESSES: u32 = 512;
const SPACING: usize = 512;

/// Walks of a cycle; the minimum counts.
const REPEATS: usize = 20;

/// The maximum must exceed the minimum by this factor.
const STEP: f64 = 1.2;

/// The cost of the second load at a distance in bytes.
fn at_distance(bytes: usize) -> Point {
    Point::only().with("distance", format!("{bytes}B"))
}

fn line_size() -> Point {
    Point::only().with("property", "size")
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut mapping = Mapping::private(ADDRESSES as usize * SPACING)?;
    mapping.touch(bench.seed());
    let mut sampler = QuietSampler::calibrate();
    let start = sampler.clock.moment();
    let order = shuffled(0..ADDRESSES, bench.seed());
    let (mut costs, mut visited) = (Vec::new(), 0);
    for distance in DISTANCES {
        let addresses = order.iter().map(|address| *address as usize * SPACING);
        let offsets: Vec<usize> = addresses.flat_map(|first| [first, first + distance]).collect();
        let cycle = Cycle::through(&mut mapping, &offsets);
        let mut cycle =
            cycle.ok_or_else(|| Failure::Failed("the addresses do not fit into the mapping".to_owned()))?;
        visited += cycle.distinct();
        let turns = 2 * u64::from(ADDRESSES) / LOADS;
        let walks = (0..REPEATS).map(|_| sampler.per_load(|| cycle.walk(turns)));
        costs.push(walks.fold(f64::INFINITY, f64::min));
        bench.sample_core_state();
    }
    let tick = sampler.clock.nanos_per_tick(start, sampler.clock.moment());
    for (distance, ticks) in DISTANCES.into_iter().zip(&costs) {
        bench.values_at(at_distance(distance), vec![ticks * tick]);
    }
    match line(&costs) {
        Some(bytes) => bench.values_at(line_size(), vec![bytes as f64]),
        None => bench.absent(
            line_size(),
            "the second load costs the same at every distance up to 256 B",
            "repeat on an idle machine; the line may be longer",
        ),
    }
    let linked = 2 * ADDRESSES as usize * DISTANCES.len();
    bench.count("lines.visited", visited as f64, linked as f64);
    Ok(())
}

/// The first distance at which the second load misses.
fn line(costs: &[f64]) -> Option<usize> {
    let minimum = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let maximum = costs.iter().copied().fold(0.0, f64::max);
    let first = costs.iter().position(|cost| *cost > (minimum * maximum).sqrt())?;
    (maximum > minimum * STEP).then(|| DISTANCES.get(first).copied())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_size_is_first_distance_that_misses() {
        assert_eq!(line(&[3.5, 3.6, 3.5, 5.4, 5.3, 5.4]), Some(64));
        assert_eq!(line(&[3.5, 3.6, 5.2, 5.4, 5.3, 5.4]), Some(32));
        assert_eq!(line(&[3.5, 3.6, 3.5, 3.5, 5.3, 5.4]), Some(128));
        assert_eq!(line(&[3.5; 6]), None);
    }
}
