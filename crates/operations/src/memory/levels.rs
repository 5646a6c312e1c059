//! The levels of the memory hierarchy, found from the curve of latencies alone.

use super::workloads::sweep::{Sweep, without_noise};
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use record::Need;
use stats::plateaus::{Shape, plateaus};

/// Size and latency of each level.
pub static LEVELS: Operation = Operation {
    id: "memory.levels",
    area: Area::Memory,
    title: "levels of the memory hierarchy, found blind",
    one_iteration: "one sweep over working sets from 4 KiB to 64 MiB",
    quantity: Quantity::Latency,
    quantity_of: Some(|point| match point.get("of") {
        Some("size") => Quantity::Size,
        _ => Quantity::Latency,
    }),
    method: "A sweep over working sets, in steps of a twentieth, larger ones above 1 MiB. A set grows into the next: \
             blocks of 1 KiB are put at random places into one cycle, so that what the TLB costs is shared by 16 \
             loads and the caches alone shape the curve. Sets to 4 MiB are tried at three places; the least is taken, \
             and what a larger set does faster is noise. A sample during which the core was shared with a busy \
             hardware thread is taken again. Plateaus of this curve are the levels; a level ends where the curve is \
             half way to the next on a logarithmic scale. The latency of a level is that of one random cycle of \
             single lines in the middle of its plateau. Memory is on huge pages where the kernel gives them. Nothing \
             that the machine says of itself is used; T0 is what it says, and a ratio far from 1 is a disagreement.",
    confounds: "A cache that is shared has an effective size at a time, which is what its neighbours leave: its \
                interval says how much that changes from round to round. A virtual machine may be told of a cache of \
                which it gets a part (way allocation, neighbours), or of none at all. Where there are no huge pages, \
                of the guest and of its host, random places of pages make a cache that is indexed by address look \
                smaller, by a sixth or so. On a core that is shared with a busy hardware thread from the first to \
                the last moment all caches are halved, and nothing here can tell. A level that is less than half an \
                octave long is not seen. The last level has no end below 64 MiB where its cache is larger.",
    sources: &[
        ("R0", "by eye, from a plot of strides"),
        ("R2", "by eye, from a plot"),
        (
            "lmbench",
            "lat_mem_rd with a ratio of 1.5: misses some levels and invents others",
        ),
        ("Cooper and Xu 2018", "strings for caches and for the TLB apart"),
        ("MT4G 2025", "change points"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| {
        (1..=MOST_LEVELS)
            .flat_map(|level| ["size", "latency"].map(|of| point(level, of)))
            .collect()
    },
    needs: |_| {
        vec![Need::Memory {
            bytes: SMALLEST_SWEEP as u64,
        }]
    },
    predict: &[
        "level=1 of=size: hardware t0 as the machine tells = cache.l1d.size",
        "level=2 of=size: hardware t0 as the machine tells = cache.l2.size",
        "level=3 of=size: hardware t0 as the machine tells = cache.l3.size",
        "level=1 of=latency: hardware t0 as the machine tells = family.l1_cycles × cycle_ns",
        "level=2 of=latency: hardware t0 as the machine tells = family.l2_cycles × cycle_ns",
        "level=3 of=latency: hardware t0 as the machine tells = family.l3_cycles × cycle_ns",
        "level=4 of=latency: hardware t0 as the machine tells = family.memory_ns",
    ],
    evidence: &[
        "lines.visited = 1: every cycle goes through every line of its working set once",
        "curve.points 100..1000: the curve has several points in every octave",
    ],
    run,
    spend_ns: 1_500_000_000,
    ..Operation::NEW
};

/// Three caches, memory, and one more for machines with a cache beside the processor.
const MOST_LEVELS: usize = 5;

/// The largest working set in bytes, and the largest below which there is no sense in a sweep.
const LARGEST: usize = 64 << 20;
const SMALLEST_SWEEP: usize = 8 << 20;

/// Values of one plateau lie within a quarter, it spans half an octave, and the next is half as high again.
const SHAPE: Shape = Shape {
    flat: 1.25,
    long: 1.45,
    step: 1.5,
};

fn point(level: usize, of: &str) -> Point {
    Point::only().with("level", level).with("of", of)
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let largest = super::workloads::room::largest(LARGEST, SMALLEST_SWEEP)?;
    let mut sweep = Sweep::new(largest, bench.seed())?;
    let born = sweep.quiet.clock.moment();
    let curve = sweep.curve(&mut || bench.sample_core_state());
    let points = curve.len();
    let levels = plateaus(&without_noise(&curve), SHAPE);
    let mut latencies = Vec::new();
    for plateau in levels.iter().take(MOST_LEVELS) {
        latencies.push(sweep.latency(plateau)?);
        bench.sample_core_state();
    }
    let tick = sweep.quiet.clock.nanos_per_tick(born, sweep.quiet.clock.moment());
    for level in 1..=MOST_LEVELS {
        let size = levels.get(level - 1).and_then(|plateau| plateau.edge);
        let latency = latencies.get(level - 1).map(|ticks| ticks * tick);
        put(bench, point(level, "size"), size, largest);
        put(bench, point(level, "latency"), latency, largest);
    }
    bench.curve(curve.into_iter().map(|(size, ticks)| (size, ticks * tick)));
    bench.count("lines.visited", sweep.visited as f64, sweep.lines as f64);
    bench.count("curve.points", points as f64, 1.0);
    super::workloads::room::count_huge(bench, sweep.memory.huge_bytes(), sweep.memory.room());
    bench.count(
        "samples.crowded",
        sweep.quiet.crowded as f64,
        sweep.quiet.samples as f64,
    );
    Ok(())
}

fn put(bench: &mut Bench<'_>, point: Point, value: Option<f64>, largest: usize) {
    let size = quantity::show_bytes(quantity::Bytes::from_bytes(largest as u64));
    match value {
        Some(value) => bench.values_at(point, vec![value]),
        None if largest < LARGEST => bench.absent(
            point,
            &format!("a quarter of the memory that is left allows working sets to {size}, and there is no end of it below"),
            "free memory, or raise the cgroup's limit",
        ),
        None => bench.absent(
            point,
            &format!("the curve to {size} has no further level, or its last has no end below"),
            "expected; no action needed",
        ),
    }
}
