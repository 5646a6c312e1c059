//! The size of a cache line: two adjacent loads at increasing distance.

use measure::{Area, Operation, Parameters, takes};
use quantity::Quantity;
use record::Plot;
use workloads::memory::line_size::{LineProperty, LineSize, find_line};

/// The distance from which the second of two loads misses.
pub static LINE_SIZE: Operation = Operation {
    id: "memory.line_size",
    revision: 2,
    area: Area::Memory,
    title: "line size of the L1 data cache, measured without reported values",
    one_iteration: "one load from one of 512 addresses and a second at a fixed distance",
    parameters: takes::<LineSize>,
    quantity_of: Some(|point| match LineSize::read(point) {
        Ok(LineSize { property: Some(LineProperty::Size), .. }) => Quantity::Size,
        _ => Quantity::Latency,
    }),
    method: "A cycle of dependent loads from 512 addresses 512 B apart in random order, each followed by a load at a \
             fixed distance. The addresses map to an eighth of the sets of L1, where they do not fit, and of L2, where they \
             do; a first-level TLB holds their 64 pages. Within one line the second load hits L1; from the line size on \
             every load goes to L2. Each distance is a point; the line size is the \
             first distance whose cost exceeds the geometric mean of minimum and maximum.",
    confounds: "Lines of 512 B or more are not found. The adjacent-line prefetcher fetches into L2, which already holds the \
                set; in memory the same experiment gives 128 or 512.",
    sources: &[(
        "R0, 4.2.1",
        "eight accesses at each stride in an array by malloc, of which only A[0] was set: probably first touches for \
         long strides (E14)",
    )],
    points: &["distance=8B|16B|32B|64B|128B|256B; property=size"],
    plot: Some(|| Plot::logarithmic("distance", "distance of the second load", Quantity::Size)),
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
    run: find_line,
    spend_ns: 10_000_000,
    ..Operation::VALUES
};
