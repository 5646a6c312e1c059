//! Reference method of latency: each load timed by itself.

use measure::{Area, Operation, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::memory::WorkingSet;
use workloads::memory::chase::size_of;
use workloads::memory::timed_loads::time_each_load;

/// Each load between two clock reads.
pub static TIMED: Operation = Operation {
    id: "memory.latency.timed",
    area: Area::Memory,
    title: "dependent load of a list in order, timed individually",
    one_iteration: "one load of a list's next node, between two clock reads",
    method: "The lines of the working set are linked from the last to the first. The walk reads the clock before and after each \
             load. All of a trial's differences are in the record as a curve over the number of the load.",
    confounds: "This is the result of the method, not a latency: see the correct operation.",
    sources: &[("R4", "two million nodes, each access timed, values above 2 000 cycles dropped (E30)")],
    wrong: "the clock reads cost more than a load from a cache (E07), and a list in order is prefetched (E15, E17)",
    right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    points: &["profile!=thorough: bytes=16KiB|64MiB", "profile=thorough: bytes=16KiB|256KiB|4MiB|64MiB"],
    plot: Some(|| Plot::logarithmic("bytes", "size of the working set", Quantity::Size)),
    parameters: takes::<WorkingSet>,
    needs: |point| vec![Need::Memory { bytes: 2 * size_of(point) }],
    predict: &[
        "hardware t0 clock read = 40 cycles (×1.7: RDTSC behind a fence: 25 to 70 cycles) × cycle_ns",
        "hardware t0 load = family.l1_cycles × cycle_ns",
        "hardware t1 clock read = [clock.read.rdtsc_lfence]",
        "hardware t1 load, prefetched = [memory.latency.stride stride=64B access=forward bytes={bytes}]",
    ],
    evidence: &["answers = 1: every load gave the number of the next line"],
    bounds: &[],
    run: time_each_load,
    ..Operation::VALUES
};
