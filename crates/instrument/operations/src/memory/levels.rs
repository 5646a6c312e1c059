//! The levels of the memory hierarchy, from measured latencies alone.

use measure::{Area, Operation, Parameters, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::memory::levels::{Level, LevelProperty, SMALLEST_SWEEP, find_levels};

/// Capacity and latency of each level.
pub static LEVELS: Operation = Operation {
    id: "memory.levels",
    revision: 2,
    area: Area::Memory,
    title: "capacity and latency of cache levels, measured without reported values",
    one_iteration: "one sweep over working sets from 4 KiB to twice the reported last-level cache, 64 to 512 MiB",
    parameters: takes::<Level>,
    quantity_of: Some(|point| match Level::read(point) {
        Ok(Level { property: LevelProperty::Capacity, .. }) => Quantity::Size,
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
        ("R0, 4.2.4", "read off a plot by array size, a curve per stride"),
        ("R1, 3 RAM access", "read off a plot: 32, 256 and 2048 KiB"),
        ("R2, 4.1", "a plot by array size, a curve per stride"),
        ("R3, 4.1.2", "turning points of a plot beside the reported sizes"),
        ("lmbench", "cache: a ratio of 1.5 of latencies; misses some levels and invents others"),
        ("Cooper and Xu 2018", "separate strings for caches and TLB"),
        ("MT4G 2025", "change-point detection"),
        ("Arm ASCT", "latency-sweep: latencies by size of the array"),
    ],
    points: &["level=1|2|3|4|5 property=capacity|latency"],
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
    curve: Some(|| Plot { family: Some("memory.levels".to_owned()), ..super::by_working_set() }),
    run: find_levels,
    spend_ns: 1_500_000_000,
    ..Operation::VALUES
};
