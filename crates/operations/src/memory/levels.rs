//! The levels of the memory hierarchy, from measured latencies alone.

use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use record::Need;
use stats::plateaus::{Shape, plateaus};
use workloads::memory::sweep::{Sweep, monotonic};

/// Capacity and latency of each level.
pub static LEVELS: Operation = Operation {
    id: "memory.levels",
    revision: 2,
    area: Area::Memory,
    title: "capacity and latency of cache levels, measured without reported values",
    one_iteration: "one sweep over working sets from 4 KiB to twice the reported last-level cache, 64 to 512 MiB",
    quantity: Quantity::Latency,
    quantity_of: Some(|point| match point.get("property") {
        Some("capacity") => Quantity::Size,
        _ => Quantity::Latency,
    }),
    method: "A sweep over working sets in steps of 5 %, larger above 1 MiB. Each set extends the previous one: blocks of \
             1 KiB are inserted at random into one cycle, so that 16 loads share a TLB miss and the caches alone shape \
             the curve. Sets up to 4 MiB are measured at three offsets; the minimum counts, and the curve is made \
             monotonic. A sample taken while the sibling hardware thread was busy is repeated. Plateaus of the curve \
             are the levels; a level ends half way to the next on a logarithmic scale. The latency of a level is that \
             of a random cycle of single lines in the middle of its plateau. Huge pages where available. Reported \
             sizes only say how far to sweep; they are T0, and a ratio far from 1 is a disagreement.",
    confounds: "A shared cache has an effective capacity that depends on its other users; the interval shows how it varies \
                between rounds. A virtual machine may get only part of the reported cache (way allocation, neighbours). \
                Without huge pages in guest and host, random page placement makes a physically indexed cache look about \
                a sixth smaller. If the sibling hardware thread is busy throughout, all caches appear halved, which is \
                not detected. A level shorter than half an octave is missed. A last-level cache above 256 MiB \
                shows no end.",
    sources: &[
        ("R0", "read off a plot of strides"),
        ("R2", "read off a plot"),
        ("lmbench", "lat_mem_rd with a ratio of 1.5: misses some levels and invents others"),
        ("Cooper and Xu 2018", "separate strings for caches and TLB"),
        ("MT4G 2025", "change-point detection"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| {
        (1..=MAX_LEVELS)
            .flat_map(|level| ["capacity", "latency"].map(|property| point(level, property)))
            .collect()
    },
    needs: |_| vec![Need::Memory { bytes: SMALLEST_SWEEP as u64 }],
    predict: &[
        "level=1 property=capacity: hardware t0 reported = cache.l1d.size",
        "level=2 property=capacity: hardware t0 reported = cache.l2.size",
        "level=3 property=capacity: hardware t0 reported, or the share of a guest = cache.owned.size",
        "level=1 property=latency: hardware t0 reported = family.l1_cycles × cycle_ns",
        "level=2 property=latency: hardware t0 reported = family.l2_cycles × cycle_ns",
        "level=3 property=latency: hardware t0 reported = family.l3_cycles × cycle_ns",
        "level=4 property=latency: hardware t0 reported = family.memory_ns",
    ],
    evidence: &[
        "lines.visited = 1: every cycle visits every line of its working set once",
        "curve.points 100..1000: the curve has several points per octave",
    ],
    run,
    spend_ns: 1_500_000_000,
    ..Operation::NEW
};

/// Three caches, memory, and a further cache off the processor.
const MAX_LEVELS: usize = 5;

/// Bytes of the largest working set: at least and at most, and the least where memory is short.
const LARGEST: (usize, usize) = (64 << 20, 512 << 20);
const SMALLEST_SWEEP: usize = 8 << 20;

/// The largest working set for a last-level cache, as the kernel reports it: twice its size shows its end.
fn wanted(cache: Option<usize>) -> usize {
    let twice = cache.unwrap_or(0).saturating_mul(2).next_multiple_of(1 << 20);
    twice.clamp(LARGEST.0, LARGEST.1)
}

/// A plateau varies by at most 25 %, spans half an octave, and the next is at least 50 % higher.
const SHAPE: Shape = Shape { flat: 1.25, long: 1.45, step: 1.5 };

fn point(level: usize, property: &str) -> Point {
    Point::only().with("level", level).with("property", property)
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let wanted = wanted(sys::memory::last_level_cache());
    let largest = workloads::memory::working_set::largest(wanted, SMALLEST_SWEEP)?;
    let mut sweep = Sweep::new(largest, bench.seed())?;
    let start = sweep.sampler.clock.moment();
    let curve = sweep.curve(&mut || bench.sample_core_state());
    let points = curve.len();
    let levels = plateaus(&monotonic(&curve), SHAPE);
    let mut latencies = Vec::new();
    for plateau in levels.iter().take(MAX_LEVELS) {
        latencies.push(sweep.latency(plateau)?);
        bench.sample_core_state();
    }
    let tick = sweep.sampler.clock.nanos_per_tick(start, sweep.sampler.clock.moment());
    for level in 1..=MAX_LEVELS {
        let capacity = levels.get(level - 1).and_then(|plateau| plateau.edge);
        let latency = latencies.get(level - 1).map(|ticks| ticks * tick);
        report(bench, point(level, "capacity"), capacity, (largest, wanted));
        report(bench, point(level, "latency"), latency, (largest, wanted));
    }
    bench.curve(curve.into_iter().map(|(size, ticks)| (size, ticks * tick)));
    bench.count("lines.visited", sweep.visited as f64, sweep.lines as f64);
    bench.count("curve.points", points as f64, 1.0);
    workloads::memory::working_set::count_huge(bench, sweep.memory.huge_bytes(), sweep.memory.room());
    bench.count("samples.crowded", sweep.sampler.shared_samples as f64, sweep.sampler.samples as f64);
    Ok(())
}

fn report(bench: &mut Bench<'_>, point: Point, value: Option<f64>, (largest, wanted): (usize, usize)) {
    let size = quantity::show_bytes(quantity::Bytes::from_bytes(largest as u64));
    match value {
        Some(value) => bench.values_at(point, vec![value]),
        None if largest < wanted => bench.absent(
            point,
            &format!("no end of the level up to {size}, a quarter of the available memory"),
            "free memory, or raise the cgroup's limit",
        ),
        None => bench.absent(
            point,
            &format!("no further level up to {size}, or no end of the last"),
            "expected; no action needed",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweep_ends_beyond_the_reported_cache() {
        let mebibytes = |cache: Option<usize>| wanted(cache.map(|cache| cache << 20)) >> 20;
        let caches = [None, Some(8), Some(32), Some(105), Some(480)];
        assert_eq!(caches.map(mebibytes), [64, 64, 64, 210, 512]);
    }
}
