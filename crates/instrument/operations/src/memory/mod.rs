//! Caches and memory: latency, cache levels, TLB, bandwidth, page faults, mappings.

pub mod associativity;
pub mod bandwidth;
pub mod beyond_caches;
pub mod fault;
pub mod latency;
pub mod levels;
pub mod library;
pub mod line_size;
pub mod malloc;
pub mod mapping;
pub mod parallel_loads;
pub mod remote;
pub mod stride;
pub mod tlb;

use measure::{Area, Operation, Rehearse};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::memory::chase::size_of;

/// Common to operations on caches and memory.
pub const COMMON: Operation = Operation { area: Area::Memory, ..Operation::NEW };

/// Common to dependent loads from a working set.
const LOADS: Operation = Operation {
    one_iteration: "one load whose address is the result of the previous load",
    needs: |point| vec![Need::Memory { bytes: 2 * size_of(point) }],
    rehearse: Rehearse::CallsAndInstructions,
    bounds: &["register"],
    ..COMMON
};

/// By working set, with the ends of the measured levels.
fn by_working_set() -> Plot {
    Plot {
        marks: Some("memory.levels".to_owned()),
        ..Plot::logarithmic("bytes", "size of the working set", Quantity::Size)
    }
}
