//! The associativity of the L1 data cache, from lines that map to one set.

use measure::{Area, Operation, takes};
use quantity::Quantity;
use workloads::memory::associativity::{Ways, find_ways};

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
    parameters: takes::<Ways>,
    points: &["level=1"],
    predict: &["hardware t0 reported = cache.l1d.ways"],
    evidence: &["every line visited"],
    run: find_ways,
    spend_ns: 10_000_000,
    ..Operation::VALUES
};
